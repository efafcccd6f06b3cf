/** What the entry of a server says about signing in. */
import * as LoginCallback from "@boocode/chat-server/LoginCallback"
import { McpConfig, Nearest } from "@boocode/mcp-config"
import { McpErrors } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import { Backend } from "./Backend.ts"
import { failed } from "./Failure.ts"
import type { Place } from "./Place.ts"

/** The entry of this name. Fails with the nearest where there is none, and with what is wrong with it. */
export const find = Effect.fnUntraced(function*(name: string) {
  const { servers } = yield* Effect.flatMap(McpConfig, ({ current }) => current)
  const entry = servers.find((one) => one.name === name)
  if (entry === undefined) {
    const nearest = Nearest.nearest(name, servers.map((one) => one.name))
    return yield* failed(new McpErrors.UnknownServer({ name, nearest }))
  }
  return yield* Effect.mapError(Effect.fromResult(entry.config), failed)
})

/** Where a person is to come back to: as the entry has it, else any port of this machine. */
export const callback = (name: string) =>
  Effect.map(
    find(name),
    ({ transport }) => transport._tag === "stdio" ? ANY : LoginCallback.ofEntry(transport.oauth) ?? ANY
  )

/** The same for a server that runs elsewhere, whose entry may be here and may not. */
export const callbackNear = (place: Place, name: string) =>
  Effect.gen(function*() {
    const { config } = yield* Backend
    return yield* Effect.provide(callback(name), config(place))
  }).pipe(Effect.orElseSucceed(() => ANY))

const ANY = LoginCallback.here(0)
