/**
 * The read-only rule (Decision 2): a tool that declares itself a writer, or destructive, is rejected at discovery.
 */
import type * as Schema from "effect/Schema"

/**
 * Why a tool is rejected, null when it is not. A tool without annotations passes.
 *
 * @category getters
 */
export const rejection = (annotations: Schema.JsonObject): string | null => {
  if (annotations["readOnlyHint"] === false) return "declares itself not read-only (readOnlyHint is false)"
  if (annotations["readOnly"] === false) return "declares itself not read-only (readOnly is false)"
  // The specification gives the hint a meaning for writers only: a tool that sets it says that it writes.
  if (annotations["destructiveHint"] === true) return "declares itself destructive (destructiveHint is true)"
  return null
}

/**
 * Whether a tool says anything about writing.
 *
 * @category getters
 */
export const isDeclared = (annotations: Schema.JsonObject): boolean =>
  typeof annotations["readOnlyHint"] === "boolean" || typeof annotations["readOnly"] === "boolean"
