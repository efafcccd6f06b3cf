/** A JSON value that knows where it was written, so that whatever is wrong with it can be shown. */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { type Node, type ParseError, parseTree } from "jsonc-parser"
import * as JsonWords from "./JsonWords.ts"

/** A place in a text; both numbers start at 1. */
export interface Place {
  readonly line: number
  readonly column: number
}

/** One key of an object, with its value. `at` is where the key stands. */
export interface Member {
  readonly key: string
  readonly at: Place
  readonly value: JsonNode
  /** How the file calls it, when that is not its key: the whole path, for instance `mcp.github.environment`. */
  readonly path?: string
}

/** A JSON value and the place where it starts. Objects keep every member, also those written twice. */
export type JsonNode =
  & { readonly at: Place }
  & (
    | { readonly type: "object"; readonly members: ReadonlyArray<Member> }
    | { readonly type: "array"; readonly items: ReadonlyArray<JsonNode> }
    | { readonly type: "string"; readonly value: string }
    | { readonly type: "number"; readonly value: number }
    | { readonly type: "boolean"; readonly value: boolean }
    | { readonly type: "null" }
  )

/** A JSON object. */
export type ObjectNode = JsonNode & { readonly type: "object" }

/** The members by key; of those written more than once the last one, as JSON readers have it. */
export const byKey = (members: ReadonlyArray<Member>): ReadonlyMap<string, Member> =>
  new Map(members.map((member) => [member.key, member]))

/** The keys written more than once. */
export const repeatedKeys = (members: ReadonlyArray<Member>): ReadonlySet<string> => {
  const seen = new Set<string>()
  return new Set(members.map((member) => member.key).filter((key) => seen.size === seen.add(key).size))
}

/** Why a text or its top level cannot be used, and where. */
export interface Fault extends Place {
  readonly detail: string
}

/** The first place of a text, also used for values that were never text. */
export const START: Place = { line: 1, column: 1 }

/** Reads JSON; comments and trailing commas are accepted, anything else is a fault at the first wrong place. */
export const parse = (text: string): Result.Result<JsonNode, Fault> => read(text, parseBody)

/**
 * Reads a text with a parser that gives a tree, or throws where only the depth of the text can be the reason. A byte
 * order mark is left out; a text that is empty, longer than 1 MB or nested deeper than 100 levels is a fault.
 */
export const read = (
  text: string,
  parser: (body: string) => Result.Result<JsonNode, Fault>
): Result.Result<JsonNode, Fault> => {
  const body = text.startsWith("\uFEFF") ? text.slice(1) : text
  if (body.trim() === "") return Result.fail({ ...START, detail: "the file is empty" })
  if (body.length > MAX_CHARACTERS) return Result.fail({ ...START, detail: "the text has more than 1 MB" })
  const tree = Result.try({
    try: () => parser(body),
    catch: () => ({ ...START, detail: "nested too deeply to be read" })
  })
  return Result.flatMap(tree, (result) => Result.flatMap(result, limited))
}

const MAX_CHARACTERS = 1024 * 1024
const MAX_DEPTH = 100

const limited = (root: JsonNode): Result.Result<JsonNode, Fault> => {
  const deep = below(root, MAX_DEPTH)
  if (deep === null) return Result.succeed(root)
  return Result.fail({ ...deep.at, detail: `nested more than ${MAX_DEPTH} levels deep` })
}

/** The first value that stands more than so many levels below a value. */
const below = (node: JsonNode, levels: number): JsonNode | null => {
  if (levels < 0) return node
  for (const child of children(node)) {
    const found = below(child, levels - 1)
    if (found !== null) return found
  }
  return null
}

const children = (node: JsonNode): ReadonlyArray<JsonNode> =>
  node.type === "object" ? node.members.map((member) => member.value) : node.type === "array" ? node.items : []

/** Makes a tree of a value that was never text; every place is 1:1. Values that JSON does not have become null. */
export const fromValue = (value: unknown): JsonNode => {
  if (typeof value === "string") return { type: "string", value, at: START }
  if (typeof value === "number") return { type: "number", value, at: START }
  if (typeof value === "boolean") return { type: "boolean", value, at: START }
  if (Array.isArray(value)) return { type: "array", items: value.map(fromValue), at: START }
  if (typeof value !== "object" || value === null) return { type: "null", at: START }
  const written = Object.entries(value).filter(([, member]) => member !== undefined)
  const members = written.map(([key, member]) => ({ key, at: START, value: fromValue(member) }))
  return { type: "object", members, at: START }
}

/** The value as a program has it; of a key written more than once the last counts. */
export const toValue = (node: JsonNode): Schema.Json => {
  if (node.type === "null") return null
  if (node.type === "array") return node.items.map(toValue)
  if (node.type !== "object") return node.value
  return Object.fromEntries(node.members.map((member) => [member.key, toValue(member.value)]))
}

const parseBody = (body: string): Result.Result<JsonNode, Fault> => {
  const errors: Array<ParseError> = []
  const root = parseTree(body, errors, { allowTrailingComma: true })
  const placeOf = places(body)
  const first = errors.reduce<ParseError | undefined>(
    (a, b) => a === undefined || b.offset < a.offset ? b : a,
    undefined
  )
  if (first !== undefined) return Result.fail({ ...placeOf(first.offset), detail: JsonWords.of(first.error) })
  if (root === undefined) return Result.fail({ ...START, detail: "there is no JSON value" })
  return Result.succeed(fromNode(root, placeOf))
}

const fromNode = (node: Node, placeOf: (offset: number) => Place): JsonNode => {
  const at = placeOf(node.offset)
  if (node.type === "array") {
    return { type: "array", items: (node.children ?? []).map((item) => fromNode(item, placeOf)), at }
  }
  if (node.type === "object") {
    return { type: "object", members: (node.children ?? []).flatMap((member) => fromProperty(member, placeOf)), at }
  }
  return { ...fromValue(node.value), at }
}

const fromProperty = (property: Node, placeOf: (offset: number) => Place): ReadonlyArray<Member> => {
  const [key, value] = property.children ?? []
  if (key === undefined || value === undefined) return []
  return [{ key: String(key.value), at: placeOf(key.offset), value: fromNode(value, placeOf) }]
}

export const places = (text: string): (offset: number) => Place => {
  const starts = [0, ...Array.from(text.matchAll(/\r\n|\n|\r/g), (match) => match.index + match[0].length)]
  return (offset) => {
    let low = 0
    let high = starts.length - 1
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if ((starts[middle] ?? 0) <= offset) low = middle
      else high = middle - 1
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 }
  }
}
