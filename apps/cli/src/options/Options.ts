/** The flags that every verb takes. */
import * as Flag from "effect/cli/Flag"
import * as Context from "effect/Context"
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

// Flags that several verbs of `mcp` have.

/** The files that can be written. */
export const scope = (description: string) =>
  Flag.Literals("scope", ["data", "project", "user"]).pipe(Flag.withDescription(description), Flag.optional)

/** The same for a verb that writes a file. */
export const scopeToWrite = scope(
  "The file to write: data (the data folder's), project (.mcp.json) or user (~/.config/boocode)"
)

/** Something that is off unless it is asked for. */
export const switched = (flag: string, description: string) =>
  Flag.Boolean(flag).pipe(Flag.withDescription(description), Flag.withDefault(false), Flag.withoutNegation)

// The token that `--token` gives, for a running server that others than this machine can reach.

/** Null without the flag. */
export const RemoteToken = Context.Reference<Redacted.Redacted<string> | null>("cli/RemoteToken", {
  defaultValue: () => null
})

// Whose servers a verb is about: those of a running server, or its own.

export interface Target {
  /** What `--url` names, without a slash at the end; null leaves it to what is running. */
  readonly url: string | null
  /** `--local`: never ask a running server. */
  readonly isLocal: boolean
}

const address = (text: string): Option.Option<string> => {
  const url = URL.parse(text)
  const isAddress = url !== null && /^https?:$/.test(url.protocol) && url.search === "" && url.hash === ""
  return isAddress ? Option.some(url.href.replace(/\/+$/, "")) : Option.none()
}

const url = Flag.String("url").pipe(
  Flag.withMetavar("URL"),
  Flag.filterMap(address, () => "the address of a running server, such as http://127.0.0.1:4266"),
  Flag.optional
)

const local = (description: string) =>
  Flag.Boolean("local").pipe(Flag.withDescription(description), Flag.withDefault(false), Flag.withoutNegation)

/** For verbs that do without a running server as well. */
export const targetFlags = {
  url: Flag.withDescription(url, "Talk to the server that runs there, in place of the one of this data folder"),
  local: local("Start servers of its own, also while a server runs")
}

/** For verbs about what is kept. */
export const keptFlags = {
  url: targetFlags.url,
  local: local("Read what this command keeps itself, also while a server runs")
}

/** For verbs that are about a running server. */
export const remoteFlags = { url: targetFlags.url }

export const target = (given: { readonly url: Option.Option<string>; readonly local?: boolean }): Target => ({
  url: Option.getOrNull(given.url),
  isLocal: given.local ?? false
})
