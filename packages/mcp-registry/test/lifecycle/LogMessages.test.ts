import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import { TestClock } from "effect/testing"
import { askedOf, modern, type News, older, paramsTo, told } from "../support/NewsServers.ts"
import * as Reloading from "../support/Reloading.ts"
import * as ScriptedHost from "../support/ScriptedHost.ts"

type Json = Schema.JsonObject

const ENTRY = { command: "news" }
const LEVEL = "io.modelcontextprotocol/logLevel"

const withNews = <A, E>(
  news: News,
  body: (world: Reloading.World) => Effect.Effect<A, E>,
  entry: Readonly<Record<string, unknown>> = {}
) => Reloading.withWorld({ news: older(news), modern: modern(news) }, { it: { ...ENTRY, ...entry } }, body)

const message = (data: Schema.Json, more: Json = {}) => told("notifications/message", { level: "info", data, ...more })

const say = ({ host }: Reloading.World, ...messages: ReadonlyArray<Json>) =>
  Effect.andThen(
    Effect.sync(() => messages.forEach((one) => host.running.at(-1)?.say(one))),
    ScriptedHost.drain
  )

/** The lines that are messages, or count them. */
const lines = ({ registry }: Reloading.World) =>
  Effect.map(
    Effect.orDie(registry.log("it")),
    (all) =>
      all.filter(({ kind, text }) => kind === "message" || text.includes("log messages"))
        .map(({ kind, level, logger, text }) => kind === "event" ? text : `${level} ${logger}: ${text}`)
  )

const levelsTo = ({ host }: Reloading.World, at = -1) =>
  paramsTo(host.running.at(at), "logging/setLevel").map(({ level }) => level)

