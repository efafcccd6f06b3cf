/**
 * The arguments and the structured content of a call against the schemas that the tool declares
 * (docs/decisions.md#decision-12-schemas).
 */
import { type CallResult, CleanText, McpErrors, type McpTool } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import * as ArgumentRepair from "./ArgumentRepair.ts"
import * as SchemaValidator from "./SchemaValidator.ts"

/**
 * The arguments, repaired. Fails when they are still not what the tool's own `inputSchema` wants: the error says which
 * parameters, what was expected and what was found. Arguments that cannot be checked pass, and the log says so once for
 * each tool.
 */
export const args = Effect.fnUntraced(function*(
  tool: Pick<McpTool, "name" | "inputSchema">,
  given: Schema.JsonObject
): Effect.fn.Return<Schema.JsonObject, McpErrors.InvalidArguments> {
  const validator = yield* SchemaValidator.of(objectSchema(tool.inputSchema))
  const repaired = ArgumentRepair.repair(validator, given)
  const verdict = SchemaValidator.verdict(validator, repaired.errors)
  const violations = yield* violationsIn(tool.name, "inputSchema", tool.inputSchema, verdict)
  return violations.length === 0
    ? repaired.args
    : yield* new McpErrors.InvalidArguments({ tool: tool.name, detail: violations.join("; ") })
})

/**
 * Checks the structured content of an answer against the tool's `outputSchema` and gives one line about it, or none.
 * Errors are not checked, and nothing is done to the answer (R62).
 */
export const output = Effect.fnUntraced(function*(
  { name, outputSchema }: Pick<McpTool, "name" | "outputSchema">,
  { isError, structuredContent }: Pick<CallResult, "isError" | "structuredContent">
): Effect.fn.Return<ReadonlyArray<string>> {
  if (outputSchema === null || isError) return []
  const line = structuredContent === null
    ? "the tool declares an outputSchema, but its answer has no structuredContent"
    : mismatch(
      yield* violationsIn(
        name,
        "outputSchema",
        outputSchema,
        yield* SchemaValidator.check(outputSchema, structuredContent)
      )
    )
  if (line === null) return []
  yield* once(outputSchema, Effect.logInfo(`${name}: ${line}`))
  return [line]
})

const mismatch = (violations: ReadonlyArray<string>): string | null =>
  violations.length === 0 ? null : `structuredContent does not match the outputSchema: ${violations.join("; ")}`

const violationsIn = (
  tool: string,
  which: string,
  schema: Schema.JsonObject,
  verdict: SchemaValidator.Verdict
): Effect.Effect<ReadonlyArray<string>> =>
  verdict._tag === "Checked"
    ? Effect.succeed(verdict.violations.map(CleanText.clean))
    : Effect.as(once(schema, Effect.logInfo(`${tool}: the ${which} is not checked: ${verdict.why}`)), [])

const said = new WeakSet<Schema.JsonObject>()

const once = (schema: Schema.JsonObject, log: Effect.Effect<void>): Effect.Effect<void> =>
  Effect.suspend(() => {
    if (said.has(schema)) return Effect.void
    said.add(schema)
    return log
  })

/** Compiled validators belong to their schema object, so that this makes one object of one. */
const objects = new WeakMap<Schema.JsonObject, Schema.JsonObject>()

/** Arguments are an object, whatever type the root of a schema claims. */
const objectSchema = (schema: Schema.JsonObject): Schema.JsonObject => {
  if ([schema["type"] ?? "object"].flat().includes("object")) return schema
  const { type: _, ...rest } = schema
  const known = objects.get(schema) ?? rest
  objects.set(schema, known)
  return known
}
