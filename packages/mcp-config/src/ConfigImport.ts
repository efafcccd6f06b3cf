/**
 * What bringing another file's servers in would change, and the servers as they would be written.
 */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { Found } from "./ConfigShape.ts"
import type { Trouble } from "./Field.ts"
import * as JsonNode from "./JsonNode.ts"
import * as Meaning from "./Meaning.ts"
import * as Relocation from "./Relocation.ts"
import type { ServerEntry } from "./ServerEntry.ts"
import { byKey } from "./shapes/EntryReader.ts"
import * as Native from "./shapes/Native.ts"
import { NATIVE_KEYS } from "./shapes/NativeKeys.ts"
import type { Note } from "./shapes/Shape.ts"
import * as Switch from "./shapes/Switch.ts"

/**
 * What becomes of one server.
 *
 * @category models
 */
export interface Incoming {
  readonly name: string
  /**
   * `added`: it is not there yet. `changed`: it is there and says something else. `unchanged`: it is there and means the
   * same. `skipped`: it cannot be had here, or cannot be used.
   */
  readonly outcome: "added" | "changed" | "unchanged" | "skipped"
  /** False for a changed one that was not to be replaced, an unchanged and a skipped one. */
  readonly isWritten: boolean
  readonly enabled: boolean
  /** True when it was on in its file and is written switched off. */
  readonly isHeld: boolean
  /** Null when that cannot be told. */
  readonly transport: ServerEntry["transport"]
  /** The keys that differ from what is there, for a changed one. Never a value. */
  readonly differences: ReadonlyArray<string>
  /** Everything the file says that has no place here, and why, or why it is skipped. */
  readonly notes: ReadonlyArray<Note>
  /** The native entry; null for a skipped one. */
  readonly entry: Schema.JsonObject | null
}

/**
 * What an import would do.
 *
 * @category models
 */
export interface Plan {
  readonly servers: ReadonlyArray<Incoming>
  /** Notes that belong to no server. */
  readonly notes: ReadonlyArray<Note>
}

/**
 * How to import.
 *
 * @category models
 */
export interface Options {
  /** Whether a server that is there and different is written over. */
  readonly isReplacing: boolean
  /** Where the file's relative paths start from. */
  readonly start: Relocation.Start
  /** Whether everything is written switched off, because a stranger may have written the file. Default false. */
  readonly isHolding?: boolean
}

/**
 * Compares what a file holds with the servers that are there. A server that is there is never changed silently: it is
 * written only when that was asked for.
 *
 * @category constructors
 */
export const plan = (found: Found, existing: ReadonlyArray<ServerEntry>, options: Options): Plan => {
  const there = new Map(existing.map((entry) => [entry.name, entry]))
  const names = [...byKey(found.servers).values()]
  const isAbout = (name: string) => (note: Note) => note.server === name
  return {
    servers: [
      ...names.map((member) => incoming(member, { found, old: there.get(member.key), options })),
      ...found.skipped.map((name) => skipped(name, found.notes.filter(isAbout(name))))
    ],
    notes: found.notes.filter(({ server }) => server === null)
  }
}

interface Setting {
  readonly found: Found
  readonly old: ServerEntry | undefined
  readonly options: Options
}

const incoming = (member: JsonNode.Member, { found, old, options }: Setting): Incoming => {
  const placed = Relocation.place(member, options.start)
  const [entry] = Native.decodeServers({ type: "object", members: [placed.member], at: member.at }).entries
  const own = found.notes.filter((note) => note.server === member.key)
  const said = entry?.remarks.map((remark): Note => ({ server: member.key, ...remark, matters: true })) ?? []
  const notes = [...own, ...placed.notes, ...said]
  const value = JsonNode.toValue(placed.member.value)
  if (entry === undefined || Result.isFailure(entry.declaration) || !isObject(value)) {
    const troubles = entry !== undefined && Result.isFailure(entry.declaration) ? entry.declaration.failure : []
    return skipped(member.key, [...notes, ...troubles.map((trouble) => inWords(member.key, trouble))])
  }
  const mayHold = options.isHolding === true && entry.enabled
  const differences = old === undefined ? [] : differing(old, entry).filter((key) => key !== "enabled" || !mayHold)
  const outcome = old === undefined ? "added" : differences.length === 0 ? "unchanged" : "changed"
  const isWritten = outcome === "added" || outcome === "changed" && options.isReplacing
  const isHeld = mayHold && isWritten
  const enabled = entry.enabled && !isHeld
  return {
    ...{ name: member.key, outcome, isWritten, enabled, isHeld, differences, notes },
    transport: entry.transport,
    entry: tidy(value, enabled)
  }
}

const isObject = (value: Schema.Json): value is Schema.JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The keys in their usual order, without those that say nothing, and one switch that says what the entry means. */
const tidy = (value: Schema.JsonObject, isEnabled: boolean): Schema.JsonObject => {
  const said = ORDER.flatMap((key) => {
    const one = value[key]
    return one === undefined || VALUES.has(key) && isNothing(one) ? [] : [[key, one] as const]
  })
  return Object.fromEntries(isEnabled ? said : [...said, ["enabled", false]])
}

const ORDER = ["type", ...NATIVE_KEYS.filter((key) => key !== "type" && !Switch.KEYS.includes(key))]

/** An empty list of tools says a lot; these say nothing when they are empty. */
const VALUES = new Set(["args", "env", "headers"])

const isNothing = (value: Schema.Json): boolean =>
  typeof value === "object" && value !== null && Object.keys(value).length === 0

const differing = (old: ServerEntry, entry: ServerEntry): ReadonlyArray<string> => {
  const [before, after] = [Meaning.of(old), Meaning.of(entry)]
  if (before === null || after === null) return ["the entry that is there cannot be used"]
  return Meaning.differences(before, after)
}

const skipped = (name: string, notes: ReadonlyArray<Note>): Incoming => ({
  name,
  outcome: "skipped",
  isWritten: false,
  enabled: false,
  isHeld: false,
  transport: null,
  differences: [],
  notes,
  entry: null
})

const inWords = (server: string, { at, detail, hint, key }: Trouble): Note => ({
  server,
  at,
  key,
  detail: `${detail}: ${hint}`,
  matters: true
})
