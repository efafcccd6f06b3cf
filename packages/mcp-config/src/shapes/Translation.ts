/**
 * One entry of another application's file on its way to the native shape: each key is moved, changed, or noted.
 */
import type { JsonNode, Member, Place } from "../JsonNode.ts"
import { nearest } from "../Nearest.ts"
import type { Dialect } from "./Dialect.ts"
import { byKey, type ObjectNode } from "./EntryReader.ts"
import { NATIVE_KEYS, STDIO_KEYS } from "./NativeKeys.ts"
import * as OAuthNames from "./OAuthNames.ts"
import { reasonFor } from "./Reasons.ts"
import type { Found, Note } from "./Shape.ts"
import * as Switch from "./Switch.ts"

/** An entry while it is translated. */
export class Translation {
  readonly name: string
  readonly path: string
  readonly node: ObjectNode
  readonly members: Array<Member> = []
  readonly notes: Array<Note> = []
  readonly #keys: ReadonlyMap<string, Member>
  readonly #repeated: ReadonlyArray<Member>
  readonly #seen = new Set<string>()
  readonly #dialect: Dialect
  isSkipped = false

  constructor(name: string, path: string, node: ObjectNode, dialect: Dialect) {
    this.name = name
    this.path = path
    this.node = node
    this.#keys = byKey(node.members)
    this.#repeated = node.members.filter((member) => this.#keys.get(member.key) !== member)
    this.#dialect = dialect
  }

  has(key: string): boolean {
    return this.#keys.has(key)
  }

  /** The member of a key, which counts as dealt with from now on; undefined when it is not there. */
  take(key: string): Member | undefined {
    this.#seen.add(key)
    return this.#keys.get(key)
  }

  /** The value of a key, without dealing with it. */
  peek(key: string): JsonNode | undefined {
    return this.#keys.get(key)?.value
  }

  /** Switches the entry off, on the strength of something that stands beside it in the file. */
  switchOff(): void {
    const { at } = this.node
    this.members.push({ key: "disabled", at, value: { type: "boolean", value: true, at }, path: this.path })
  }

  /** Says something in the native shape, on the strength of a member of the file. */
  say(key: string, value: JsonNode, from: Member, path = `${this.path}.${from.key}`): void {
    this.members.push({ key, at: from.at, value, path })
  }

  /** Moves a value, which means the same here; `change` says it in another unit or form. */
  move(from: string, to: string = from, change: (node: JsonNode) => JsonNode = (node) => node): void {
    const member = this.take(from)
    if (member !== undefined) this.say(to, change(member.value), member)
  }

  /** Moves texts, with their variables written as here. */
  moveTexts(from: string, to: string = from, change: (node: JsonNode) => JsonNode = (node) => node): void {
    this.move(from, to, (node) => this.translated(change(node), `${this.path}.${from}`))
  }

  /** A text, list or map of texts with the variables written as here. */
  translated(node: JsonNode, path: string): JsonNode {
    if (node.type === "array") {
      return { ...node, items: node.items.map((item, index) => this.translated(item, `${path}[${index}]`)) }
    }
    if (node.type === "object") {
      const inside = (member: Member) => this.translated(member.value, `${path}.${member.key}`)
      return { ...node, members: node.members.map((member) => ({ ...member, value: inside(member) })) }
    }
    if (node.type !== "string") return node
    const { remarks, text } = this.#dialect.toNative(node.value)
    for (const detail of remarks) this.note(node.at, path, detail)
    return { ...node, value: text }
  }

  /** Leaves a key out and says why; silent when it is not there. */
  drop(key: string, detail: string, matters = true): void {
    const member = this.take(key)
    if (member !== undefined) this.note(member.at, `${this.path}.${key}`, detail, matters)
  }

  note(at: Place, key: string, detail: string, matters = true): void {
    this.notes.push({ server: this.name, at, key, detail, matters })
  }

  /** Says that this is no server that could be had here. */
  skip(detail: string, matters = false): void {
    this.isSkipped = true
    this.note(this.node.at, this.path, detail, matters)
  }

  /** Deals with every key that nobody dealt with: native keys work in every shape, the others are noted. */
  rest(): void {
    for (const member of this.#keys.values()) {
      if (this.#seen.has(member.key)) continue
      if (NATIVE_KEYS.includes(member.key) || Switch.isLike(member)) this.#pass(member)
      else this.#unknown(member)
    }
    // What is written more than once stays so: the native reader says which counts, and what that means for a switch.
    for (const member of this.#repeated) if (NATIVE_KEYS.includes(member.key)) this.members.unshift(member)
  }

  #pass(member: Member): void {
    if (member.key === "oauth") this.moveTexts("oauth", "oauth", OAuthNames.read)
    else if (TEXTS.has(member.key)) this.moveTexts(member.key)
    else this.move(member.key)
  }

  #unknown(member: Member): void {
    const reason = reasonFor(member.key)
    if (reason !== null) return this.note(member.at, `${this.path}.${member.key}`, reason.detail, reason.matters)
    const meant = nearest(member.key, this.#keysMeant(), 1)
    const hint = meant.length === 0 ? "" : `; did you mean ${meant.join()}?`
    this.note(member.at, `${this.path}.${member.key}`, `unknown key, not read${hint}`)
  }

  /** The keys that this entry did not use, which may be those that were meant. */
  #keysMeant(): ReadonlyArray<string> {
    return [...this.#seen, ...NATIVE_KEYS].filter((key) => !this.#keys.has(key))
  }
}

const TEXTS = new Set([...STDIO_KEYS.filter((key) => key !== "inheritEnv"), "url", "headers", "headersHelper"])

/** Translates the entries of a map of servers, each with its own `translate`. */
export const each = (
  servers: ObjectNode,
  path: string,
  dialect: Dialect,
  translate: (entry: Translation) => void
): Found => {
  const found = servers.members.map((member) => one(member, `${path}.${member.key}`, dialect, translate))
  return {
    servers: found.flatMap(({ server }) => server === null ? [] : [server]),
    notes: found.flatMap(({ notes }) => notes),
    skipped: found.flatMap(({ name, server }) => server === null ? [name] : [])
  }
}

const one = (member: Member, path: string, dialect: Dialect, translate: (entry: Translation) => void) => {
  const name = member.key
  // What is no object is refused by the native reader, in its words.
  if (member.value.type !== "object") return { name, server: { ...member, path }, notes: [] }
  const entry = new Translation(name, path, member.value, dialect)
  translate(entry)
  if (!entry.isSkipped) entry.rest()
  const value: ObjectNode = { ...member.value, members: entry.members }
  return { name, server: entry.isSkipped ? null : { ...member, value, path }, notes: entry.notes }
}

/** Puts what was found in several places together. Of one name the first wins, which is noted. */
export const merge = (all: ReadonlyArray<Found>): Found => {
  const servers = new Map<string, Member>()
  const notes: Array<Note> = []
  for (const found of all) {
    notes.push(...found.notes)
    for (const server of found.servers) {
      const { at, key, path = key } = server
      const first = servers.get(key)
      if (first === undefined) servers.set(key, server)
      else notes.push({ server: key, at, key: path, detail: `${first.path ?? key} goes before it`, matters: false })
    }
  }
  return { servers: [...servers.values()], notes, skipped: all.flatMap((found) => found.skipped) }
}

/** Nothing but a note about the file. */
export const nothing = (at: Place, key: string, detail: string, matters = true): Found => ({
  servers: [],
  notes: [{ server: null, at, key, detail, matters }],
  skipped: []
})
