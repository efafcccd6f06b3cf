/** A configured server as `mcp get` shows it: as it was understood, and without a secret. */
import * as LoginCallback from "@boocode/chat-server/LoginCallback"
import {
  type ConfigSource,
  type Configuration,
  type ConfiguredServer,
  type Http,
  McpConfig,
  Nearest,
  type ServerConfig,
  type Stdio,
  type WrittenValues
} from "@boocode/mcp-config"
import { maskedUrl, McpErrors } from "@boocode/mcp-registry"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { Approval } from "../backend/ApprovalStatus.ts"
import { Backend } from "../backend/Backend.ts"
import type { Place } from "../options/Place.ts"
import { failed } from "../terminal/Failure.ts"

const HIDDEN = "<redacted>"
const Texts = Schema.Array(Schema.String)
const TextMap = Schema.Record(Schema.String, Schema.String)
const Millis = Schema.Finite

const shared = {
  startupTimeoutMillis: Millis,
  timeoutMillis: Millis,
  maxTotalTimeoutMillis: Millis,
  maxConcurrency: Schema.NullOr(Schema.Finite),
  maxMessageBytes: Schema.Finite,
  maxResultBytes: Schema.Finite,
  restart: Schema.String,
  results: Schema.String,
  retry: Schema.String,
  pingMillis: Schema.NullOr(Millis),
  tools: Schema.NullOr(Texts),
  alwaysLoad: Schema.Union([Schema.Boolean, Texts]),
  ask: Texts,
  instructions: Schema.Boolean,
  protocol: Schema.String,
  lazy: Schema.Boolean,
  idleTtlMillis: Schema.NullOr(Millis),
  pin: Schema.String,
  logLevel: Schema.String
}

/** What the entry says, defaults filled in. What does not belong to its transport is null. */
export const Entry = Schema.Struct({
  command: Schema.NullOr(Schema.String),
  /** As written, variables not filled in; a literal value of an option for a secret is `<redacted>`. */
  args: Schema.NullOr(Texts),
  /** Names, each with its `${VAR}` as written, or `<redacted>` where the file holds the value itself. */
  env: Schema.NullOr(TextMap),
  cwd: Schema.NullOr(Schema.String),
  inheritEnv: Schema.NullOr(Texts),
  /** As written, variables not filled in; what may be a secret in it is `<redacted>`. */
  url: Schema.NullOr(Schema.String),
  /** Names, each with its `${VAR}` as written, or `<redacted>` where the file holds the value itself. */
  headers: Schema.NullOr(TextMap),
  ...shared
})

/** `mcp get NAME --json`. */
export const EntryDocument = Schema.Struct({
  name: Schema.String,
  transport: Schema.NullOr(Schema.String),
  enabled: Schema.Boolean,
  /** Whether it waits for a decision, or was rejected. */
  needsApproval: Schema.Boolean,
  /** What was decided about an entry of a project file; null for others, and for one that cannot be read. */
  approval: Schema.NullOr(Approval),
  /** The file that declares it. */
  source: Schema.String,
  scope: Schema.NullOr(Schema.String),
  /** Files that declare a server of this name too, which this one hides. */
  hides: Texts,
  /** Null when the entry is broken; `error` says why. */
  entry: Schema.NullOr(Entry),
  warnings: Texts,
  error: Schema.NullOr(Schema.Struct({ _tag: Schema.String, message: Schema.String, hint: Schema.String }))
})
export type EntryDocument = typeof EntryDocument.Type

export const entryDocument = (
  server: ConfiguredServer,
  configuration: Configuration,
  approval: Approval | null
): EntryDocument => ({
  name: server.name,
  transport: server.transport,
  enabled: server.enabled,
  needsApproval: server.needsApproval && approval?.decision !== "approved",
  approval,
  source: server.source,
  scope: declaring(server, configuration.sources)?.scope ?? null,
  hides: configuration.sources.filter((source) => source.hidden.includes(server.name)).map((source) => source.file),
  entry: Result.isSuccess(server.config) ? entryOf(server.config.success, server) : null,
  warnings: server.warnings,
  error: Result.isFailure(server.config) ? told(server.config.failure) : null
})

const declaring = (server: ConfiguredServer, sources: ReadonlyArray<ConfigSource>): ConfigSource | undefined =>
  sources.find((source) => source.file === server.source)

const told = (error: { readonly _tag: string; readonly message: string; readonly hint: string }) => ({
  _tag: error._tag,
  message: error.message,
  hint: error.hint
})

const entryOf = (config: ServerConfig, { declared, written }: ConfiguredServer): typeof Entry.Type => ({
  ...(config.transport._tag === "stdio"
    ? stdio(config.transport, written)
    : http(config.transport, written, declared?.url ?? null)),
  startupTimeoutMillis: Duration.toMillis(config.startupTimeout),
  timeoutMillis: Duration.toMillis(config.timeout),
  maxTotalTimeoutMillis: Duration.toMillis(config.maxTotalTimeout),
  maxConcurrency: config.maxConcurrency,
  maxMessageBytes: config.maxMessageBytes,
  maxResultBytes: config.maxResultBytes,
  restart: config.restart,
  results: config.results,
  retry: config.retry,
  pingMillis: config.ping === null ? null : Duration.toMillis(config.ping),
  tools: config.tools,
  alwaysLoad: config.alwaysLoad,
  ask: config.ask,
  instructions: config.instructions,
  protocol: config.protocol,
  lazy: config.lazy,
  idleTtlMillis: config.idleTtl === null ? null : Duration.toMillis(config.idleTtl),
  pin: config.pin,
  logLevel: config.logLevel
})

