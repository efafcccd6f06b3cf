/** `mcp start`, `stop`, `restart`, `refresh`, `ping` and `log-level`: control an MCP server of a running server. */
import { LOG_LEVELS } from "@boocode/mcp-config"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Remote from "../backend/Remote.ts"
import { controlling } from "../backend/VerbContext.ts"
import { serverLines } from "../lines/ServerLines.ts"
import { optionalArgument, type Options, serverName, url, verb } from "../options/Options.ts"
import { Ended, type Failed } from "../terminal/Failure.ts"
import { oneLine, Output, plain } from "../terminal/Output.ts"

/** Asks a running server, and says in words why it refused. */
export const asking = <A, E extends Failed | Remote.Problem, R>(
  url: string | null,
  use: (remote: Remote.Remote["Service"], output: Output["Service"], options: Options) => Effect.Effect<A, E, R>
) =>
  verb((options) =>
    controlling(
      options,
      url,
      Effect.gen(function*() {
        yield* Effect.mapError(use(yield* Remote.Remote, yield* Output, options), Remote.plainly)
      })
    )
  )

/** Answers when it is done: started means ready. */
const change = (url: string | null, word: "start" | "stop" | "restart" | "refresh", name: string) =>
  asking(url, ({ api, lasting }, { columns, document, lines, paint }, { json }) =>
    Effect.flatMap(
      lasting(api.servers[word]({ params: { name } })),
      (server) => json ? document(server) : Effect.flatMap(columns, (wide) => lines(serverLines([server], paint, wide)))
    ))

const changing = (word: "start" | "stop" | "restart", description: string) =>
  Command.make(word, { name: serverName, url }, ({ name, url }) => change(url, word, name)).pipe(
    Command.withDescription(description)
  )

export const start = changing("start", "Start an MCP server that is stopped or failed, in the running server")
export const stop = changing("stop", "Stop an MCP server, in the running server")
export const restart = changing("restart", "Stop an MCP server if it runs and start it again, in the running server")

export const refresh = Command.make(
  "refresh",
  {
    name: optionalArgument(
      Argument.String("NAME").pipe(Argument.withDescription("Only this server; by default every server that is ready"))
    ),
    url
  },
  ({ name, url }) => name === null ? refreshAll(url) : change(url, "refresh", name)
).pipe(Command.withDescription("List the tools of the MCP servers again, in the running server"))

/** Ends with 1 when the tools of a server cannot be listed. */
const refreshAll = (url: string | null) =>
  verb((options) =>
    controlling(
      options,
      url,
      Effect.gen(function*() {
        const { columns, document, lines, notes, paint } = yield* Output
        const { api, lasting } = yield* Remote.Remote
        const refreshed = yield* Effect.mapError(lasting(api.servers.refreshAll()), Remote.plainly)
        const { failed, servers } = refreshed
        yield* options.json ? document(refreshed) : lines(serverLines(servers, paint, yield* columns))
        if (failed.length === 0) return
        if (!options.json) {
          yield* notes(failed.flatMap(({ hint, message }) => [oneLine(message, 600), `  ${oneLine(hint, 400)}`]))
        }
        return yield* new Ended({ code: 1 })
      })
    )
  )

export const ping = Command.make(
  "ping",
  { name: serverName, url },
  ({ name, url }) =>
    asking(url, ({ api, lasting }, { document, lines }, { json }) =>
      Effect.flatMap(
        lasting(api.servers.ping({ params: { name } })),
        ({ millis }) =>
          json
            ? document({ server: name, millis })
            : lines([`${plain(name)} answered in ${Math.round(millis)} ms`])
      ))
).pipe(Command.withDescription("Check that an MCP server of the running server answers, and how quickly"))

export const logLevel = Command.make(
  "log-level",
  {
    name: serverName,
    level: Argument.Literals("LEVEL", [...LOG_LEVELS, "default"]).pipe(
      Argument.withDescription("The lowest level of the log messages it sends; default is that of its entry")
    ),
    url
  },
  ({ level: given, name, url }) =>
    asking(
      url,
      Effect.fnUntraced(function*({ api, lasting }, { document, lines }, { json }) {
        const level = given === "default" ? null : given
        const server = yield* lasting(api.servers.logLevel({ params: { name }, payload: { level } }))
        yield* json ? document(server) : lines([
          `${plain(name)} sends log messages from ${server.logLevel ?? level ?? "the level of its entry"} on`
        ])
      })
    )
).pipe(
  Command.withDescription("Choose which log messages an MCP server of the running server sends, until the latter ends")
)
