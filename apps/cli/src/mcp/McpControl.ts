/** The verbs that control a server of a running server: `mcp start`, `stop`, `restart`, `refresh`, `ping`, `log-level`. */
import { LOG_LEVELS } from "@boocode/mcp-config"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { controlling } from "../backend/Connected.ts"
import * as Remote from "../backend/Remote.ts"
import { serverLines } from "../lines/ServerLines.ts"
import { optionalArgument, type Options, serverName, url, verb } from "../options/Options.ts"
import { Ended } from "../terminal/Failure.ts"
import { oneLine, Output, plain } from "../terminal/Output.ts"

/** Answers when it is done: started means ready. */
const change = (options: Options, url: string | null, verb: "start" | "stop" | "restart" | "refresh", name: string) =>
  controlling(
    options,
    url,
    Effect.gen(function*() {
      const { document, lines, paint } = yield* Output
      const { api, lasting } = yield* Remote.Remote
      const server = yield* lasting(api.servers[verb]({ params: { name } }))
      yield* options.json ? document(server) : lines(serverLines([server], paint))
    }).pipe(Effect.mapError(Remote.plainly))
  )

const changing = (word: "start" | "stop" | "restart", description: string) =>
  Command.make(
    word,
    { name: serverName, url },
    ({ name, url }) => verb((options) => change(options, url, word, name))
  ).pipe(Command.withDescription(description))

export const start = changing("start", "Start a server of the running server that is stopped or failed")
export const stop = changing("stop", "Stop a server of the running server")
export const restart = changing("restart", "Stop a server of the running server if it runs, then start it")

export const refresh = Command.make(
  "refresh",
  {
    name: optionalArgument(
      Argument.String("NAME").pipe(Argument.withDescription("Only this server; by default every server that is ready"))
    ),
    url
  },
  ({ name, url }) =>
    verb((options) =>
      name === null ? controlling(options, url, refreshAll(options)) : change(options, url, "refresh", name)
    )
).pipe(Command.withDescription("Have the running server list the tools of its servers again"))

/** Ends with 1 when the tools of a server cannot be listed. */
const refreshAll = Effect.fnUntraced(function*({ json }: Options) {
  const { document, lines, notes, paint } = yield* Output
  const { api, lasting } = yield* Remote.Remote
  const refreshed = yield* Effect.mapError(lasting(api.servers.refreshAll()), Remote.plainly)
  yield* json ? document(refreshed) : lines(serverLines(refreshed.servers, paint))
  if (refreshed.failed.length === 0) return
  if (!json) {
    yield* notes(refreshed.failed.flatMap(({ hint, message }) => [oneLine(message, 600), `  ${oneLine(hint, 400)}`]))
  }
  return yield* new Ended({ code: 1 })
})

export const ping = Command.make("ping", { name: serverName, url }, ({ name, url }) =>
  verb((options) =>
    controlling(
      options,
      url,
      Effect.gen(function*() {
        const { document, lines } = yield* Output
        const { api, lasting } = yield* Remote.Remote
        const { millis } = yield* lasting(api.servers.ping({ params: { name } }))
        yield* options.json
          ? document({ server: name, millis })
          : lines([`${plain(name)} answered in ${Math.round(millis)} ms`])
      }).pipe(Effect.mapError(Remote.plainly))
    )
  )).pipe(Command.withDescription("Check that a server of the running server answers, and how quickly"))

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
    verb((options) =>
      controlling(
        options,
        url,
        Effect.gen(function*() {
          const { document, lines } = yield* Output
          const { api, lasting } = yield* Remote.Remote
          const level = given === "default" ? null : given
          const server = yield* lasting(api.servers.logLevel({ params: { name }, payload: { level } }))
          yield* options.json ? document(server) : lines([
            `${plain(name)} sends log messages from ${server.logLevel ?? level ?? "the level of its entry"} on`
          ])
        }).pipe(Effect.mapError(Remote.plainly))
      )
    )
).pipe(Command.withDescription("Choose which log messages a server of the running server sends, until it ends"))
