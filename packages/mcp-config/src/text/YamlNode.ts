/** YAML as a tree of values that know where they were written. */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import {
  type Alias,
  Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  parseDocument,
  Scalar,
  visit,
  type YAMLError
} from "yaml"
import { type Fault, type JsonNode, type Member, type Place, places, read } from "./JsonNode.ts"

/**
 * Reads one YAML 1.2 document. An alias stands for its anchor's value; merge keys and tags other than YAML's own are not
 * followed. Faults are also a key written twice, a key that is not a text, several documents, and aliases that make
 * more than 10,000 values of the text. Never throws.
 */
export const parse = (text: string): Result.Result<JsonNode, Fault> => read(text, parseBody)

const MAX_VALUES = 10_000

const parseBody = (body: string): Result.Result<JsonNode, Fault> => {
  // Looking for keys written twice takes the parser quadratic time.
  const document = parseDocument(body, { logLevel: "error", prettyErrors: false, uniqueKeys: false, merge: false })
  const placeOf = places(body)
  const [error] = document.errors.toSorted((a, b) => a.pos[0] - b.pos[0])
  if (error !== undefined) return Result.fail({ ...placeOf(error.pos[0]), detail: wordsFor(error) })
  const reader: Reader = { placeOf, fault: null, anchors: new Map(), aliasAt: null, copied: 0, within: new Set() }
  const root = nodeOf(document.contents, { line: 1, column: 1 }, reader)
  return reader.fault === null ? Result.succeed(root) : Result.fail(reader.fault)
}

interface Reader {
  readonly placeOf: (offset: number) => Place
  /** The first thing wrong. */
  fault: Fault | null
  readonly anchors: Map<string, unknown>
  /** Where the outermost alias stands that is being read. */
  aliasAt: Place | null
  copied: number
  readonly within: Set<string>
}

const nodeOf = (node: unknown, above: Place, reader: Reader): JsonNode => {
  const at = placeIn(node, above, reader)
  if (reader.within.size > 0) reader.copied += 1
  if (reader.fault !== null) return { type: "null", at }
  if (reader.copied > MAX_VALUES) return blame(reader, reader.aliasAt ?? at, "the aliases stand for too many values")
  if (isAlias(node)) return aliasOf(node, at, reader)
  if ((isScalar(node) || isMap(node) || isSeq(node)) && node.anchor !== undefined) reader.anchors.set(node.anchor, node)
  if (isSeq(node)) return { type: "array", items: node.items.map((item) => nodeOf(item, at, reader)), at }
  if (isMap(node)) return mapOf(node.items, at, reader)
  return isScalar(node) ? scalarOf(node.value, at) : { type: "null", at }
}

const placeIn = (node: unknown, above: Place, { placeOf }: Reader): Place => {
  const range = isAlias(node) || isScalar(node) || isMap(node) || isSeq(node) ? node.range : null
  return range === null || range === undefined ? above : placeOf(range[0])
}

const scalarOf = (value: unknown, at: Place): JsonNode => {
  if (typeof value === "string") return { type: "string", value, at }
  if (typeof value === "number") return { type: "number", value, at }
  if (typeof value === "boolean") return { type: "boolean", value, at }
  return { type: "null", at }
}

const mapOf = (
  pairs: ReadonlyArray<{ readonly key: unknown; readonly value: unknown }>,
  at: Place,
  reader: Reader
): JsonNode => {
  const seen = new Set<string>()
  const members = pairs.map((pair): Member => {
    const place = placeIn(pair.key, at, reader)
    const key = keyOf(pair.key)
    if (key === null) blame(reader, place, "a key must be a text")
    else if (seen.has(key)) blame(reader, place, "this key is written more than once")
    seen.add(key ?? "")
    return { key: key ?? "", at: place, value: nodeOf(pair.value, place, reader) }
  })
  return { type: "object", members, at }
}

/** Names such as `8080` and `true` are keys of a map, too. */
const keyOf = (key: unknown): string | null => {
  const value = isScalar(key) ? key.value : undefined
  if (typeof value === "string") return value
  return typeof value === "number" || typeof value === "boolean" ? String(value) : null
}

