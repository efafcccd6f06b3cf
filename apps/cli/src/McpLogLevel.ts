/** `mcp log-level`: which log messages a server of a running server sends. */
import type { LogLevel } from "@boocode/mcp-config"
import * as Effect from "effect/Effect"
import { controlling } from "./Connected.ts"
import type { Options } from "./Options.ts"
import { Output } from "./Output.ts"
import { plain } from "./PlainText.ts"
import { Remote } from "./Remote.ts"
import * as RemoteFailure from "./RemoteFailure.ts"
import type { Target } from "./Target.ts"

/** Null is the level of its entry. */
export const setLevel = Effect.fnUntraced(
  function*(options: Options, target: Target, name: string, level: LogLevel | null) {
    yield* controlling(options, target, set(options, name, level))
  }
)

const set = Effect.fnUntraced(function*(options: Options, name: string, level: LogLevel | null) {
  const output = yield* Output
  const { api, lasting } = yield* Remote
  const request = lasting(api.servers.logLevel({ params: { name }, payload: { level } }))
  const server = yield* Effect.mapError(request, RemoteFailure.plainly)
  yield* options.json
    ? output.document(server)
    : output.lines([
      `${plain(name)} sends log messages from ${server.logLevel ?? level ?? "the level of its entry"} on`
    ])
})
