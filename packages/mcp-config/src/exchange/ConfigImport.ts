/** Plans an import: which servers of another file are added or changed, and the entries to write. */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { SWITCH_KEYS } from "../entry/EnabledSwitch.ts"
import * as NativeEntry from "../entry/NativeEntry.ts"
import { NATIVE_KEYS } from "../entry/NativeKeys.ts"
import * as RelativePath from "../entry/RelativePath.ts"
import type { ServerEntry } from "../model/ServerEntry.ts"
import type { Found } from "../shapes/ConfigShape.ts"
import type { Note } from "../shapes/Shape.ts"
import type { Trouble } from "../text/Field.ts"
import * as JsonNode from "../text/JsonNode.ts"
import { byKey, type Member, type ObjectNode } from "../text/JsonNode.ts"
import * as JsonObjectText from "../text/JsonObjectText.ts"
import * as Nodes from "../text/Nodes.ts"
import * as EntryMeaning from "./EntryMeaning.ts"

/** The outcome for one server. */
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

/** A planned import. */
export interface Plan {
  readonly servers: ReadonlyArray<Incoming>
  /** Notes that belong to no server. */
  readonly notes: ReadonlyArray<Note>
}

/** How to import. */
export interface Options {
  /** Whether a server that is there and different is written over. */
  readonly isReplacing: boolean
  /** Where the file's relative paths start from. */
  readonly start: Start
  /** Whether everything is written switched off, because somebody else may have written the file. Default false. */
  readonly isHolding?: boolean
}

/**
 * Compares what a file holds with the servers that are there. A server that is there is never changed silently: it is
 * written only when that was asked for.
 */
export const plan = (found: Found, existing: ReadonlyArray<ServerEntry>, options: Options): Plan => {
  const there = new Map(existing.map((entry) => [entry.name, entry]))
  const names = [...byKey(found.servers).values()]
  const notes = Map.groupBy(found.notes, ({ server }) => server)
  return {
    servers: [
      ...names.map((member) =>
        incoming(member, { own: notes.get(member.key) ?? [], old: there.get(member.key), options })
      ),
      ...found.skipped.map((name) => skipped(name, notes.get(name) ?? []))
    ],
    notes: notes.get(null) ?? []
  }
}

interface Setting {
  readonly own: ReadonlyArray<Note>
  readonly old: ServerEntry | undefined
  readonly options: Options
}

