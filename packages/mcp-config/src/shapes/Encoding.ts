/** One entry on its way into another application's file: each thing it says is written, or noted as lost. */
import * as Duration from "effect/Duration"
import * as Equal from "effect/Equal"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import { DEFAULTS, OAUTH } from "../model/EntryKeys.ts"
import type { EntryOptions, HttpEntry, OAuthText, StdioEntry } from "../model/ServerEntry.ts"
import type { Written } from "../text/Field.ts"
import type { JsonNode, Member } from "../text/JsonNode.ts"
import * as Nodes from "../text/Nodes.ts"
import * as Template from "../text/Template.ts"
import type { Decoding } from "./Decoding.ts"
import type { Encoded, Loss, Writable } from "./Shape.ts"
import type * as VariableSyntax from "./VariableSyntax.ts"

export interface Unit {
  readonly millis: number
  readonly isWhole?: boolean
  /** The shortest and longest time it takes, in this unit. */
  readonly least?: number
  readonly most?: number
}

/** Values by name, as an entry declares them. */
type Values = ReadonlyArray<readonly [string, Written]>

export class Encoding {
  readonly entry: Writable
  readonly options: EntryOptions
  readonly stdio: StdioEntry | null
  readonly http: HttpEntry | null
  readonly #dialect: VariableSyntax.VariableSyntax
  readonly #fields: Array<readonly [string, Schema.Json]> = []
  readonly #losses: Array<Loss> = []
  readonly #said = new Set<string>()
  #isPossible = true

  constructor(entry: Writable, dialect: VariableSyntax.VariableSyntax) {
    const { options, transport } = entry.declaration
    this.entry = entry
    this.options = options
    this.stdio = transport._tag === "stdio" ? transport : null
    this.http = transport._tag === "stdio" ? null : transport
    this.#dialect = dialect
  }

  /** Writes a field; null writes nothing. `said` are the native keys that are dealt with by it. */
  put(key: string, value: Schema.Json, ...said: ReadonlyArray<string>): void {
    for (const native of said) this.#said.add(native)
    if (value !== null) this.#fields.push([key, value])
  }

  /** Says that native keys are dealt with, by whatever was written. */
  said(...keys: ReadonlyArray<string>): void {
    for (const key of keys) this.#said.add(key)
  }

  /** Notes what is not written, or means something else there. */
  lose(keys: ReadonlyArray<string>, detail: string): void {
    this.#losses.push({ keys, detail })
  }

  /** True when some text holds a variable. */
  hasVariables(): boolean {
    const { http, stdio } = this
    const values = stdio === null ? http?.headers ?? [] : stdio.env
    const single = stdio === null ? [http?.url] : [stdio.command, ...stdio.args, stdio.cwd]
    const texts = [...values.map(([, written]) => written), ...single]
    return texts.some((written) =>
      Result.getOrNull(Template.parse(written?.text ?? ""))?.some((part) => part._tag === "variable")
    )
  }

  /** Says that this application cannot have the server. */
  impossible(why: string): void {
    this.#isPossible = false
    this.lose([], why)
  }

  /** A text without which the server is another one, in the application's words. */
  need(key: string, written: Written): string {
    const text = this.worded(written)
    if (text === null) this.impossible(`${this.#dialect.application} has no way to write ${key} with its variables`)
    return text ?? ""
  }

  /** A text in the application's words; null when it has none for it. */
  worded({ text }: Written): string | null {
    const template = Result.getOrNull(Template.parse(text))
    return template === null ? null : this.#dialect.fromTemplate(template)
  }

  program(stdio: StdioEntry, command: string, args: string): void {
    this.put(command, this.need("command", stdio.command), "command")
    const texts = stdio.args.map((arg, index) => this.need(`args[${index}]`, arg))
    this.put(args, texts.length === 0 ? null : texts, "args")
  }

  /** All that most applications say of a program; `further` are what this one says too, under the same names as here. */
  asProgram(...further: ReadonlyArray<"cwd" | "envFile">): void {
    const { stdio } = this
    if (stdio === null) return
    this.program(stdio, "command", "args")
    this.map("env", "env", stdio.env)
    for (const key of further) this.optional(key, key, stdio[key])
  }

