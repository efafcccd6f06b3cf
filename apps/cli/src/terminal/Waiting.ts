/** Saying for whom one waits, when that takes long. */
import type { ServerStatus } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import { oneLine, Output } from "./Output.ts"

/** Whoever waits longer is told. */
export const LONG = "2 seconds"

/** Waits, and after a while names those of the servers that are still connecting and waited for; null is all of them. */
export const telling = <A, E, R, E2, R2>(
  wait: Effect.Effect<A, E, R>,
  servers: Effect.Effect<ReadonlyArray<ServerStatus>, E2, R2>,
  names: ReadonlyArray<string> | null
) =>
  Effect.gen(function*() {
    const told = Effect.gen(function*() {
      const connecting = (yield* servers).filter((server) => isAwaited(server, names)).map(({ name }) => oneLine(name))
      if (connecting.length > 0) {
        yield* Output.use((output) => output.notes([`waiting for ${connecting.join(", ")} …`]))
      }
    })
    // Not being able to say it is no reason to stop waiting.
    yield* Effect.forkScoped(Effect.delay(Effect.ignore(told), LONG))
    return yield* wait
  }).pipe(Effect.scoped)

/** Whether somebody who waits for these servers waits for this one. */
export const isAwaited = ({ name, state }: ServerStatus, names: ReadonlyArray<string> | null): boolean =>
  state === "connecting" && (names === null || names.includes(name))
