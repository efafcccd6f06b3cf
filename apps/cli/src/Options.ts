/** The flags that every verb takes. */
import * as Flag from "effect/cli/Flag"
import type { LogLevel } from "effect/LogLevel"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"

export interface Options {
  readonly data: string | null
  readonly config: string | null
  readonly json: boolean
  /** What `--token` says; null without it. */
  readonly token: Redacted.Redacted<string> | null
  /** What `--log-level` says; null without it. */
  readonly logLevel: LogLevel | null
  /** What the log tells about servers; null leaves it to settings.json. */
  readonly serverLog: LogLevel | null
}

export const flags = {
  data: Flag.String("data").pipe(
    Flag.withMetavar("DIR"),
    Flag.withDescription("The data folder: mcp.json, AGENTS.md, settings.json, .env and workspace/"),
    Flag.optional
  ),
  config: Flag.String("config").pipe(
    Flag.withMetavar("FILE"),
    Flag.withDescription("Use the servers of this file alone"),
    Flag.optional
  ),
  token: Flag.Redacted("token").pipe(
    Flag.withMetavar("TOKEN"),
    Flag.withDescription(
      "The token of a running server elsewhere; BOOCODE_TOKEN keeps it out of the list of processes"
    ),
    Flag.optional
  ),
  json: Flag.Boolean("json").pipe(
    Flag.withDescription("Print one JSON document on standard output"),
    Flag.withDefault(false),
    Flag.withoutNegation
  )
}

export const fromFlags = (
  given: {
    readonly data: Option.Option<string>
    readonly config: Option.Option<string>
    readonly json: boolean
    readonly token: Option.Option<Redacted.Redacted<string>>
  },
  logLevel: Option.Option<LogLevel>
): Options => ({
  data: Option.getOrNull(given.data),
  config: Option.getOrNull(given.config),
  json: given.json,
  token: Option.getOrNull(given.token),
  logLevel: Option.getOrNull(logLevel),
  // The verbs themselves tell a person which servers failed and why; once is enough.
  serverLog: Option.getOrElse(logLevel, () => given.json ? null : "Error")
})
