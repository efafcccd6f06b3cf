/** The class of a tool, from its annotations and its entry (docs/decisions.md#classes-of-tools). */
import { ToolsChanged } from "@boocode/mcp-client/McpError"
import { type ServerConfig, TOOL_CLASSES, type ToolClass } from "@boocode/mcp-config"
import type * as Schema from "effect/Schema"

export type { ToolClass } from "@boocode/mcp-config"

/** The settings of an entry that decide about classes. */
export type Settings = Pick<ServerConfig, "classes" | "trustAnnotations">

/** The class of a tool, and how it came to it. */
export interface Classified {
  readonly toolClass: ToolClass
  /** Why it counts as one that writes; null where it does not. */
  readonly whyWriter: string | null
  /** Why the class that the entry gives it counts for nothing; null where it counts, and where there is none. */
  readonly ignored: string | null
}

/** Whether a tool of this class writes. */
export const isWriter = (toolClass: ToolClass): toolClass is "writes" | "destroys" =>
  toolClass === "writes" || toolClass === "destroys"

/** The refusal of a call that was decided about when the tool did not count as one that writes. */
export const nowWrites = (server: string, tool: string): ToolsChanged =>
  new ToolsChanged({ server, tool, detail: "it counts as a tool that writes since this call was decided about" })

/** Whether a tool says that it reaches beyond what its server holds, for instance into the web. */
export const isOpenWorld = (annotations: Schema.JsonObject): boolean => annotations["openWorldHint"] === true

/**
 * The class of a tool by its annotations alone. `readOnly` is the hint of older servers. `destructiveHint` makes it one
 * that destroys, whatever else it says: the specification gives that hint a meaning for writers only.
 */
export const ofAnnotations = (annotations: Schema.JsonObject): ToolClass => {
  const { destructiveHint, readOnly, readOnlyHint } = annotations
  if (destructiveHint === true) return "destroys"
  if (readOnlyHint === false || readOnly === false) return "writes"
  return readOnlyHint === true || readOnly === true ? "reads" : "undeclared"
}

/**
 * The class of a tool: what `classes` of its entry says, else what it says of itself; with `"trustAnnotations": false` one
 * that does not destroy writes. The entry of a project file (`isTrusted` is false) gives no milder class.
 */
export const classify = (
  { classes, trustAnnotations }: Settings,
  isTrusted: boolean,
  tool: string,
  annotations: Schema.JsonObject
): Classified => {
  const said = ofAnnotations(annotations)
  const isBelieved = trustAnnotations || said === "destroys"
  const own: Classified = isBelieved
    ? { toolClass: said, whyWriter: isWriter(said) ? whyByAnnotations(annotations) : null, ignored: null }
    : { toolClass: "writes", whyWriter: NOT_TRUSTED, ignored: null }
  const given = Object.hasOwn(classes, tool) ? classes[tool] : undefined
  if (given === undefined) return own
  if (!isTrusted && weight(given) < weight(own.toolClass)) {
    return { ...own, ignored: `a project file may not call ${tool} "${given}", which is less than "${own.toolClass}"` }
  }
  return {
    toolClass: given,
    whyWriter: isWriter(given) ? `"classes" of the entry says that it ${given}` : null,
    ignored: null
  }
}

const NOT_TRUSTED = `counts as a writer: "trustAnnotations" of the entry is false`

/** Why a tool that says this of itself is a writer; null for one that is none. */
export const whyByAnnotations = (annotations: Schema.JsonObject): string | null => {
  if (annotations["readOnlyHint"] === false) return "declares itself not read-only (readOnlyHint is false)"
  if (annotations["readOnly"] === false) return "declares itself not read-only (readOnly is false)"
  if (annotations["destructiveHint"] === true) return "declares itself destructive (destructiveHint is true)"
  return null
}

const weight = (toolClass: ToolClass): number => TOOL_CLASSES.indexOf(toolClass)
