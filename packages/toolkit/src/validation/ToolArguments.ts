/**
 * Arguments from a model, a script or a person as the one JSON object that a server takes
 * (docs/decisions.md#decision-9-arguments).
 */
import { JsonWords } from "@boocode/mcp-config"
import { McpErrors, type McpTool } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { parse as parseJson, type ParseError } from "jsonc-parser"
import * as JsonSize from "../schema/JsonSize.ts"
import * as ArgumentRepair from "./ArgumentRepair.ts"
import * as CallCheck from "./CallCheck.ts"
import * as SchemaValidator from "./SchemaValidator.ts"

/**
 * Missing, null and blank arguments become `{}`, the text of a JSON object becomes that object, also when it is written
 * as JSON once more; an object stays as it is. Everything else is an `InvalidArguments` that says what it is or, for
 * text that is not JSON, the line and column of the trouble. `tool` is the name to put into the error.
 */
export const parse = (tool: string, args: unknown): Result.Result<Schema.JsonObject, McpErrors.InvalidArguments> => {
  if (typeof args !== "string") return fromValue(tool, args)
  if (args.trim() === "") return Result.succeed({})
  return Result.match(Result.try((): unknown => JSON.parse(args)), {
    // Some models write JSON into JSON; no string is what a tool takes.
    onSuccess: (value) => typeof value === "string" ? unwrapped(tool, value) : fromValue(tool, value),
    onFailure: (error) => invalid(tool, `not JSON at ${place(args, String(error))}`)
  })
}

/**
 * The arguments as the schema wants them, where that can be told for sure: see `ArgumentRepair.repair`. Valid arguments
 * stay as they are, and what is wrong otherwise stays wrong.
 */
export const repair = (schema: Schema.JsonObject, args: Schema.JsonObject): Effect.Effect<Schema.JsonObject> =>
  Effect.map(SchemaValidator.of(schema), (validator) => ArgumentRepair.repair(validator, args).args)

/**
 * Arguments read, repaired and checked against the tool's own schema: what may be sent. Fails for what cannot be used,
 * with which parameter, what was expected and what was found. Arguments that cannot be checked pass.
 */
export const usable = (
  tool: Pick<McpTool, "name" | "inputSchema">,
  args: unknown
): Effect.Effect<Schema.JsonObject, McpErrors.InvalidArguments> =>
  Effect.flatMap(
    Effect.suspend(() => Effect.fromResult(parse(tool.name, args))),
    (given) => CallCheck.args(tool, given)
  )

/** Loads what the first check needs, for callers that wait for the tool's server anyway. */
export const preload: Effect.Effect<void> = SchemaValidator.preload

const unwrapped = (tool: string, text: string) =>
  Result.orElse(parse(tool, text), () => invalid(tool, "expected a JSON object, got a string"))

const fromValue = (
  tool: string,
  value: unknown
): Result.Result<Schema.JsonObject, McpErrors.InvalidArguments> => {
  if (value === undefined || value === null) return Result.succeed({})
  if (!JsonSize.isWithin(value, Number.POSITIVE_INFINITY, JsonSize.MAX_DEPTH)) {
    return invalid(tool, `nested deeper than ${JsonSize.MAX_DEPTH} levels`)
  }
  return isJsonObject(value) ? Result.succeed(value) : invalid(tool, `expected a JSON object, got ${kind(value)}`)
}

const isJsonObject = (value: unknown): value is Schema.JsonObject =>
  Predicate.isObject(value) && Object.values(value).every(JsonSize.isJson)

const invalid = (tool: string, detail: string) => Result.fail(new McpErrors.InvalidArguments({ tool, detail }))

// JSON.parse mostly keeps the position to itself; the other parser would take "__proto__" for the prototype.
const place = (text: string, otherwise: string): string => {
  const errors: Array<ParseError> = []
  parseJson(text, errors, { disallowComments: true, allowTrailingComma: false })
  const first = errors[0] ?? { offset: 0, error: null }
  const before = text.slice(0, first.offset).split("\n")
  const column = (before.at(-1) ?? "").length + 1
  const what = first.error === null ? otherwise : JsonWords.of(first.error)
  const found = first.offset >= text.length ? "the end" : JSON.stringify(text.slice(first.offset, first.offset + 20))
  return `line ${before.length}, column ${column}: ${what}, found ${found}`
}

const kind = (value: unknown): string =>
  Array.isArray(value) ? "an array" : typeof value === "object" ? "an object that is not JSON" : `a ${typeof value}`
