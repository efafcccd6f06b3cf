/** A configured server as `mcp get` shows it: as it was understood, and without a secret. */
import { argument, HIDDEN, origin, variable } from "@boocode/chat-server/ShownProgram"
import type { Configuration, ConfiguredServer, Http, ServerConfig, Stdio, WrittenValues } from "@boocode/mcp-config"
import { maskedUrl } from "@boocode/mcp-registry"
import * as Duration from "effect/Duration"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type { Approval } from "../backend/ApprovalStatus.ts"

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
