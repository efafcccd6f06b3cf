import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Schema from "effect/Schema"
import { older, paramsTo } from "../support/NewsServers.ts"
import * as Reloading from "../support/Reloading.ts"
import * as ScriptedHost from "../support/ScriptedHost.ts"

/** A server that answers a request for a log level as this says. */
const withLevels = <A, E>(
  answer: (level: unknown) => Schema.JsonObject | null,
  body: (world: Reloading.World) => Effect.Effect<A, E>
) => {
  const answers = { "logging/setLevel": ({ level }: Schema.JsonObject) => answer(level) }
  return Reloading.withWorld({ news: older({ answers }) }, { it: { command: "news", timeout: "5 seconds" } }, body)
}

const TAKEN = { result: {} }
const REFUSED = { error: { code: -32602, message: "no" } }

const levelsTo = ({ host }: Reloading.World) =>
  paramsTo(host.running.at(-1), "logging/setLevel").map(({ level }) => level)

/** The level of the server's status, and the one of the next connection. */
const wanted = (world: Reloading.World) =>
  Effect.gen(function*() {
    const { logLevel } = yield* world.registry.server("it")
    yield* world.registry.restart("it")
    yield* ScriptedHost.drain
    return [logLevel, levelsTo(world)[0]]
  })

describe("The log level of a server", () => {
  it.effect("stays as it was where the caller goes away before the server answers, who is told so", () =>
    withLevels((level) => level === "debug" ? null : TAKEN, (world) =>
      Effect.gen(function*() {
        const setting = yield* Effect.forkChild(world.registry.setLogLevel("it", "debug"))
        yield* ScriptedHost.drain
        yield* Fiber.interrupt(setting)
        yield* ScriptedHost.drain
        assert.deepStrictEqual(levelsTo(world), ["info", "debug", "info"])
        assert.deepStrictEqual(yield* wanted(world), ["info", "info"])
      })))

  it.effect("stays as it was where the server does not answer in time, who is told so", () =>
    withLevels((level) => level === "debug" ? null : TAKEN, (world) =>
      Effect.gen(function*() {
        const setting = yield* Effect.forkChild(Effect.flip(world.registry.setLogLevel("it", "debug")))
        yield* ScriptedHost.advance(6)
        assert.strictEqual((yield* Fiber.join(setting)).reason._tag, "CallTimeout")
        assert.deepStrictEqual(levelsTo(world), ["info", "debug", "info"])
        assert.deepStrictEqual(yield* wanted(world), ["info", "info"])
      })))

  it.effect("is the one that was set last, where one that was set before it fails later", () =>
    withLevels((level) => level === "debug" ? null : TAKEN, (world) =>
      Effect.gen(function*() {
        const first = yield* Effect.forkChild(Effect.flip(world.registry.setLogLevel("it", "debug")))
        yield* ScriptedHost.drain
        const second = yield* Effect.forkChild(world.registry.setLogLevel("it", "error"))
        yield* ScriptedHost.advance(6)
        yield* Fiber.join(first)
        assert.strictEqual((yield* Fiber.join(second)).logLevel, "error")
        assert.strictEqual(levelsTo(world).at(-1), "error")
        assert.deepStrictEqual(yield* wanted(world), ["error", "error"])
      })))

  it.effect("is asked for once where the server refuses it", () =>
    withLevels((level) => level === "debug" ? REFUSED : TAKEN, (world) =>
      Effect.gen(function*() {
        yield* Effect.flip(world.registry.setLogLevel("it", "debug"))
        yield* ScriptedHost.drain
        assert.deepStrictEqual(levelsTo(world), ["info", "debug"])
      })))
})