  /** All of a server with an address; `streamable` is the type that is not SSE, null where no word says that. */
  asAddress(streamable: string | null, ...further: ReadonlyArray<"headersHelper">): void {
    const { http } = this
    if (http === null) return
    this.put("type", http._tag === "sse" ? "sse" : streamable)
    this.#address(http, "url")
    this.map("headers", "headers", http.headers)
    for (const key of further) this.optional(key, key, http[key])
  }

  /** A server with an address, in an application where the key of the address tells the type. */
  asAddressAt(keys: Readonly<Record<HttpEntry["_tag"], string>>): void {
    const { http } = this
    if (http === null) return
    this.#address(http, keys[http._tag])
    if (http._tag === "sse") this.put("type", "sse")
    this.map("headers", "headers", http.headers)
  }

  #address(http: HttpEntry, key: string): void {
    this.put(key, this.need("url", http.url), "url")
  }

  /** Texts by name; those that cannot be written are left out with a note. */
  map(key: string, native: string, values: Values): void {
    const texts = values.flatMap(([name, written]) => {
      const text = this.worded(written)
      if (text !== null) return [[name, text] as const]
      this.loseText(`${native}.${name}`)
      return []
    })
    this.put(key, texts.length === 0 ? null : Object.fromEntries(texts), native)
  }

  /** A text that a server can do without. */
  optional(key: string, native: string, written: Written | null): void {
    const text = written === null ? null : this.worded(written)
    if (written !== null && text === null) this.loseText(native)
    this.put(key, text, native)
  }

  loseText(native: string): void {
    this.lose([native], `${this.#dialect.application} has no way to write this with its variables, so it is not there`)
  }

  /** A time in the application's unit, unless it is the default here. */
  duration(key: string, native: "startupTimeout" | "timeout", unit: Unit): void {
    this.#said.add(native)
    if (Equal.equals(this.options[native], DEFAULTS[native])) return
    const exact = Duration.toMillis(this.options[native]) / unit.millis
    const value = unit.isWhole === true ? Math.ceil(exact) : exact
    const { least = 0, most = Number.MAX_SAFE_INTEGER } = unit
    if (value < least || value > most) {
      return this.lose([native], `${this.#dialect.application} takes no such time, so it uses its own`)
    }
    if (value !== exact) this.lose([native], `${this.#dialect.application} takes whole numbers only`)
    this.put(key, value)
  }

  /** Which tools there are, as lists of names; null for a list the application lacks. */
  tools(included: string | null, excluded: string | null): void {
    if (this.options.tools === null) return
    this.#said.add("tools")
    const lists = fromPatterns(this.options.tools)
    if (lists?.allowed === null && (excluded !== null || lists.denied.length === 0)) {
      if (excluded !== null && lists.denied.length > 0) this.put(excluded, [...lists.denied])
    } else if (lists !== null && lists.allowed !== null && included !== null) this.put(included, [...lists.allowed])
    else this.lose(["tools"], `${this.#dialect.application} cannot say which tools these are, so it offers all of them`)
  }

  /** Off, in an application whose files can say that. */
  switchedOff(key: "enabled" | "disabled"): void {
    this.#said.add("enabled")
    if (!this.entry.enabled) this.put(key, key === "disabled")
  }

  /** The written entry, with a loss for each key that was not written. */
  end(): Encoded {
    if (!this.entry.enabled && !this.#said.has("enabled")) {
      this.impossible(`it is disabled here, and the files of ${this.#dialect.application} cannot say that`)
    }
    for (const key of this.#unsaid()) this.lose([key], `${this.#dialect.application} has no place for this`)
    const value = this.#isPossible ? Object.fromEntries(this.#fields) : null
    return { name: this.entry.name, value, losses: this.#losses }
  }

  #unsaid(): ReadonlyArray<string> {
    const set = Struct.keys(DEFAULTS).filter((key) => !Equal.equals(this.options[key], DEFAULTS[key]))
    const own = Object.entries(this.entry.declaration.transport).flatMap(([key, value]) =>
      key === "_tag" || key === "mayBeSse" || value === null || Array.isArray(value) && value.length === 0 ? [] : [key]
    )
    return [...own, ...set].filter((key) => !this.#said.has(key))
  }
}

// Which tools a server offers, as lists of names that are allowed and denied, from there and to there.

/** Reads a list of allowed and a list of denied names, each under its key; null for a list the application lacks. */
export const readToolLists = (
  entry: Decoding,
  included: string | null,
  excluded: string | null,
  clean: (name: string) => string = (name) => name
): void => {
  const allowed = included === null ? undefined : entry.take(included)
  const denied = excluded === null ? undefined : entry.take(excluded)
  const from = allowed ?? denied
  const odd = [allowed, denied].find((member) => member !== undefined && Nodes.textsOf(member.value) === null)
  if (from === undefined) return
  if (odd !== undefined) return entry.say("tools", refused(odd), odd)
  const denials = (Nodes.textsOf(denied?.value) ?? []).map((name) => `!${clean(name)}`)
  if (allowed === undefined && denials.length === 0) return
  const names = allowed === undefined ? ["*"] : exact(entry, allowed, clean)
  const patterns = [...names, ...denials].map((name) => Nodes.text(name, from.value.at))
  entry.say("tools", Nodes.list(patterns, from.value.at), from)
}

/** A name with a star would allow more here than there, where a star is a character like any other. */
const exact = (entry: Decoding, allowed: Member, clean: (name: string) => string): ReadonlyArray<string> => {
  const names = (Nodes.textsOf(allowed.value) ?? []).map(clean)
  if (names.some((name) => name.includes("*"))) {
    entry.note(allowed.at, `${entry.path}.${allowed.key}`, "names with a star are left out: here they would allow more")
  }
  return names.filter((name) => !name.includes("*"))
}

/** A value that is not a list of texts must not become "all tools": the native reader refuses it. */
const refused = ({ value }: Member): JsonNode => value.type === "string" ? Nodes.flag(false, value.at) : value

/** Patterns as lists of names. `allowed` is null when all tools are but the denied ones. */
export interface Lists {
  readonly allowed: ReadonlyArray<string> | null
  readonly denied: ReadonlyArray<string>
}

/** Gives the lists that mean the same as some patterns; null when there are none. */
export const fromPatterns = (patterns: ReadonlyArray<string>): Lists | null => {
  const names = new Map<string, boolean>()
  let others = false
  for (const pattern of patterns) {
    const isDenial = pattern.startsWith("!")
    const name = isDenial ? pattern.slice(1) : pattern
    if (name === "*") {
      others = !isDenial
      names.clear()
    } else if (name.includes("*")) return null
    else names.set(name, !isDenial)
  }
  const named = (wanted: boolean) => [...names].flatMap(([name, isAllowed]) => isAllowed === wanted ? [name] : [])
  return others ? { allowed: null, denied: named(false) } : { allowed: named(true), denied: [] }
}

/** How an application calls what it takes over. */
export type OAuthNames = ReadonlyArray<readonly [OAuthText | "scopes" | "callbackPort" | "grant" | "login", string]>

/** All of it, under its own names. */
export const NATIVE_OAUTH: OAuthNames = Struct.keys(OAUTH).map((key) => [key, key] as const)

/** Writes what an application has names for, under `key`; the rest is noted as lost. */
export const writeOAuth = (out: Encoding, names: OAuthNames, list = true): void => {
  const { http } = out
  if (http?.oauth === undefined) return
  if (http.oauth === false) return out.put("oauth", false, "oauth")
  const { callbackPort, grant, login, scopes, texts } = http.oauth
  const known = new Map(names)
  const all: ReadonlyArray<readonly [string, string, Schema.Json]> = [
    ...texts.map(([key, text]) => [key, known.get(key) ?? "", out.worded(text)] as const),
    ...(scopes === null ? [] : [["scopes", known.get("scopes") ?? "", scopesOf(out, scopes, list)] as const]),
    ...(callbackPort === null ? [] : [["callbackPort", known.get("callbackPort") ?? "", callbackPort] as const]),
    ...(grant === "authorization_code" ? [] : [["grant", known.get("grant") ?? "", grant] as const]),
    ...(login === undefined ? [] : [["login", known.get("login") ?? "", login] as const])
  ]
  for (const [key, name, value] of all) if (name === "" || value === null) out.loseText(`oauth.${key}`)
  const fields = all.filter(([, name, value]) => name !== "" && value !== null).map(([, name, value]) => [name, value])
  out.put("oauth", Object.fromEntries(fields), "oauth")
}

const scopesOf = (out: Encoding, scopes: ReadonlyArray<Parameters<Encoding["worded"]>[0]>, list: boolean) => {
  const texts = scopes.map((scope) => out.worded(scope)).filter((text) => text !== null)
  return list ? texts : texts.join(" ")
}
