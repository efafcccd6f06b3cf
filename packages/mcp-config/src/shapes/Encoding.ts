/**
 * One entry on its way into another application's file: each thing it says is written, or noted as lost.
 */
import * as Duration from "effect/Duration"
import * as Equal from "effect/Equal"
import type * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import type { Written } from "../Field.ts"
import type { EntryOptions, HttpEntry, StdioEntry } from "../ServerEntry.ts"
import { DEFAULTS } from "./Defaults.ts"
import type { Dialect } from "./Dialect.ts"
import type { Encoded, Loss, Writable } from "./Shape.ts"
import * as Template from "./Template.ts"
import * as ToolLists from "./ToolLists.ts"

/** How an application measures time. */
export interface Unit {
  readonly millis: number
  readonly isWhole?: boolean
  /** The shortest and longest time it takes, in this unit. */
  readonly least?: number
  readonly most?: number
}

/** Values by name, as an entry declares them. */
type Values = ReadonlyArray<readonly [string, Written]>

/** An entry while it is written. */
export class Encoding {
  readonly entry: Writable
  readonly options: EntryOptions
  readonly stdio: StdioEntry | null
  readonly http: HttpEntry | null
  readonly #dialect: Dialect
  readonly #fields: Array<readonly [string, Schema.Json]> = []
  readonly #losses: Array<Loss> = []
  readonly #said = new Set<string>()
  #isPossible = true

  constructor(entry: Writable, dialect: Dialect) {
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
    return texts.some((written) => Template.fromNative(written?.text ?? "")?.some((part) => part._tag === "variable"))
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
    const template = Template.fromNative(text)
    return template === null ? null : this.#dialect.fromTemplate(template)
  }

  /** Program and arguments. */
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

  /** The same where the key of the address goes first, and says the type as far as it can. */
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
    const lists = ToolLists.fromPatterns(this.options.tools)
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

  /** What was written, and a note for all that was not. */
  end(): Encoded {
    if (!this.entry.enabled && !this.#said.has("enabled")) {
      this.impossible(`it is disabled here, and the files of ${this.#dialect.application} cannot say that`)
    }
    for (const key of this.#unsaid()) this.lose([key], `${this.#dialect.application} has no place for this`)
    const value = this.#isPossible ? Object.fromEntries(this.#fields) : null
    return { name: this.entry.name, value, losses: this.#losses }
  }

  #unsaid(): ReadonlyArray<string> {
    const { options, stdio } = this
    const set = OPTION_KEYS.filter((key) => !Equal.equals(options[key], DEFAULTS[key]))
    const own = stdio === null
      ? [
        ...(this.http?.headersHelper === null ? [] : ["headersHelper"]),
        ...(this.http?.publicOnly === true ? ["publicOnly"] : []),
        ...(this.http?.oauth === undefined ? [] : ["oauth"])
      ]
      : [
        ...(stdio.cwd === null ? [] : ["cwd"]),
        ...(stdio.envFile === null ? [] : ["envFile"]),
        ...(stdio.inheritEnv.length === 0 ? [] : ["inheritEnv"])
      ]
    return [...own, ...set].filter((key) => !this.#said.has(key))
  }
}

const OPTION_KEYS = Struct.keys(DEFAULTS)
