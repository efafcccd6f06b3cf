/** The arguments and the structured content of a call against the schemas that the tool declares (Decision 12). */
import { type CallResult, CleanText, McpErrors, type McpTool } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import * as SchemaValidator from "./SchemaValidator.ts"

/**
 * Fails when arguments, already repaired, are not what the tool's own `inputSchema` wants: the error says which
 * parameters, what was expected and what was found. Arguments that cannot be checked pass, and the log says so once for
 * each tool.
 */
export const args = (
  tool: Pick<McpTool, "name" | "inputSchema">,
  given: Schema.JsonObject
): Effect.Effect<void, McpErrors.InvalidArguments> =>
  Effect.flatMapEager(
    violationsOf(tool.name, "inputSchema", objectSchema(tool.inputSchema), given),
    (violations) =>
      violations.length === 0
        ? Effect.void
        : Effect.fail(new McpErrors.InvalidArguments({ tool: tool.name, detail: violations.join("; ") }))
  )

/**
 * What is wrong with the structured content of an answer, by the tool's `outputSchema`: one line, or none. Errors are
 * not checked, and nothing is done to the answer (R62).
 */
export const output = (
  { name, outputSchema }: Pick<McpTool, "name" | "outputSchema">,
  { isError, structuredContent }: Pick<CallResult, "isError" | "structuredContent">
): Effect.Effect<ReadonlyArray<string>> => {
  if (outputSchema === null || isError) return NOTHING
  const found = structuredContent === null
    ? Effect.succeed("the tool declares an outputSchema, but its answer has no structuredContent")
    : Effect.mapEager(violationsOf(name, "outputSchema", outputSchema, structuredContent), mismatch)
  return Effect.flatMapEager(
    found,
    (line) => line === null ? NOTHING : Effect.as(once(outputSchema, Effect.logInfo(`${name}: ${line}`)), [line])
  )
}

const NOTHING: Effect.Effect<ReadonlyArray<string>> = Effect.succeed([])

const mismatch = (violations: ReadonlyArray<string>): string | null =>
  violations.length === 0 ? null : `structuredContent does not match the outputSchema: ${violations.join("; ")}`

const violationsOf = (
  tool: string,
  which: string,
  schema: Schema.JsonObject,
  value: Schema.Json
): Effect.Effect<ReadonlyArray<string>> =>
  Effect.flatMapEager(SchemaValidator.check(schema, value), (verdict) => {
    if (verdict._tag === "Checked") {
      return verdict.violations.length === 0 ? NOTHING : Effect.succeed(verdict.violations.map(CleanText.clean))
    }
    return Effect.as(once(schema, Effect.logInfo(`${tool}: the ${which} is not checked: ${verdict.why}`)), [])
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
  if (mayBeObject(schema["type"])) return schema
  const { type: _, ...rest } = schema
  const known = objects.get(schema) ?? rest
  objects.set(schema, known)
  return known
}

const mayBeObject = (type: Schema.Json | undefined): boolean =>
  type === undefined || type === "object" || (Array.isArray(type) && type.includes("object"))
