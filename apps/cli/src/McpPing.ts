/** `mcp ping`: whether a server of a running server is there, and how long it takes to say so. */
import * as Effect from "effect/Effect"
import { controlling } from "./Connected.ts"
import type { Options } from "./Options.ts"
import { Output } from "./Output.ts"
import { plain } from "./PlainText.ts"
import { Remote } from "./Remote.ts"
import * as RemoteFailure from "./RemoteFailure.ts"
import type { Target } from "./Target.ts"

export const ping = Effect.fnUntraced(function*(options: Options, target: Target, name: string) {
  yield* controlling(options, target, asked(options, name))
})

const asked = Effect.fnUntraced(function*(options: Options, name: string) {
  const output = yield* Output
  const { api, lasting } = yield* Remote
  const { millis } = yield* Effect.mapError(lasting(api.servers.ping({ params: { name } })), RemoteFailure.plainly)
  yield* options.json
    ? output.document({ server: name, millis })
    : output.lines([`${plain(name)} answered in ${Math.round(millis)} ms`])
})
