import { McpError, McpErrors, McpRegistry } from "@boocode/mcp-registry"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { refreshAll } from "../../src/services/RefreshAll.ts"
import { status } from "../support/Scripted.ts"

const SERVERS = [
  status("broken"),
  status("files"),
  status("off", { state: "disabled" }),
  status("sleeping", { idle: true }),
  status("slow")
]

const reason = new McpErrors.NotReady({ state: "failed", why: "it ended" })

/** Each listing takes a second; that of `broken` fails then. */
const registry = (asked: Array<string>) =>
  Layer.mock(McpRegistry, {
    servers: Effect.succeed(SERVERS),
    refresh: (name) => {
      asked.push(name)
      const done = name === "broken"
        ? Effect.fail(new McpError({ server: name, reason }))
        : Effect.succeed(status(name))
      return Effect.delay(done, "1 second")
    }
  })

describe("A refresh of all servers", () => {
  it.effect("lists those that run side by side, wakes and starts none, and names those that failed", () =>
    Effect.gen(function*() {
      const asked: Array<string> = []
      const fiber = yield* Effect.forkChild(Effect.provide(refreshAll, registry(asked)))
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* Fiber.join(fiber), {
        servers: SERVERS,
        refreshed: ["files", "slow"],
        failed: [{ server: "broken", message: `broken: ${reason.message}`, hint: reason.hint }]
      })
      assert.deepStrictEqual(asked, ["broken", "files", "slow"])
    }))
})
