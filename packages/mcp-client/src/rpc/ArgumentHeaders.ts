/**
 * Arguments that a tool wants in headers as well (`x-mcp-header`, 2026-07-28 over HTTP), so that what stands between the
 * two sides can route by them.
 */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as HeaderText from "../base/HeaderText.ts"
import * as JsonRpc from "../base/JsonRpc.ts"

/** An argument that goes into a header. */
export interface Declaration {
  /** Where it is among the arguments. */
  readonly path: ReadonlyArray<string>
  readonly header: string
}

/** Which arguments of a tool go into headers; the failure says why its declaration is none. */
export const declarationsOf = (
  inputSchema: Schema.Json | undefined
): Result.Result<ReadonlyArray<Declaration>, string> =>
  Result.gen(function*() {
    const found: Array<Declaration> = []
    for (const subschema of subschemas(inputSchema ?? null)) {
      if (!(KEY in subschema.schema)) continue
      const path = pathOf(subschema.at)
      const declaration = yield* declarationOf(subschema, path)
      const twin = found.find(({ header }) => header.toLowerCase() === declaration.header.toLowerCase())
      if (twin !== undefined) return yield* wrong(path, `its header ${declaration.header} is declared twice`)
      if (found.push(declaration) > MOST) return yield* wrong(path, `there are more than ${MOST}`)
    }
    return found
  })

/** The headers of a call. An argument that is null or absent has none. */
export const headersOf = (
  declarations: ReadonlyArray<Declaration>,
  args: Schema.JsonObject
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    declarations.flatMap(({ header, path }) => {
      const text = textOf(at(args, path))
      return text === null
        ? []
        : [[`Mcp-Param-${header}`, HeaderText.encode(text)]]
    })
  )

const KEY = "x-mcp-header"
const TYPES: ReadonlyArray<Schema.Json | undefined> = ["string", "integer", "boolean"]
/** A name of a header (RFC 9110, 5.1). */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/

/** More headers of one call are not sent. */
const MOST = 100

const wrong = (path: ReadonlyArray<string>, why: string) =>
  Result.fail(
    `its ${KEY} is invalid: ${why} (${path.length === 0 ? "the whole schema" : path.join(".").slice(0, 200)})`
  )

const declarationOf = (
  { isReachable, schema }: Subschema,
  path: ReadonlyArray<string>
): Result.Result<Declaration, string> => {
  const { [KEY]: header, type } = schema
  if (!isReachable || path.length === 0) return wrong(path, "only what is reached by properties alone may have one")
  if (typeof header !== "string" || !TOKEN.test(header)) return wrong(path, "it is no name of a header")
  if (!TYPES.includes(type)) return wrong(path, "only a string, an integer or a boolean may have one")
  return Result.succeed({ path, header })
}

/** A place in a schema, the last step first: most places are never asked for their path. */
interface At {
  readonly name: string
  readonly up: At | null
}

const pathOf = (at: At | null): ReadonlyArray<string> => {
  const path: Array<string> = []
  for (let step = at; step !== null; step = step.up) path.push(step.name)
  return path.reverse()
}

interface Node {
  readonly node: Schema.Json
  readonly at: At | null
  /** False where it does not say which argument it is about. */
  readonly isReachable: boolean
}

interface Subschema extends Omit<Node, "node"> {
  readonly schema: Schema.JsonObject
}

/** Without recursion: a schema may be nested thousands of levels deep. */
function* subschemas(root: Schema.Json): Generator<Subschema> {
  const left: Array<Node> = [{ node: root, at: null, isReachable: true }]
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { at, isReachable, node } = next
    if (Array.isArray(node)) { for (const item of node) left.push({ node: item, at, isReachable: false }) }
    if (!JsonRpc.isObject(node)) continue
    yield { schema: node, at, isReachable }
    for (const [key, value] of Object.entries(node)) {
      for (const found of within(key, value, next)) left.push(found)
    }
  }
}

/** The schemas below a keyword. */
const within = (key: string, value: Schema.Json, { at, isReachable }: Node): ReadonlyArray<Node> => {
  if (key === "properties" && JsonRpc.isObject(value)) {
    return Object.entries(value).map(([name, node]) => ({ node, at: { name, up: at }, isReachable }))
  }
  const up = { name: key, up: at }
  if (BY_NAME.has(key) && JsonRpc.isObject(value)) {
    return Object.values(value).map((node) => ({ node, at: up, isReachable: false }))
  }
  return OF_SCHEMAS.has(key) ? [{ node: value, at: up, isReachable: false }] : []
}

/** Keywords that hold schemas by name. */
const BY_NAME: ReadonlySet<string> = new Set(["$defs", "definitions", "dependentSchemas", "patternProperties"])
/** Keywords that hold a schema, or a list of them. */
const OF_SCHEMAS: ReadonlySet<string> = new Set([
  "additionalProperties",
  "allOf",
  "anyOf",
  "contains",
  "else",
  "if",
  "items",
  "not",
  "oneOf",
  "prefixItems",
  "propertyNames",
  "then",
  "unevaluatedItems",
  "unevaluatedProperties"
])

const at = (args: Schema.Json, path: ReadonlyArray<string>): Schema.Json | undefined =>
  path.reduce<Schema.Json | undefined>(
    (value, key) =>
      value !== undefined && JsonRpc.isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined,
    args
  )

/** Null for what has no header: nothing, lists and objects, and numbers that text would change. */
const textOf = (value: Schema.Json | undefined): string | null => {
  if (typeof value === "string") return value
  if (typeof value === "boolean") return String(value)
  const isNumber = typeof value === "number" && Number.isFinite(value)
  return isNumber && (!Number.isInteger(value) || Number.isSafeInteger(value)) ? String(value) : null
}