describe("Log messages of servers", () => {
  it.effect("are lines of the server's log, with level and logger, in the order they came", () =>
    withNews({}, (world) =>
      Effect.gen(function*() {
        yield* say(
          world,
          message("one", { logger: "db" }),
          message({ rows: 3, slow: true }, { level: "warning" }),
          message(null, { level: "loud", logger: 7 }),
          told("notifications/message")
        )
        assert.deepStrictEqual(yield* lines(world), [
          "info db: one",
          `warning null: {"rows":3,"slow":true}`,
          "null null: null",
          "null null: null"
        ])
        const [line] = (yield* world.registry.log("it")).filter(({ kind }) => kind === "message")
        assert.deepInclude(line, { time: "1970-01-01T00:00:00.000Z", level: "info", logger: "db" })
      })))

  it.effect("hide, deceive and give away nothing, and are cut at 2,000 characters (R75, R100)", () =>
    withNews({}, (world) =>
      Effect.gen(function*() {
        const cut = `${"x".repeat(1995)}canary-4711-value`
        yield* say(world, message("a\u001B[31mb\u202Ec canary-4711-value"), message(cut), message("y".repeat(9000)))
        const found = yield* lines(world)
        assert.strictEqual(found[0], "info null: abc <redacted>")
        assert.notInclude(found.join("\n"), "canary")
        assert.deepStrictEqual(found.map(({ length }) => length - "info null: ".length).slice(1), [2000, 2000])
      }), { env: { TOKEN: "canary-4711-value" } }))

  it.effect("are kept at most a hundred a second, and the others counted in one line", () =>
    withNews({}, (world) =>
      Effect.gen(function*() {
        yield* say(world, ...Array.from({ length: 5000 }, (_, index) => message(`m${index}`)))
        yield* ScriptedHost.advance(2)
        const found = yield* lines(world)
        assert.lengthOf(found, 101)
        assert.strictEqual(found[99], "info null: m99")
        assert.strictEqual(found[100], "it sent 4900 more log messages within a second; they are not kept")
        yield* say(world, message("later"))
        assert.strictEqual((yield* lines(world)).at(-1), "info null: later")
      })))

  it.effect("do not hide what became of the server, however long they come too fast", () =>
    withNews({}, (world) =>
      Effect.gen(function*() {
        for (let round = 0; round < 600; round++) {
          for (let count = 0; count < 102; count++) world.host.running.at(-1)?.say(message("m"))
          yield* TestClock.adjust("2 seconds")
        }
        const all = yield* world.registry.log("it")
        assert.strictEqual(all[0]?.text, "starting")
        assert.isAbove(all.filter(({ text }) => text.includes("they are not kept")).length, 1)
      })))

  it.effect("are asked for from the entry's level on, `info` where it says none, and from no server that sends none", () =>
    Effect.gen(function*() {
      const levels = (news: News, entry: Json) =>
        withNews(news, (world) =>
          Effect.gen(function*() {
            const { logLevel } = yield* world.registry.server("it")
            return [levelsTo(world), logLevel]
          }), entry)
      assert.deepStrictEqual((yield* levels({}, {})).result, [["info"], "info"])
      assert.deepStrictEqual((yield* levels({}, { logLevel: "error" })).result, [["error"], "error"])
      assert.deepStrictEqual((yield* levels({ capabilities: { tools: {} } }, {})).result, [[], null])
    }))

  it.effect("below the level are dropped when the server sends them all the same", () =>
    withNews({}, (world) =>
      Effect.gen(function*() {
        yield* say(world, message("low", { level: "info" }), message("high", { level: "critical" }))
        assert.deepStrictEqual(yield* lines(world), ["critical null: high"])
      }), { logLevel: "error" }))

  it.effect("come from another level on when somebody asks, over restarts, until the entry's is asked for again", () =>
    withNews({}, (world) =>
      Effect.gen(function*() {
        const { registry } = world
        assert.strictEqual((yield* registry.setLogLevel("it", "debug")).logLevel, "debug")
        yield* registry.restart("it")
        yield* ScriptedHost.drain
        assert.deepStrictEqual([levelsTo(world, 0), levelsTo(world, 1)], [["info", "debug"], ["debug"]])
        yield* say(world, message("fine", { level: "debug" }))
        assert.deepStrictEqual(yield* lines(world), ["debug null: fine"])
        assert.strictEqual((yield* registry.setLogLevel("it", null)).logLevel, "info")
        assert.deepStrictEqual(levelsTo(world), ["debug", "info"])
      })))

  it.effect("follow a level that changed in the entry, without another process", () =>
    withNews({}, (world) =>
      Effect.gen(function*() {
        yield* world.save({ it: { ...ENTRY, logLevel: "alert" } })
        assert.deepStrictEqual(levelsTo(world), ["info", "alert"])
        assert.lengthOf(world.host.running, 1)
        assert.strictEqual((yield* world.registry.server("it")).logLevel, "alert")
      })))

  it.effect("fail by name where the server is known to send none, and where it refuses the level", () =>
    Effect.gen(function*() {
      const refusing = { answers: { "logging/setLevel": () => ({ error: { code: -32602, message: "no" } }) } }
      yield* withNews({ capabilities: { tools: {} } }, ({ registry }) =>
        Effect.gen(function*() {
          const { reason } = yield* Effect.flip(registry.setLogLevel("it", "debug"))
          assert.strictEqual(reason.message, "the server does not offer log messages")
        }))
      yield* withNews(refusing, (world) =>
        Effect.gen(function*() {
          const { reason } = yield* Effect.flip(world.registry.setLogLevel("it", "debug"))
          assert.strictEqual(reason.message, "logging/setLevel: no (-32602)")
          // What it was told at its start it has refused as well, which is no reason to do without it.
          assert.strictEqual((yield* world.registry.server("it")).state, "ready")
          assert.include(
            (yield* lines(world)).concat((yield* world.registry.log("it")).map(({ text }) => text)).join(),
            "it does not take the log level"
          )
          assert.strictEqual((yield* world.registry.server("it")).logLevel, "info")
        }))
    }))

  it.effect("are asked for with every request since 2026-07-28", () =>
    withNews({}, (world) =>
      Effect.gen(function*() {
        const { host, registry } = world
        yield* registry.setLogLevel("it", "notice")
        yield* registry.call("it_echo", {})
        const server = host.running.at(-1)
        const metas = paramsTo(server, "tools/call").map(({ _meta }) => Object(_meta)[LEVEL])
        assert.deepStrictEqual(metas, ["notice"])
        assert.lengthOf(askedOf(server, "logging/setLevel"), 0)
        yield* say(world, message("heard", { level: "error" }))
        assert.deepStrictEqual(yield* lines(world), ["error null: heard"])
      }), { command: "modern" }))
})
