/** One entry of another application's file on its way to the native shape: each key is moved, changed, or noted. */
import * as Result from "effect/Result"
import { isLike } from "../entry/EnabledSwitch.ts"
import { isLikeAudience, NATIVE_KEYS, reasonFor, STDIO_KEYS } from "../entry/NativeKeys.ts"
import { nearest } from "../model/Nearest.ts"
import { byKey, type Fault, type JsonNode, type Member, type ObjectNode, type Place } from "../text/JsonNode.ts"
import * as Nodes from "../text/Nodes.ts"
import type { Found, Note } from "./Shape.ts"
import type { VariableSyntax } from "./VariableSyntax.ts"

/** An entry while it is translated. */
export class Decoding {
  readonly name: string
  readonly path: string
  readonly node: ObjectNode
  readonly members: Array<Member> = []
  readonly notes: Array<Note> = []
  readonly #keys: ReadonlyMap<string, Member>
  readonly #repeated: ReadonlyArray<Member>
  readonly #seen = new Set<string>()
  readonly #dialect: VariableSyntax
  isSkipped = false

  constructor(name: string, path: string, node: ObjectNode, dialect: VariableSyntax) {
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

  /** Handles the keys that `translate` did not take: native keys work in every shape, the others are noted. */
  rest(): void {
    for (const member of this.#keys.values()) {
      if (this.#seen.has(member.key)) continue
      const isNative = NATIVE_KEYS.includes(member.key) || isLikeAudience(member.key)
      if (isNative || isLike(member)) this.#pass(member)
      else this.#unknown(member)
    }
    // Keys that are written twice stay twice, so that the native reader can warn, and refuse a switch that disagrees.
    for (const member of this.#repeated) if (NATIVE_KEYS.includes(member.key)) this.members.unshift(member)
  }

  #pass(member: Member): void {
    if (member.key === "oauth") this.moveTexts("oauth", "oauth", inNativeOAuth)
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
  dialect: VariableSyntax,
  translate: (entry: Decoding) => void
): Found => {
  const found = servers.members.map((member) => one(member, `${path}.${member.key}`, dialect, translate))
  return {
    servers: found.flatMap(({ server }) => server === null ? [] : [server]),
    notes: found.flatMap(({ notes }) => notes),
    skipped: found.flatMap(({ name, server }) => server === null ? [name] : [])
  }
}

const one = (member: Member, path: string, dialect: VariableSyntax, translate: (entry: Decoding) => void) => {
  const name = member.key
  // The native reader refuses values that are not objects.
  if (member.value.type !== "object") return { name, server: { ...member, path }, notes: [] }
  const entry = new Decoding(name, path, member.value, dialect)
  translate(entry)
  if (!entry.isSkipped) entry.rest()
  const value: ObjectNode = { ...member.value, members: entry.members }
  return { name, server: entry.isSkipped ? null : { ...member, value, path }, notes: entry.notes }
}

/** Joins the servers of several places. The first of one name wins, and a note says so. */
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

// Files with one map of servers, such as `mcpServers`.

export interface Reading {
  readonly dialect: VariableSyntax
  readonly translate: (entry: Decoding) => void
  /** Where the entries stand. Default `mcpServers`. */
  readonly path?: ReadonlyArray<string>
}

/** Finds and translates the map of servers. A file without one has no servers, which is noted. */
export const decodeFamily = (root: JsonNode, reading: Reading): Result.Result<Found, Fault> => {
  const path = reading.path ?? SERVERS
  const name = path.join(".")
  if (root.type !== "object") return Result.fail({ ...root.at, detail: `expected an object with "${name}"` })
  const servers = path.reduce<JsonNode | undefined>((node, key) => Nodes.memberOf(node, key)?.value, root)
  if (servers === undefined) return Result.succeed(nothing(root.at, name, "not in this file, so there are no servers"))
  if (servers.type !== "object") {
    return Result.fail({ ...servers.at, detail: `"${name}" must be an object of servers by name` })
  }
  return Result.succeed(each(servers, name, reading.dialect, reading.translate))
}

export const decodeMap = (servers: ObjectNode, path: string, reading: Reading): Found =>
  each(servers, path, reading.dialect, reading.translate)

const SERVERS = ["mcpServers"]

// The keys of `oauth` under the names of other applications.

/** Their names, by the native one. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ["client_id", "clientId"], // Codex, opencode
  ["CLIENT_ID", "clientId"], // Cursor
  ["client_secret", "clientSecret"], // opencode
  ["CLIENT_SECRET", "clientSecret"], // Cursor
  ["scope", "scopes"], // opencode
  ["callback_port", "callbackPort"], // Codex, opencode
  ["redirect_uri", "redirectUri"], // opencode
  ["callback_url", "redirectUri"], // Codex
  ["redirectUrl", "redirectUri"], // 1MCP
  ["authServerMetadataUrl", "issuer"] // Claude Code
])

/** The value under native names. Switches for signing in and for registration are left out: native entries have none. */
export const inNativeOAuth = (node: JsonNode): JsonNode => {
  if (node.type !== "object") return node
  const isOff = node.members.some(({ key, value }) => key === "enabled" && value.type === "boolean" && !value.value)
  if (isOff) return Nodes.flag(false, node.at)
  return { ...node, members: node.members.filter(({ key }) => !SILENT.has(key)).map(renamed) }
}

/** Gemini CLI's switch, its fixed addresses, which are found out here, and 1MCP's wish. */
const SILENT = new Set(["enabled", "autoRegister", "authorizationUrl", "tokenUrl", "registrationUrl"])

const renamed = (member: Member): Member => {
  const key = NAMES.get(member.key) ?? member.key
  const value = member.key === "authServerMetadataUrl" ? issuerOf(member.value) : member.value
  return { ...member, key, value }
}

/** The authorization server whose description stands at an address. */
const issuerOf = (node: JsonNode): JsonNode =>
  node.type === "string"
    ? Nodes.text(node.value.replace(/\/\.well-known\/(oauth-authorization-server|openid-configuration)/, ""), node.at)
    : node