const incoming = (member: JsonNode.Member, { old, options, own }: Setting): Incoming => {
  const placed = relocationPlace(member, options.start)
  const [entry] = NativeEntry.decodeServers({ type: "object", members: [placed.member], at: member.at }).entries
  const said = entry?.remarks.map((remark): Note => ({ server: member.key, ...remark, matters: true })) ?? []
  const notes = [...own, ...placed.notes, ...said]
  const value = JsonNode.toValue(placed.member.value)
  if (entry === undefined || Result.isFailure(entry.declaration) || !JsonObjectText.isObject(value)) {
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

/** The keys in their usual order, without those that say nothing, and one switch that says what the entry means. */
const tidy = (value: Schema.JsonObject, isEnabled: boolean): Schema.JsonObject => {
  const said = ORDER.flatMap((key) => {
    const one = value[key]
    return one === undefined || VALUES.has(key) && isNothing(one) ? [] : [[key, one] as const]
  })
  return Object.fromEntries(isEnabled ? said : [...said, ["enabled", false]])
}

const ORDER = ["type", ...NATIVE_KEYS.filter((key) => key !== "type" && !SWITCH_KEYS.includes(key))]

/** An empty list of tools says a lot; these say nothing when they are empty. */
const VALUES = new Set(["args", "env", "headers"])

const isNothing = (value: Schema.Json): boolean =>
  typeof value === "object" && value !== null && Object.keys(value).length === 0

const differing = (old: ServerEntry, entry: ServerEntry): ReadonlyArray<string> => {
  const [before, after] = [EntryMeaning.of(old), EntryMeaning.of(entry)]
  if (before === null || after === null) return ["the entry that is there cannot be used"]
  return EntryMeaning.differences(before, after)
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

// Paths of an entry that moves from one file to another: those that are relative start from another folder there.

/** The folder that relative paths start from: that of the new file, another one, or an unknown one. */
export type Start = "same" | "unknown" | { readonly folder: string }

/** An entry in its new place, and what that changed. */
export interface Placed {
  readonly member: Member
  readonly notes: ReadonlyArray<Note>
}

/** Rewrites relative paths so that they lead to the same place. With an unknown start they stay, and a note says so. */
const relocationPlace = (member: Member, start: Start): Placed => {
  const { value } = member
  if (value.type !== "object" || start === "same") return { member, notes: [] }
  return start === "unknown" ? lost(member, value) : moved(member, value, start.folder)
}

const PATHS = ["cwd", "envFile"]

/** Keys whose value starts from the folder of the file. */
const relativeKeys = (value: ObjectNode): ReadonlyArray<Member> =>
  value.members.filter(({ key, value }) =>
    (PATHS.includes(key) && isRelative(value)) ||
    (key === "roots" && (value.type === "array" ? value.items.some(isRelative) : isRelative(value)))
  )

const isRelative = (node: JsonNode.JsonNode): boolean => node.type === "string" && RelativePath.isRelative(node.value)

const nearKeys = ({ members }: ObjectNode): ReadonlyArray<Member> => {
  const isNear = (node: JsonNode.JsonNode) => node.type === "string" && RelativePath.isNear(node.value)
  return members.filter(({ key, value }) =>
    key === "command" && isNear(value) || key === "args" && value.type === "array" && value.items.some(isNear)
  )
}

/** A command line for a shell is not changed: who knows where in it a path stands. */
const helperNotes = (member: Member, value: ObjectNode): ReadonlyArray<Note> => {
  const helper = byKey(value.members).get("headersHelper")
  const text = helper?.value.type === "string" ? helper.value.value : ""
  const detail = "runs in the folder of the file here; write the whole path of the program"
  return helper !== undefined && RelativePath.isNear(text) ? [note(member, helper, detail, true)] : []
}

const lost = (member: Member, value: ObjectNode): Placed => {
  const keys = byKey(value.members)
  const near = keys.has("cwd") ? [] : nearKeys(value)
  const detail = "a relative path starts from the folder of the file here, and where it started there cannot be told"
  const notes = [...relativeKeys(value), ...near].map((one) => note(member, one, detail, true))
  return { member, notes: [...notes, ...helperNotes(member, value)] }
}

const moved = (member: Member, value: ObjectNode, folder: string): Placed => {
  const needsFolder = !byKey(value.members).has("cwd") && nearKeys(value).length > 0
  const changed = [
    ...relativeKeys(value).map((one) => ({ ...one, value: absolute(one.value, folder) })),
    ...(needsFolder ? [{ key: "cwd", at: member.at, value: Nodes.text(RelativePath.escaped(folder), member.at) }] : [])
  ]
  const kept = value.members.filter(({ key }) => !changed.some((one) => one.key === key))
  const notes = changed.map((one) =>
    note(member, one, `${one.key} is written as an absolute path, since the file stands in ${folder}`, false)
  )
  const placed: ObjectNode = { ...value, members: [...kept, ...changed] }
  return { member: { ...member, value: placed }, notes: [...notes, ...helperNotes(member, value)] }
}

const note = (
  server: Member,
  { at, key, path = `${server.path ?? server.key}.${key}` }: Member,
  detail: string,
  matters: boolean
): Note => ({
  server: server.key,
  at,
  key: path,
  detail,
  matters
})

const absolute = (node: JsonNode.JsonNode, folder: string): JsonNode.JsonNode => {
  if (node.type === "array") {
    return { ...node, items: node.items.map((item) => isRelative(item) ? absolute(item, folder) : item) }
  }
  const text = node.type === "string" ? node.value : ""
  return Nodes.text(RelativePath.below(RelativePath.escaped(folder), text), node.at)
}