const stdio = (transport: Stdio, written: WrittenValues | undefined) => ({
  command: transport.command,
  args: written === undefined ? transport.args.map(() => HIDDEN) : written.args.map(argument),
  env: shownValues(transport.env, written?.env),
  cwd: transport.cwd,
  inheritEnv: transport.inheritEnv,
  url: null,
  headers: null
})

const http = (
  transport: Http,
  written: WrittenValues | undefined,
  url: Redacted.Redacted<string> | null
) => ({
  command: null,
  args: null,
  env: null,
  cwd: null,
  inheritEnv: null,
  url: url === null ? origin(Redacted.value(transport.url)) : maskedUrl(Redacted.value(url)),
  headers: shownValues(transport.headers, written?.headers)
})

const shownValues = (values: Readonly<Record<string, unknown>>, written: WrittenValues["env"] = {}) =>
  Object.fromEntries(Object.keys(values).map((name) => [name, variable(written[name])]))

/** The name of a variable is no secret; a literal value, or one that stands in for the variable, may be. */
const variable = (value: Redacted.Redacted<string> | undefined): string => {
  const [, scheme = "", name, ending] = VARIABLE.exec(value === undefined ? "" : Redacted.value(value)) ?? []
  if (name === undefined) return HIDDEN
  return `${scheme}\${${name}${ending === "" || ending === ":-" ? ending : `:-${HIDDEN}`}}`
}

const VARIABLE = /^((?:Bearer|Basic|Token) )?\$\{([A-Za-z_]\w*)((?::-[^{}]*)?)\}$/

/** The command, arguments and address of an entry as a file is to have it, shown as `mcp get` shows them. */
export const shownProgram = (entry: Schema.JsonObject) => {
  const { args, command, url } = entry
  const texts = Array.isArray(args) ? args.filter((one) => typeof one === "string") : []
  return {
    command: typeof command === "string" ? withoutLogins(command) : null,
    args: typeof command === "string" ? texts.map((text) => Redacted.make(text)).map(argument) : null,
    url: typeof url === "string" ? origin(url) : null,
    hasHeadersHelper: typeof entry["headersHelper"] === "string"
  }
}

/** As the file has it, with variables not filled in. Only what follows, or belongs to, an option for a secret is not shown. */
const argument = (
  value: Redacted.Redacted<string>,
  index: number,
  all: ReadonlyArray<Redacted.Redacted<string>>
): string => {
  const text = Redacted.value(value)
  const before = all[index - 1]
  const [, option] = /^(-[^=]*)=/.exec(text) ?? []
  if (option !== undefined && SECRET.test(option)) {
    return `${option}=${variable(Redacted.make(text.slice(option.length + 1)))}`
  }
  const isValue = !text.startsWith("-") && before !== undefined
  return isValue && SECRET.test(Redacted.value(before)) ? variable(value) : withoutLogins(text)
}

/** Of each address in it the user, the password and the values of its query are not shown. */
const withoutLogins = (text: string): string =>
  text.replace(ADDRESS, (address) =>
    address
      .replace(/(:\/\/)([^/@]+)(?=@)/, (_, start: string, login: string) => start + unlessVariables(login))
      .replace(/([?&][^=&#]*=)([^&#]+)/g, (_, name: string, value: string) => name + unlessVariables(value)))

const ADDRESS = /[a-z][a-z0-9+.-]*:\/\/[^\s"']+/gi

const unlessVariables = (text: string): string => /^(?:\$\{[A-Za-z_]\w*\}:?)+$/.test(text) ? text : HIDDEN

const SECRET = /^-.*(token|key|secret|passw|pwd|auth|credential|header)/i

/** Variables are filled in here, and some services put their key into the path or the query of the address. */
const origin = (url: string): string => {
  const parsed = URL.parse(url)
  if (parsed === null) return HIDDEN
  const isBare = parsed.pathname === "/" && parsed.search === "" && parsed.hash === ""
  return `${parsed.protocol}//${parsed.host}/${isBare ? "" : HIDDEN}`
}

// What the entry of a server says about signing in.

/** The entry of this name. Fails with the nearest where there is none, and with what is wrong with it. */
export const findAuth = Effect.fnUntraced(function*(name: string) {
  const { servers } = yield* Effect.flatMap(McpConfig, ({ current }) => current)
  const entry = servers.find((one) => one.name === name)
  if (entry === undefined) {
    const nearest = Nearest.nearest(name, servers.map((one) => one.name))
    return yield* failed(new McpErrors.UnknownServer({ name, nearest }))
  }
  return yield* Effect.mapError(Effect.fromResult(entry.config), failed)
})

/** Where a person is to come back to: as the entry has it, else any port of this machine. */
export const callback = (name: string) =>
  Effect.map(
    findAuth(name),
    ({ transport }) => transport._tag === "stdio" ? ANY : LoginCallback.ofEntry(transport.oauth) ?? ANY
  )

/** The same for a server that runs elsewhere, whose entry may be here and may not. */
export const callbackNear = (place: Place, name: string) =>
  Effect.gen(function*() {
    const { config } = yield* Backend
    return yield* Effect.provide(callback(name), config(place))
  }).pipe(Effect.orElseSucceed(() => ANY))

const ANY = LoginCallback.here(0)
