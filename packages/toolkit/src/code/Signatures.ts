/** Tools as the functions that a program calls: their signatures in TypeScript. Pure, bounded for any schema. */
import { Nearest } from "@boocode/mcp-config"
import type * as Schema from "effect/Schema"
import { isObject, own } from "../schema/JsonSchema.ts"
import * as Fitting from "../text/Fitting.ts"
import * as ProgramNames from "./ProgramNames.ts"
import type { ProgramFunction } from "./Sandbox.ts"
import * as TypeText from "./TypeText.ts"

/** A tool of which a program may be told. */
export interface Described extends ProgramNames.Named {
  readonly description: string | null
  readonly inputSchema: Schema.JsonObject
  /** The definition as its server listed it, where there is one. Its keys go before those of the other. */
  readonly listed?:
    | {
      readonly description: string | null
      readonly inputSchema: Schema.JsonObject
      readonly outputSchema: Schema.Json
    }
    | undefined
  /** Told before others. */
  readonly isAlwaysLoaded?: boolean
}

/** How much of a tool is told. */
interface Detail {
  readonly args: number
  readonly result: number
  readonly words: number
  readonly hasComments: boolean
}

const SHORT: Detail = { args: 400, result: 240, words: 100, hasComments: false }
const WHOLE: Detail = { args: 24_000, result: 12_000, words: 10_000, hasComments: true }

/** One line such as `files.read(args: { path: string }): Promise<string> // Reads a file`. */
export const line = (of: ProgramFunction, tool: Described): string => {
  const words = TypeText.comment(descriptionOf(tool), SHORT.words)
  return `${ProgramNames.written(of)}${typeOf(tool, SHORT)}${words === "" ? "" : ` // ${words}`}`
}

/** All that is known of a tool, as a program is told it by `boo.describe`. */
export const whole = (of: ProgramFunction, tool: Described): string => {
  const words = TypeText.comment(descriptionOf(tool), WHOLE.words)
  return `${words === "" ? "" : `/** ${words} */\n`}${ProgramNames.written(of)}${typeOf(tool, WHOLE)}`
}

/** All that is known of a function, by the name of its tool or as a program writes it; else the nearest names. */
export const answer = (
  name: string,
  tools: ReadonlyArray<Described>,
  functions: ReadonlyArray<ProgramFunction>
): string => {
  const at = functions.findIndex((of) => of.name === name || ProgramNames.written(of) === name)
  const [of, tool] = [functions[at], tools[at]]
  if (of !== undefined && tool !== undefined) return whole(of, tool)
  const near = Nearest.nearest(name, functions.map(ProgramNames.written))
  return `no function is called ${name}${near.length === 0 ? "" : `; did you mean ${near.join(" or ")}?`}`
}

/**
 * The lines of as many tools as have room, by server and name. Servers take turns, so that each shows some, those that are
 * always loaded first. Depends on the tools alone, not on their order. Empty for none. `among` are all that programs call:
 * they decide on the names.
 */
export const listing = (
  tools: ReadonlyArray<Described>,
  characters: number,
  among: ReadonlyArray<Described> = tools
): string => {
  const wanted = new Set(tools.map(({ name }) => name))
  const lines = pairs(among).filter(({ tool }) => wanted.has(tool.name)).map((one): Line => ({
    ...one,
    text: line(one.of, one.tool)
  }))
  const ordered = inTurns(lines)
  const shown = new Set(ordered.slice(0, Fitting.count(ordered, characters, ({ text }) => text.length + 1)))
  const more = lines.length - shown.size
  return [
    ...lines.filter((one) => shown.has(one)).map(({ text }) => text),
    ...(more === 0 ? [] : [`// and ${more} more`])
  ].join("\n")
}

/** Declarations of all functions that a program has, as an editor reads them. */
export const declarations = (tools: ReadonlyArray<Described>): string => {
  const named = pairs(tools)
  const servers = [...Map.groupBy(named, ({ of }) => of.server)].toSorted(([one], [other]) => compare(one, other))
  const blocks = servers.flatMap(([server, some]) =>
    server === null ? [] : [`declare const ${server}: {\n${some.map(member).join("\n")}\n}`]
  )
  const all = named.map((one) =>
    one.of.server === null
      ? member({ ...one, of: { ...one.of, tool: one.of.name } })
      : `  ${keyOf(one.of.name)}: typeof ${one.of.server}.${one.of.tool}`
  )
  return [...blocks, `declare const tools: {\n${all.join("\n")}\n}`, BOO, ""].join("\n\n").trimStart()
}

const BOO =
  "declare const boo: {\n  /** All that is known of a function. */\n  describe(name: string): Promise<string>\n}"

interface Pair {
  readonly of: ProgramFunction
  readonly tool: Described
}

interface Line extends Pair {
  readonly text: string
}

const pairs = (tools: ReadonlyArray<Described>): ReadonlyArray<Pair> => {
  const sorted = tools.toSorted((one, other) => compare(one.server, other.server) || compare(one.name, other.name))
  const functions = ProgramNames.functions(sorted)
  return sorted.flatMap((tool, at) => {
    const of = functions[at]
    return of === undefined ? [] : [{ of, tool }]
  })
}

const inTurns = (lines: ReadonlyArray<Line>): ReadonlyArray<Line> => {
  const first = lines.toSorted((one, other) => rankOf(one) - rankOf(other))
  const places = new Map<string | null, number>()
  const placed = first.map((one) => {
    const place = places.get(one.of.server) ?? 0
    places.set(one.of.server, place + 1)
    return { one, place }
  })
  return placed.toSorted((a, b) => a.place - b.place).map(({ one }) => one)
}

const rankOf = ({ tool }: Pair): number => tool.isAlwaysLoaded === true ? 0 : 1

const compare = (one: string | null, other: string | null): number => {
  const [left, right] = [one ?? "", other ?? ""]
  return left === right ? 0 : left < right ? -1 : 1
}

const member = ({ of, tool }: Pair): string => {
  const words = TypeText.comment(descriptionOf(tool), WHOLE.words)
  return `${words === "" ? "" : `  /** ${words} */\n`}  ${keyOf(of.tool)}${typeOf(tool, WHOLE)}`
}

const keyOf = (name: string): string => ProgramNames.isIdentifier(name) ? name : JSON.stringify(name)

const descriptionOf = ({ description, listed }: Described): string => (listed ?? { description }).description ?? ""

/** Arguments and result; a tool without parameters takes none. */
const typeOf = ({ inputSchema, listed }: Described, { args, hasComments, result }: Detail): string => {
  const input = listed?.inputSchema ?? inputSchema
  const given = argumentsOf(input, { characters: args, hasComments })
  const output = listed?.outputSchema ?? null
  const type = output === null ? "unknown" : TypeText.ofSchema(output, { characters: result, hasComments })
  return `(${given}): Promise<${type}>`
}

const argumentsOf = (input: Schema.JsonObject, options: TypeText.TypeOptions): string => {
  const required = own(input, "required")
  const type = TypeText.ofSchema(input, options)
  const isEmpty = type === "{}" || type === "object"
  if (isEmpty && (type === "{}" || isObject(own(input, "properties")))) return ""
  const isGiven = Array.isArray(required) && required.length > 0
  return `args${isGiven ? "" : "?"}: ${isEmpty || type === "unknown" ? "Record<string, unknown>" : type}`
}
