/** A configured server as `mcp get` shows it: as it was understood, and without a secret. */
import type { Configuration, ConfiguredServer, Http, ServerConfig, Stdio, WrittenValues } from "@boocode/mcp-config"
import { maskedUrl } from "@boocode/mcp-registry"
import * as Duration from "effect/Duration"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { Approval } from "../backend/ApprovalStatus.ts"

const HIDDEN = "<redacted>"

/** `mcp get NAME --json`. */
export const entryDocument = (
  server: ConfiguredServer,
  configuration: Configuration,
  approval: Approval | null
) => ({
  name: server.name,
  transport: server.transport,
  enabled: server.enabled,
  /** Whether it waits for a decision, or was rejected. */
  needsApproval: server.needsApproval && approval?.decision !== "approved",
  /** The decision about an entry of a project file; null for others, and for one that cannot be read. */
  approval,
  source: server.source,
  scope: configuration.sources.find(({ file }) => file === server.source)?.scope ?? null,
  /** Lower files that have a server of this name, too. */
  hides: configuration.sources.filter((source) => source.hidden.includes(server.name)).map((source) => source.file),
  /** Null when the entry is broken; `error` says why. */
  entry: Result.isSuccess(server.config) ? entryOf(server.config.success, server) : null,
  warnings: server.warnings,
  error: Result.isFailure(server.config) ? told(server.config.failure) : null
})

export type EntryDocument = ReturnType<typeof entryDocument>

const told = ({ _tag, hint, message }: { readonly _tag: string; readonly message: string; readonly hint: string }) => ({
  _tag,
  message,
  hint
})

/** The entry with defaults filled in. Keys that do not belong to its transport are null. */
const entryOf = (config: ServerConfig, { declared, written }: ConfiguredServer) => {
  const { filledIn: _, idleTtl, maxTotalTimeout, name, ping, roots, startupTimeout, timeout, transport, ...others } =
    config
  return {
    ...(transport._tag === "stdio" ? stdio(transport, written) : http(transport, written, declared?.url ?? null)),
    startupTimeoutMillis: Duration.toMillis(startupTimeout),
    timeoutMillis: Duration.toMillis(timeout),
    maxTotalTimeoutMillis: Duration.toMillis(maxTotalTimeout),
    pingMillis: ping === null ? null : Duration.toMillis(ping),
    idleTtlMillis: idleTtl === null ? null : Duration.toMillis(idleTtl),
    ...others
  }
}

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

/** The name of a variable is no secret; a literal value or a default may be one. */
const variable = (value: Redacted.Redacted<string> | undefined): string => {
  const [, scheme = "", name, ending] = VARIABLE.exec(value === undefined ? "" : Redacted.value(value)) ?? []
  if (name === undefined) return HIDDEN
  return `${scheme}\${${name}${ending === "" || ending === ":-" ? ending : `:-${HIDDEN}`}}`
}

const VARIABLE = /^((?:Bearer|Basic|Token) )?\$\{([A-Za-z_]\w*)((?::-[^{}]*)?)\}$/

/** Command, arguments and address of an entry that is to be written, shown as `mcp get` shows them. */
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

/** An argument as the file has it. The value of an option for a secret is hidden. */
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

/** Hides user, password and query values of each address in a text. */
const withoutLogins = (text: string): string =>
  text.replace(ADDRESS, (address) =>
    address
      .replace(/(:\/\/)([^/@]+)(?=@)/, (_, start: string, login: string) => start + unlessVariables(login))
      .replace(/([?&][^=&#]*=)([^&#]+)/g, (_, name: string, value: string) => name + unlessVariables(value)))

const ADDRESS = /[a-z][a-z0-9+.-]*:\/\/[^\s"']+/gi

const unlessVariables = (text: string): string => /^(?:\$\{[A-Za-z_]\w*\}:?)+$/.test(text) ? text : HIDDEN

const SECRET = /^-.*(token|key|secret|passw|pwd|auth|credential|header)/i

/** Only the origin of an address whose variables are filled in: some services put their key into path or query. */
const origin = (url: string): string => {
  const parsed = URL.parse(url)
  if (parsed === null) return HIDDEN
  const isBare = parsed.pathname === "/" && parsed.search === "" && parsed.hash === ""
  return `${parsed.protocol}//${parsed.host}/${isBare ? "" : HIDDEN}`
}
