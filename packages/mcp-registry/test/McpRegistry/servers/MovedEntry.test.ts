import { InvalidEntry } from "@boocode/mcp-config"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { configurationOf, type Entries, withWorld } from "../../support/Reloading.ts"
import * as ScriptedHost from "../../support/ScriptedHost.ts"

describe("A configuration whose lines move (R68)", () => {
  it.effect("takes a broken entry that only moved for what it was, and names its new place (R66)", () =>
    withWorld({ good: {} }, { a: { command: "good" }, b: { command: 7 } }, (world) =>
      Effect.gen(function*() {
        const moved = Effect.fnUntraced(function*(entries: Entries, line: number) {
          const configuration = yield* configurationOf(entries)
          const servers = configuration.servers.map((server) => ({
            ...server,
            config: Result.mapError(server.config, (error) =>
              error._tag === "InvalidEntry" ? new InvalidEntry({ ...error, line }) : error)
          }))
          yield* world.put({ ...configuration, servers })
        })
        const broken = { a: { command: 8 }, b: { command: 7 } }
        yield* moved(broken, 3)
        const news: Array<string> = []
        yield* Effect.forkScoped(Stream.runForEach(world.registry.applied, ({ added, changed, removed }) =>
          Effect.sync(() =>
            news.push([...added, ...changed, ...removed].join())
          )))
        yield* ScriptedHost.drain
        yield* moved(broken, 9)
        assert.deepStrictEqual(
          news.filter((names) =>
            names !== ""
          ),
          []
        )
        assert.match(yield* world.warnings("a"), /runs as it was: code:9:/)
        const { error, state } = yield* world.registry.server("b")
        assert.strictEqual(state, "failed")
        assert.match(error?.message ?? "", /^code:9:/)
        const refused = yield* Effect.flip(world.registry.start("b"))
        assert.match(refused.message, /code:9:/)
        yield* moved({ ...broken, b: { url: 7 } }, 9)
        assert.deepStrictEqual(
          news.filter((names) =>
            names !== ""
          ),
          ["b"]
        )
      }).pipe(Effect.scoped)))
})
