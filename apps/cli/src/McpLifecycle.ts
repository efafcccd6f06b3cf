/** `mcp start`, `stop`, `restart` and `refresh`: what a running server does with one of its servers. */
import * as Effect from "effect/Effect"
import { controlling } from "./Connected.ts"
import { Ended } from "./Failure.ts"
import type { Options } from "./Options.ts"
import { Output } from "./Output.ts"
import { oneLine } from "./PlainText.ts"
import { Remote } from "./Remote.ts"
import * as RemoteFailure from "./RemoteFailure.ts"
import { serverLines } from "./ServerLines.ts"
import type { Target } from "./Target.ts"

export type Change = "start" | "stop" | "restart" | "refresh"

/** Answers when it is done: started means ready. */
export const change = Effect.fnUntraced(function*(options: Options, target: Target, change: Change, name: string) {
  yield* controlling(options, target, changed(options, change, name))
})

const changed = Effect.fnUntraced(function*(options: Options, change: Change, name: string) {
  const output = yield* Output
  const { api, lasting } = yield* Remote
  const server = yield* Effect.mapError(lasting(api.servers[change]({ params: { name } })), RemoteFailure.plainly)
  yield* options.json ? output.document(server) : output.lines(serverLines([server], output.paint))
})

/** Every server that is ready; ends with 1 when the tools of one cannot be listed. */
export const refreshAll = Effect.fnUntraced(function*(options: Options, target: Target) {
  yield* controlling(options, target, refreshed(options))
})

const refreshed = Effect.fnUntraced(function*(options: Options) {
  const output = yield* Output
  const { api, lasting } = yield* Remote
  const told = yield* Effect.mapError(lasting(api.servers.refreshAll()), RemoteFailure.plainly)
  yield* options.json ? output.document(told) : output.lines(serverLines(told.servers, output.paint))
  if (told.failed.length === 0) return
  const words = told.failed.flatMap(({ hint, message }) => [oneLine(message, 600), `  ${oneLine(hint, 400)}`])
  if (!options.json) yield* output.notes(words)
  return yield* new Ended({ code: 1 })
})
