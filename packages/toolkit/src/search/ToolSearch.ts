/** Finding tools by what somebody says they should do. */
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import { isObject } from "../schema/JsonSchema.ts"
import { type Field, SearchIndex } from "./SearchIndex.ts"
import * as Words from "./Words.ts"

/** The fields of a tool that a search looks at; tools of agents and of registries have them. */
export interface Searchable {
  /** The name that models use. Unique. */
  readonly name: string
  readonly server: string | null
  /** The raw name. */
  readonly tool?: string | undefined
  readonly title?: string | null | undefined
  readonly description: string | null
  readonly inputSchema: Schema.JsonObject
}

/** A tool that a search found. */
export interface Found {
  readonly name: string
  /** Above 0, and comparable within one search only. */
  readonly score: number
}

/** How to search. */
export interface SearchOptions {
  /** Default 10. */
  readonly limit?: number | undefined
  /** Which tools may be found, by name; without it all. */
  readonly allows?: ((name: string) => boolean) | undefined
}

/** How many tools came and went. */
export interface Change {
  readonly added: number
  readonly removed: number
}

/** So many take about five milliseconds. */
const STEP = 250

/** An index of tools in memory, changed in place; one for a whole program. */
export interface ToolSearch {
  /**
   * Makes the index hold exactly these tools, and says how many came and went. A tool that is there already, the very
   * object or one that reads the same, costs a comparison.
   */
  readonly update: (tools: ReadonlyArray<Searchable>) => Change
  /**
   * Updates a few milliseconds at a time, so that a program goes on with other work meanwhile; one such update at a
   * time. Searches in between see a part of what changes, and interruption leaves a part undone.
   */
  readonly updateInSteps: (tools: ReadonlyArray<Searchable>) => Effect.Effect<Change>
  /**
   * The best tools, the best first: those whose exact name was given, in any way of writing it, then by how well names,
   * titles, servers, descriptions and parameters fit. Forgives slips of the hand, case, accents and plurals, and finds
   * words by their beginning. The order depends on the tools alone, not on how they came.
   */
  readonly search: (query: string, options?: SearchOptions) => ReadonlyArray<Found>
}

/** An empty index. */
export const make = (): ToolSearch => {
  const index = new SearchIndex()
  const held = new Map<string, Searchable>()
  const names = new Map<string, Array<string>>()

  const remove = (tool: Searchable): void => {
    index.remove(tool.name, fields(tool))
    held.delete(tool.name)
    for (const key of exactKeys(tool)) {
      const known = names.get(key) ?? []
      const at = known.indexOf(tool.name)
      if (at >= 0) known.splice(at, 1)
      if (known.length === 0) names.delete(key)
    }
  }
  const add = (tool: Searchable): void => {
    index.add(tool.name, fields(tool))
    held.set(tool.name, tool)
    for (const key of exactKeys(tool)) {
      const others = names.get(key)
      if (others === undefined) names.set(key, [tool.name])
      else others.push(tool.name)
    }
  }

  const semaphore = Semaphore.makeUnsafe(1)
  const difference = (tools: ReadonlyArray<Searchable>) => {
    const wanted = new Map(tools.map((tool) => [tool.name, tool]))
    const gone = [...held.values()].filter((tool) => !isSame(tool, wanted.get(tool.name)))
    const leaving = new Set(gone.map(({ name }) => name))
    const come = [...wanted.values()].filter(({ name }) => leaving.has(name) || !held.has(name))
    return { gone, come }
  }

  return {
    update: (tools) => {
      const { come, gone } = difference(tools)
      gone.forEach(remove)
      come.forEach(add)
      return { added: come.length, removed: gone.length }
    },
    updateInSteps: Effect.fnUntraced(function*(tools: ReadonlyArray<Searchable>) {
      const { come, gone } = difference(tools)
      // A call of `update` in between may have done some of it.
      yield* inSteps(gone, (tool) => held.get(tool.name) === tool ? remove(tool) : undefined)
      yield* inSteps(come, (tool) => held.has(tool.name) ? undefined : add(tool))
      return { added: come.length, removed: gone.length }
    }, semaphore.withPermit),
    search: (query, { allows = () => true, limit = 10 } = {}) => {
      const exact = spelt(query).flatMap((key) => names.get(key) ?? [])
      const called = new Set(exact.filter(allows))
      const found = index.search(query, limit + called.size, allows)
      const best = found[0]?.score ?? 1
      const scores = new Map(found.map(({ name, score }) => [name, score]))
      const first = [...called].map((name) => ({ name, score: best + (scores.get(name) ?? 0) })).toSorted(bestFirst)
      return [...first, ...found.filter(({ name }) => !called.has(name))].slice(0, limit)
    }
  }
}

const inSteps = Effect.fnUntraced(function*<A>(all: ReadonlyArray<A>, work: (one: A) => void) {
  for (let at = 0; at < all.length; at += STEP) {
    if (at > 0) yield* Effect.yieldNow
    all.slice(at, at + STEP).forEach(work)
  }
})

const bestFirst = (one: Found, other: Found): number => other.score - one.score || (one.name < other.name ? -1 : 1)

const isSame = (one: Searchable, other: Searchable | undefined): boolean =>
  one === other || (other !== undefined && JSON.stringify(read(one)) === JSON.stringify(read(other)))

const read = ({ description, inputSchema, server, title, tool }: Searchable) =>
  [server, tool ?? null, title ?? null, description, inputSchema] as const

const exactKeys = ({ name, title, tool }: Searchable): ReadonlyArray<string> =>
  [...new Set([name, tool ?? name, title ?? name].map(Words.squashed))].filter((key) => key !== "")

/** The whole query as a name, and each of its words that looks like a name of several parts. */
const spelt = (query: string): ReadonlyArray<string> => {
  const short = query.slice(0, 1000)
  const pieces = short.split(/[^\p{L}\p{M}\p{N}_-]+/u).filter((piece) => /[^_-][_-]+[^_-]|\p{Ll}\p{Lu}/u.test(piece))
  return [...new Set([short, ...pieces].map(Words.squashed))]
}

const NAME = 30
const TITLE = 20
const SERVER = 10
const DESCRIPTION = 10
const PARAMETER_NAME = 7
const PARAMETER_DESCRIPTION = 4

/** A server may write as much as it likes; what nobody would read is not indexed. */
const MAX_TEXT = 1000
const MAX_PARAMETERS = 32
const MAX_PARAMETER_TEXT = 120

const fields = ({ description, inputSchema: { properties }, name, server, title, tool }: Searchable) => {
  const texts: Array<Field> = [
    { text: (tool ?? name).slice(0, MAX_TEXT), weight: NAME },
    { text: (title ?? "").slice(0, MAX_TEXT), weight: TITLE },
    { text: (server ?? "").slice(0, MAX_TEXT), weight: SERVER },
    { text: (description ?? "").slice(0, MAX_TEXT), weight: DESCRIPTION }
  ]
  if (!isObject(properties)) return texts
  for (const parameter of Object.keys(properties).slice(0, MAX_PARAMETERS)) {
    const schema = properties[parameter]
    const told = isObject(schema) ? schema["description"] : undefined
    texts.push({ text: parameter.slice(0, MAX_PARAMETER_TEXT), weight: PARAMETER_NAME })
    if (typeof told === "string") {
      texts.push({ text: told.slice(0, MAX_PARAMETER_TEXT), weight: PARAMETER_DESCRIPTION })
    }
  }
  return texts
}
