/** The flags that several verbs have, and how a verb runs. Flags of one verb stand in the verb's own file. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { LogLevel } from "effect/LogLevel"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as References from "effect/References"
import { type Ended, type Failed, reported, type Usage } from "../terminal/Failure.ts"

/** A flag that may be left out, and is null then. */
export const optional = <A>(flag: Flag.Flag<A>): Flag.Flag<A | null> => Flag.map(Flag.optional(flag), Option.getOrNull)

/** An argument that may be left out, and is null then. */
export const optionalArgument = <A>(argument: Argument.Argument<A>): Argument.Argument<A | null> =>
  Argument.map(Argument.optional(argument), Option.getOrNull)

export const textFlag = (name: string, metavar: string, description: string) =>
  Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(description))

/** A switch that is off unless it is given. */
export const switchFlag = (name: string, description: string, alias: string | null = null) =>
  (alias === null ? Flag.Boolean(name) : Flag.withAlias(Flag.Boolean(name), alias)).pipe(
    Flag.withDescription(description),
    Flag.withDefault(false),
    Flag.withoutNegation
  )

export const root = Command.make("boocode").pipe(
  Command.withSharedFlags({
    data: optional(
      textFlag("data", "DIR", "The data folder: mcp.json, AGENTS.md, settings.json, .env and workspace/")
    ),
    config: optional(textFlag("config", "FILE", "Use only the servers of this file")),
    token: Flag.Redacted("token").pipe(
      Flag.withMetavar("TOKEN"),
      Flag.withDescription("The token of a running server elsewhere; in BOOCODE_TOKEN no process list shows it"),
      optional
    ),
    json: switchFlag("json", "Print one JSON document on standard output")
  }),
  Command.withDescription("Chat with agents that use the tools of many MCP servers. Without a verb it serves.")
)

export interface Options {
  readonly data: string | null
  readonly config: string | null
  readonly json: boolean
  /** The value of `--log-level`; null without it. */
  readonly logLevel: LogLevel | null
  /** The log level of servers; null leaves it to settings.json. */
  readonly serverLog: LogLevel | null
}

/** The value of `--token`; null without it. */
export const RemoteToken = Context.Reference<Redacted.Redacted<string> | null>("cli/RemoteToken", {
  defaultValue: () => null
})

/** Runs a verb and reports how it ended. The log has only warnings by default: answers come first. */
export const verb = <R>(
  run: (options: Options) => Effect.Effect<void, Failed | Usage | Ended, R>,
  defaultLevel: LogLevel = "Warn"
) =>
  Effect.gen(function*() {
    const { token, ...flags } = yield* root
    const logLevel = Option.getOrNull(yield* GlobalFlag.LogLevel)
    // The verbs themselves tell a person which servers failed and why, so the log need not.
    const options = { ...flags, logLevel, serverLog: logLevel ?? (flags.json ? null : "Error" as const) }
    return yield* reported(options.json, run(options)).pipe(
      Effect.provideService(RemoteToken, token),
      Effect.provideService(References.MinimumLogLevel, logLevel ?? defaultLevel)
    )
  })

/** The servers or chats of a verb: those of a running server, or its own. */
export interface Target {
  /** The value of `--url`, without a slash at the end; null looks for a running server of the data folder. */
  readonly url: string | null
  /** `--local`: never ask a running server. */
  readonly isLocal: boolean
}

/** The address of a server, without a slash at the end. */
export const address = (text: string): Option.Option<string> => {
  const url = URL.parse(text)
  const isAddress = url !== null && /^https?:$/.test(url.protocol) && url.search === "" && url.hash === ""
  return isAddress ? Option.some(url.href.replace(/\/+$/, "")) : Option.none()
}

export const ADDRESS = "the address of a running server, such as http://127.0.0.1:4266"

/** For verbs that need a running server. */
export const url = textFlag("url", "URL", "Talk to the server at this address instead of the one of this data folder")
  .pipe(
    Flag.filterMap(address, () => ADDRESS),
    optional
  )

/** For verbs that also work without a running server. */
export const targetFlags = {
  url,
  isLocal: switchFlag("local", "Start servers for this command, even if a server is running")
}

/** For verbs about kept chats. */
export const keptFlags = {
  url,
  isLocal: switchFlag("local", "Read the chats from the database, even if a server is running")
}

export const model = optional(
  textFlag(
    "model",
    "PROVIDER/ID",
    "The model, for instance openai/gpt-5; without one the built-in command mode answers"
  )
)

export const agent = (description: string) => optional(textFlag("agent", "NAME", description))

export const serverName = Argument.String("NAME").pipe(Argument.withDescription("The server"))

export const argsFlag = optional(
  textFlag("args", "JSON", "The arguments as a JSON object, or - to read it from standard input")
)

/** Which of the files that can be written. */
export const scope = (description: string) =>
  Flag.Literals("scope", ["data", "project", "user"]).pipe(Flag.withDescription(description), optional)

export const scopeToWrite = scope(
  "The file to write: data (of the data folder), project (.mcp.json) or user (~/.config/boocode)"
)
