/** Names the servers that the command waits for, when that takes long. */
import type { ServerStatus } from "@boocode/mcp-registry"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { oneLine, Output } from "./Output.ts"

/** After this time a person is told what the command waits for. */
export const LONG = "2 seconds"

/** Waits, and after two seconds names those of the servers that are still connecting. Null stands for all servers. */
export const waiting = <A, E, R, E2, R2>(
  wait: Effect.Effect<A, E, R>,
  servers: Effect.Effect<ReadonlyArray<ServerStatus>, E2, R2>,
  names: ReadonlyArray<string> | null
) =>
  Effect.gen(function*() {
    const tell = Effect.gen(function*() {
      const connecting = (yield* servers).filter((server) => isAwaited(server, names)).map(inWords)
      const { notes } = yield* Output
      if (connecting.length > 0) yield* notes([`waiting for ${connecting.join(", ")} …`])
    })
    // A wait goes on when the servers cannot be named.
    yield* Effect.forkScoped(Effect.delay(Effect.ignore(tell), LONG))
    return yield* wait
  }).pipe(Effect.scoped)

const inWords = ({ downloadMillis, name }: ServerStatus): string =>
  downloadMillis === undefined
    ? oneLine(name)
    : `${oneLine(name)} (its first start may download it, ${Duration.format(Duration.millis(downloadMillis))} at most)`

export const isAwaited = ({ name, state }: ServerStatus, names: ReadonlyArray<string> | null): boolean =>
  state === "connecting" && (names === null || names.includes(name))
