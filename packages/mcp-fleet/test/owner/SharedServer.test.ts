import { McpConfig } from "@boocode/mcp-config"
import { Programs } from "@boocode/mcp-registry"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { platform } from "../../../mcp-registry/src/servers/ScriptedServers.ts"
import * as SharedServer from "../../src/owner/SharedServer.ts"

describe("The server of an owner", () => {
  it.effect("is nobody's any more when its node gave it away while it started: the next owner starts it", () =>
    Effect.gen(function*() {
      const [asked, starts] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const late = Layer.effect(
        Programs,
        Effect.map(Programs, (programs) => ({
          start: (command: Parameters<typeof programs.start>[0]) =>
            Deferred.succeed(asked, undefined).pipe(
              Effect.andThen(Deferred.await(starts)),
              Effect.andThen(programs.start(command))
            )
        }))
      )
      yield* Effect.gen(function*() {
        const [entry] = (yield* (yield* McpConfig).current).servers
        if (entry === undefined) return assert.fail("there is no entry")
        const server = yield* SharedServer.make({ entry, searchAfterPath: [] })
        const opening = yield* Effect.forkChild(server.opened)
        yield* Deferred.await(asked)
        server.retire()
        yield* Deferred.succeed(starts, undefined)
        const reason = yield* Effect.flip(Fiber.join(opening))
        assert.deepInclude(reason, { _tag: "ConnectionLost", isMoved: true, unsent: true })
      }).pipe(Effect.provide(Layer.provideMerge(late, platform({ files: {} }))))
    }))
})
