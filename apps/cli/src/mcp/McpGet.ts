/** `mcp get`: one entry as it was understood. Starts nothing. */
import { argument, HIDDEN, origin, variable } from "@boocode/chat-server/ShownProgram"
import {
  type Configuration,
  type ConfiguredServer,
  type Http,
  McpConfig,
  type ServerConfig,
  type Stdio,
  type WrittenValues
} from "@boocode/mcp-config"
import { maskedUrl } from "@boocode/mcp-registry"
import * as Command from "effect/cli/Command"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as ApprovalStatus from "../backend/ApprovalStatus.ts"
import type { Approval } from "../backend/ApprovalStatus.ts"
import { configured, place } from "../backend/VerbContext.ts"
import { serverName, verb } from "../options/Options.ts"
import * as ErrorHints from "../terminal/ErrorHints.ts"
import { oneLine, Output, pad, type Paint } from "../terminal/Output.ts"

export const get = Command.make("get", { name: serverName }, ({ name }) =>
  verb(Effect.fnUntraced(function*(options) {
    const where = yield* place(options)
    yield* configured(
      where,
      Effect.gen(function*() {
        const { document, lines, paint } = yield* Output
        const configuration = yield* (yield* McpConfig).current
        const { servers } = configuration
        const server = servers.find((one) => one.name === name)
        if (server === undefined) return yield* ErrorHints.unknownServer(name, servers.map((one) => one.name))
        const entry = entryDocument(server, configuration, yield* ApprovalStatus.current(where, server))
        yield* options.json ? document(entry) : lines(entryLines(entry, paint))
      })
    )
  }))).pipe(
    Command.withDescription("Show the entry of one server as it was understood, and which file it comes from")
  )

const KEY_WIDTH = 23

const entryLines = (document: EntryDocument, paint: Paint): ReadonlyArray<string> => [
  `${paint.bold(oneLine(document.name))}  ${document.transport ?? "unknown transport"}${stateOf(document)}`,
  line("source", document.source + (document.scope === null ? "" : ` (${document.scope})`)),
  ...document.hides.map((file) => line("hides", file)),
  ...Object.entries(document.entry ?? {}).flatMap(([key, value]) => value === null ? [] : [line(key, written(value))]),
  ...document.warnings.map((warning) => `  ${paint.careful(pad("warning", KEY_WIDTH))}${oneLine(warning, 400)}`),
  ...(document.error === null ? [] : [
    `  ${paint.bad(pad("error", KEY_WIDTH))}${oneLine(document.error.message, 400)}`,
    line("", document.error.hint)
  ])
]

const stateOf = ({ approval, enabled, needsApproval }: EntryDocument): string => {
  if (!enabled) return "  off"
  if (approval === null) return needsApproval ? "  needs approval" : ""
  const { by, changed, decision } = approval
  if (decision === "pending") {
    const since = changed.length === 0 ? "" : `: ${oneLine(changed.join(", "), 400)} changed since it was decided on`
    return `  needs approval${since}`
  }
  return `  ${decision}${
    by === "once" ? ", for this run" : by === "publisher" ? ", because its publisher is trusted" : ""
  }`
}

const line = (key: string, value: string): string => `  ${pad(key, KEY_WIDTH)}${oneLine(value, 400)}`

const written = (value: unknown): string => typeof value === "string" ? value : JSON.stringify(value)

const entryDocument = (
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

type EntryDocument = ReturnType<typeof entryDocument>

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
