/**
 * The arguments and the structured content of a call against the schemas that the tool declares (Decision 12).
 */
import { type CallResult, CleanText, McpErrors, type McpTool } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import * as SchemaValidator from "./SchemaValidator.ts"

/**
 * Fails when arguments, already repaired, are not what the tool's own `inputSchema` wants: the error says which
 * parameters, what was expected and what was found. Arguments that cannot be checked pass, and the log says so once for
 * each tool.
 *
 * @category checking
 */
export const args = Effect.fnUntraced(function*(
  tool: Pick<McpTool, "name" | "inputSchema">,
  given: Schema.JsonObject
): Effect.fn.Return<void, McpErrors.InvalidArguments> {
  const violations = yield* violationsOf(tool.name, "inputSchema", objectSchema(tool.inputSchema), given)
  if (violations.length === 0) return
  return yield* new McpErrors.InvalidArguments({ tool: tool.name, detail: violations.join("; ") })
})

/**
 * What is wrong with the structured content of an answer, by the tool's `outputSchema`: one line, or none. Errors are
 * not checked, and nothing is done to the answer (R62).
 *
 * @category checking
 */
export const output = Effect.fnUntraced(function*(
  tool: Pick<McpTool, "name" | "outputSchema">,
  { isError, structuredContent }: Pick<CallResult, "isError" | "structuredContent">
): Effect.fn.Return<ReadonlyArray<string>> {
  const { outputSchema } = tool
  if (outputSchema === null || isError) return []
  const line = structuredContent === null
    ? "the tool declares an outputSchema, but its answer has no structuredContent"
    : mismatch(yield* violationsOf(tool.name, "outputSchema", outputSchema, structuredContent))
  if (line === null) return []
  yield* once(outputSchema, Effect.logInfo(`${tool.name}: ${line}`))
  return [line]
})

const mismatch = (violations: ReadonlyArray<string>): string | null =>
  violations.length === 0 ? null : `structuredContent does not match the outputSchema: ${violations.join("; ")}`

const violationsOf = Effect.fnUntraced(function*(
  tool: string,
  which: string,
  schema: Schema.JsonObject,
  value: Schema.Json
): Effect.fn.Return<ReadonlyArray<string>> {
  const verdict = yield* SchemaValidator.check(schema, value)
  if (verdict._tag === "Checked") return verdict.violations.map(CleanText.clean)
  yield* once(schema, Effect.logInfo(`${tool}: the ${which} is not checked: ${verdict.why}`))
  return []
})

const said = new WeakSet<Schema.JsonObject>()

const once = (schema: Schema.JsonObject, log: Effect.Effect<void>): Effect.Effect<void> =>
  Effect.suspend(() => {
    if (said.has(schema)) return Effect.void
    said.add(schema)
    return log
  })

const objects = new WeakMap<Schema.JsonObject, Schema.JsonObject>()

/** Arguments are an object, whatever type the root of a schema claims. */
const objectSchema = (schema: Schema.JsonObject): Schema.JsonObject => {
  const { type, ...rest } = schema
  if (type === undefined || [type].flat().includes("object")) return schema
  const known = objects.get(schema) ?? rest
  objects.set(schema, known)
  return known
}
