/** `mcp logout`: at the running server that has the server, else in what is kept for this person. */
import { McpRegistry } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Alone from "./Alone.ts"
import { Backend } from "./Backend.ts"
import { bothTargets, connected, found } from "./Connected.ts"
import { failed } from "./Failure.ts"
import type { Options } from "./Options.ts"
import { Output } from "./Output.ts"
import { Remote } from "./Remote.ts"
import * as RemoteFailure from "./RemoteFailure.ts"
import { serverLines } from "./ServerLines.ts"
import type { Target } from "./Target.ts"

export const logout = Effect.fnUntraced(function*(options: Options, target: Target, name: string) {
  const backend = yield* Backend
  if (target.isLocal && target.url !== null) return yield* bothTargets
  const url = target.isLocal ? null : target.url ?? (yield* found(options))
  const status = url === null
    ? yield* locally(options, name)
    : yield* Effect.provide(remotely(name), backend.remote(url))
  const output = yield* Output
  yield* options.json ? output.document(status) : output.lines(serverLines([status], output.paint))
})

const remotely = Effect.fnUntraced(function*(name: string) {
  const { api, lasting } = yield* Remote
  return yield* Effect.mapError(lasting(api.logins.logout({ params: { name } })), RemoteFailure.plainly)
})

const locally = (options: Options, name: string) =>
  connected(
    options,
    (backend, where) => Layer.provide(backend.registry(where, options.serverLog), Alone.layer(name)),
    McpRegistry.use((registry) => Effect.mapError(registry.logout(name), failed))
  )
