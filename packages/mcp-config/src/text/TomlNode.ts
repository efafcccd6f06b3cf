/** TOML as a tree of values that know where they were written. */
import * as Result from "effect/Result"
import { type AST, ParseError, parseTOML } from "toml-eslint-parser"
import { type Fault, type JsonNode, type Member, type Place, places, read } from "./JsonNode.ts"

/** Reads TOML 1.0. Dates become their text. A key that is defined twice is a fault, as TOML has it. Never throws. */
export const parse = (text: string): Result.Result<JsonNode, Fault> => read(text, parseBody)

const parseBody = (body: string): Result.Result<JsonNode, Fault> => {
  const program = Result.try({ try: () => parseTOML(body, { tomlVersion: "1.0" }), catch: (error) => error })
  const placeOf = places(body)
  if (Result.isSuccess(program)) return Result.succeed(new Tree(placeOf).of(program.success))
  const error = program.failure
  if (!(error instanceof ParseError)) return Result.fail({ line: 1, column: 1, detail: "nested too deeply to be read" })
  const detail = `this is not TOML: ${error.message.slice(0, 1).toLowerCase()}${error.message.slice(1)}`
  return Result.fail({ ...placeOf(Math.min(error.index, body.length)), detail })
}

/** A table while it is filled: TOML adds to a table from several places. */
interface Table {
  readonly type: "table"
  readonly at: Place
  readonly members: Map<string, { readonly at: Place; readonly value: Draft }>
}

/** An array of tables while it is filled. */
interface Tables {
  readonly type: "tables"
  readonly at: Place
  readonly items: Array<Draft>
}

type Draft = Table | Tables | JsonNode

const table = (at: Place): Table => ({ type: "table", at, members: new Map() })

/** Builds the tree. The parser counts lines in its own way, so places come from offsets. */
class Tree {
  readonly #placeOf: (offset: number) => Place

  constructor(placeOf: (offset: number) => Place) {
    this.#placeOf = placeOf
  }

  of(program: AST.TOMLProgram): JsonNode {
    const root = table({ line: 1, column: 1 })
    for (const item of program.body[0].body) {
      if (item.type === "TOMLKeyValue") this.#assign(root, item)
      else {
        const target = descend(root, item.resolvedKey, this.#at(item))
        if (target.type === "table") { for (const pair of item.body) this.#assign(target, pair) }
      }
    }
    return finish(root)
  }

  #at({ range }: AST.TOMLNode): Place {
    return this.#placeOf(range[0])
  }

  #assign(target: Table, pair: AST.TOMLKeyValue): void {
    const at = this.#at(pair.key)
    const names = pair.key.keys.map((key) => key.type === "TOMLBare" ? key.name : key.value)
    const parent = descend(target, names.slice(0, -1), at)
    const last = names.at(-1)
    if (parent.type === "table" && last !== undefined) parent.members.set(last, { at, value: this.#value(pair.value) })
  }

  #value(node: AST.TOMLContentNode): Draft {
    const at = this.#at(node)
    if (node.type === "TOMLArray") return { type: "tables", at, items: node.elements.map((item) => this.#value(item)) }
    if (node.type === "TOMLInlineTable") {
      const inline = table(at)
      for (const pair of node.body) this.#assign(inline, pair)
      return inline
    }
    if (node.kind === "boolean") return { type: "boolean", value: node.value, at }
    if (node.kind === "integer" || node.kind === "float") return { type: "number", value: node.value, at }
    return { type: "string", value: node.kind === "string" ? node.value : node.datetime, at }
  }
}

/** The table or list under a path, made where it is not there yet. */
const descend = (start: Draft, path: ReadonlyArray<string | number>, at: Place): Draft =>
  path.reduce<Draft>((draft, key, index) => {
    const made = () => typeof path[index + 1] === "number" ? { type: "tables" as const, at, items: [] } : table(at)
    if (draft.type === "table" && typeof key === "string") {
      const value = draft.members.get(key)?.value ?? made()
      if (!draft.members.has(key)) draft.members.set(key, { at, value })
      return value
    }
    if (draft.type !== "tables" || typeof key !== "number") return draft
    const value = draft.items[key] ?? made()
    draft.items[key] = value
    return value
  }, start)

const finish = (draft: Draft): JsonNode => {
  if (draft.type === "tables") return { type: "array", items: draft.items.map(finish), at: draft.at }
  if (draft.type !== "table") return draft
  const members = Array.from(draft.members, ([key, { at, value }]): Member => ({ key, at, value: finish(value) }))
  return { type: "object", members, at: draft.at }
}
