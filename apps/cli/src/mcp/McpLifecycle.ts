/** `mcp start`, `stop`, `restart` and `refresh`: what a running server does with one of its servers. */
import type { LogLevel } from "@boocode/mcp-config"
import * as Effect from "effect/Effect"
import { controlling } from "../backend/Connected.ts"
import * as Remote from "../backend/Remote.ts"
import { serverLines } from "../lines/ServerLines.ts"
import type { Options, Target } from "../options/Options.ts"
import { Ended } from "../terminal/Failure.ts"
import { oneLine, Output, plain } from "../terminal/Output.ts"

export type Change = "start" | "stop" | "restart" | "refresh"

/** Answers when it is done: started means ready. */
export const change = Effect.fnUntraced(function*(options: Options, target: Target, change: Change, name: string) {
  yield* controlling(options, target, changed(options, change, name))
})

const changed = Effect.fnUntraced(function*(options: Options, change: Change, name: string) {
  const output = yield* Output
  const { api, lasting } = yield* Remote.Remote
  const server = yield* Effect.mapError(lasting(api.servers[change]({ params: { name } })), Remote.plainly)
  yield* options.json ? output.document(server) : output.lines(serverLines([server], output.paint))
})

/** Every server that is ready; ends with 1 when the tools of one cannot be listed. */
export const refreshAll = Effect.fnUntraced(function*(options: Options, target: Target) {
  yield* controlling(options, target, refreshed(options))
})

const refreshed = Effect.fnUntraced(function*(options: Options) {
  const output = yield* Output
  const { api, lasting } = yield* Remote.Remote
  const told = yield* Effect.mapError(lasting(api.servers.refreshAll()), Remote.plainly)
  yield* options.json ? output.document(told) : output.lines(serverLines(told.servers, output.paint))
  if (told.failed.length === 0) return
  const words = told.failed.flatMap(({ hint, message }) => [oneLine(message, 600), `  ${oneLine(hint, 400)}`])
  if (!options.json) yield* output.notes(words)
  return yield* new Ended({ code: 1 })
})

// `mcp log-level`: which log messages a server of a running server sends.

/** Null is the level of its entry. */
export const setLevel = Effect.fnUntraced(
  function*(options: Options, target: Target, name: string, level: LogLevel | null) {
    yield* controlling(options, target, set(options, name, level))
  }
)

const set = Effect.fnUntraced(function*(options: Options, name: string, level: LogLevel | null) {
  const output = yield* Output
  const { api, lasting } = yield* Remote.Remote
  const request = lasting(api.servers.logLevel({ params: { name }, payload: { level } }))
  const server = yield* Effect.mapError(request, Remote.plainly)
  yield* options.json
    ? output.document(server)
    : output.lines([
      `${plain(name)} sends log messages from ${server.logLevel ?? level ?? "the level of its entry"} on`
    ])
})

// `mcp ping`: whether a server of a running server is there, and how long it takes to say so.

export const ping = Effect.fnUntraced(function*(options: Options, target: Target, name: string) {
  yield* controlling(options, target, asked(options, name))
})

const asked = Effect.fnUntraced(function*(options: Options, name: string) {
  const output = yield* Output
  const { api, lasting } = yield* Remote.Remote
  const { millis } = yield* Effect.mapError(lasting(api.servers.ping({ params: { name } })), Remote.plainly)
  yield* options.json
    ? output.document({ server: name, millis })
    : output.lines([`${plain(name)} answered in ${Math.round(millis)} ms`])
})
