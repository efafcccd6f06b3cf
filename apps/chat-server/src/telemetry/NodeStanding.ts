/** Whether load balancers may send requests to a node of a fleet. */
import type { ServerStatus } from "@boocode/mcp-registry"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { FleetView } from "./FleetView.ts"

/** A server that takes longer to connect for the first time keeps the node from requests no longer. */
const MOST_MILLIS = 20_000

/**
 * As the node says itself, and `joining` until each of its servers was ready or failed once: a call of a tool that the node
 * does not know yet would be refused, while another node can make it.
 */
export const make = Effect.fnUntraced(function*(
  fleet: NonNullable<typeof FleetView.Service>,
  servers: Effect.Effect<ReadonlyArray<Pick<ServerStatus, "state">>>
) {
  const until = (yield* Clock.currentTimeMillis) + MOST_MILLIS
  let isConnected = false
  return Effect.gen(function*() {
    isConnected ||= (yield* servers).every(({ state }) => state !== "connecting") ||
      (yield* Clock.currentTimeMillis) >= until
    const standing = yield* fleet.standing
    return standing === "ok" && !isConnected ? "joining" as const : standing
  })
})
