import type { ServerStatus } from "@boocode/mcp-registry"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import type { FleetView } from "../../src/telemetry/FleetView.ts"
import * as NodeStanding from "../../src/telemetry/NodeStanding.ts"

type State = ServerStatus["state"]

/** A node that has joined, whose servers are in these states. */
const node = (servers: Array<State>, said: { standing: "ok" | "draining" } = { standing: "ok" }) => {
  const fleet = { standing: Effect.sync(() => said.standing) } as NonNullable<typeof FleetView.Service>
  return NodeStanding.make(fleet, Effect.sync(() => servers.map((state) => ({ state }))))
}

describe("A node of a fleet", () => {
  it.effect("joins until its servers were ready or failed once, and is ready while they connect again", () =>
    Effect.gen(function*() {
      const servers: Array<State> = ["ready", "connecting"]
      const standing = yield* node(servers)
      assert.strictEqual(yield* standing, "joining")
      servers[1] = "failed"
      assert.strictEqual(yield* standing, "ok")
      servers[0] = "connecting"
      assert.strictEqual(yield* standing, "ok")
    }))

  it.effect("waits 20 s for a server that connects, and says at once that it is drained", () =>
    Effect.gen(function*() {
      const said: { standing: "ok" | "draining" } = { standing: "ok" }
      const standing = yield* node(["connecting"], said)
      yield* TestClock.adjust("19 seconds")
      assert.strictEqual(yield* standing, "joining")
      said.standing = "draining"
      assert.strictEqual(yield* standing, "draining")
      said.standing = "ok"
      yield* TestClock.adjust("1 seconds")
      assert.strictEqual(yield* standing, "ok")
    }))
})