const aliasOf = (alias: Alias, at: Place, reader: Reader): JsonNode => {
  if (reader.within.has(alias.source)) return blame(reader, at, "an alias stands inside its own anchor")
  // The parser's own way to the anchor goes through the whole document each time.
  const target = reader.anchors.get(alias.source)
  if (target === undefined) return blame(reader, at, "there is no anchor of this alias's name before it")
  if (reader.within.size === 0) reader.aliasAt = at
  reader.within.add(alias.source)
  const value = nodeOf(target, at, reader)
  reader.within.delete(alias.source)
  return value
}

const blame = (reader: Reader, at: Place, detail: string): JsonNode => {
  reader.fault ??= { ...at, detail }
  return { type: "null", at }
}

const wordsFor = ({ code }: YAMLError): string => `this is not YAML: ${WORDS[code] ?? "this cannot stand here"}`

/** The parser's own words may hold a part of the text, and that may be a secret. */
const WORDS: Readonly<Partial<Record<YAMLError["code"], string>>> = {
  ALIAS_PROPS: "an alias cannot have an anchor or a tag",
  BAD_ALIAS: "this is not the name of an anchor",
  BAD_DIRECTIVE: "unknown directive",
  BAD_DQ_ESCAPE: "there is no such escape in double quotes",
  BAD_INDENT: "the indentation does not fit",
  BAD_SCALAR_START: "a text cannot start with this character; put it in quotes",
  BLOCK_AS_IMPLICIT_KEY: "a map or list cannot start here; put a text with a colon in quotes",
  BLOCK_IN_FLOW: "a map or list over several lines cannot stand in brackets",
  KEY_OVER_1024_CHARS: "a key has more than 1,024 characters",
  MISSING_CHAR: "a character is missing, such as a closing quote, a comma or a colon",
  MULTILINE_IMPLICIT_KEY: "a key must stand on one line",
  MULTIPLE_ANCHORS: "a value can have one anchor",
  MULTIPLE_DOCS: "there is more than one document",
  MULTIPLE_TAGS: "a value can have one tag",
  RESOURCE_EXHAUSTION: "nested too deeply to be read",
  TAB_AS_INDENT: "tabs cannot indent; use spaces",
  TAG_RESOLVE_FAILED: "the tag cannot be used"
}

// YAML texts: written anew, or changed so that comments and order stay.

/** Texts that an older reader of YAML would take for something else are quoted. */
const LAYOUT = { lineWidth: 0, compat: "yaml-1.1", flowCollectionPadding: false } as const

export const print = (value: Schema.JsonObject): Result.Result<string, null> =>
  Result.try({
    try: () => {
      const document = new Document()
      document.contents = quoted(document.createNode(value))
      return document.toString(LAYOUT)
    },
    catch: () => null
  })

/** In a block, space at an end of a text of several lines is lost. */
const quoted = <A extends Node>(node: A): A => {
  visit(node, {
    Scalar: (_, scalar) => {
      if (typeof scalar.value === "string" && /^\s|\s$/.test(scalar.value)) scalar.type = Scalar.QUOTE_DOUBLE
    }
  })
  return node
}

/** Sets members of the map under a path of a text that is YAML. Fails when that cannot be written. Never throws. */
export const set = (
  text: string,
  path: ReadonlyArray<string>,
  members: ReadonlyArray<readonly [string, Schema.Json]>
): Result.Result<string, null> =>
  edited(text, (document) => {
    for (const [name, value] of members) document.setIn([...path, name], quoted(document.createNode(value)))
  })

/** Removes a member of the map under a path. Fails when that cannot be written. Never throws. */
export const remove = (text: string, path: ReadonlyArray<string>, key: string): Result.Result<string, null> =>
  edited(text, (document) => document.deleteIn([...path, key]))

const edited = (text: string, change: (document: Document) => void): Result.Result<string, null> =>
  Result.try({
    try: () => {
      const document = parseDocument(text, { ...LAYOUT, uniqueKeys: false })
      change(document)
      return document.toString(LAYOUT)
    },
    catch: () => null
  })
