import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { modern, older } from "../support/NewsServers.ts"
import * as Reloading from "../support/Reloading.ts"
import * as ScriptedHost from "../support/ScriptedHost.ts"

const about = (scripts: Readonly<Record<string, ScriptedHost.Script>>, entry: Reloading.Entries = {}) =>
  Effect.map(
    Reloading.withWorld(
      scripts,
      Object.fromEntries(Object.keys(scripts).map((command) => [command, { command, ...entry }])),
      ({ registry }) => registry.servers
    ),
    ({ result }) => result
  )

describe("What a server says about itself", () => {
  it.effect("is in its status in both eras: instructions and what it can do (R105)", () =>
    Effect.gen(function*() {
      const instructions = "Call `find` first."
      const all = shown(yield* about({ old: older({ instructions }), young: modern({ instructions }) }))
      const capabilities = {
        tools: true,
        prompts: true,
        resources: true,
        subscribe: true,
        completions: false,
        logging: true
      }
      assert.deepStrictEqual(
        all,
        [
          ["2026-07-28", instructions, capabilities],
          ["2025-11-25", instructions, capabilities]
        ].reverse()
      )
    }))

  it.effect("is null where it says nothing, also where that is only spaces", () =>
    Effect.gen(function*() {
      const [a, b] = yield* about({ a: older({ capabilities: {} }), b: older({ instructions: " \n\u200B " }) })
      assert.deepStrictEqual([a?.instructions, b?.instructions, a?.capabilities?.tools], [null, null, false])
    }))

  it.effect("is cleaned, holds no secret, and is cut at 4,000 characters with a mark (R75, R100, R105)", () =>
    Effect.gen(function*() {
      const instructions = `\u202Ea\u001B[2Jb canary-4711-value ${"\u{1F600}".repeat(3000)}`
      const [status] = yield* about({ a: older({ instructions }) }, { env: { TOKEN: "canary-4711-value" } })
      const text = status?.instructions ?? ""
      assert.isTrue(text.startsWith("ab <redacted> \u{1F600}"))
      assert.isTrue(text.endsWith("\u{1F600}\n[the rest is left out]"))
      assert.isAtMost(text.length, 4000)
      assert.isAtLeast(text.length, 3990)
      assert.isTrue(text.isWellFormed())
    }))

  it.effect("stays known while the server is away by itself, and goes when it is stopped", () =>
    Effect.map(
      Reloading.withWorld({ a: older({ instructions: "Be kind." }) }, { a: { command: "a" } }, ({ host, registry }) =>
        Effect.gen(function*() {
          host.running[0]?.exit(1)
          yield* ScriptedHost.drain
          const gone = yield* registry.server("a")
          assert.deepStrictEqual([gone.state, gone.instructions], ["failed", "Be kind."])
          yield* registry.restart("a")
          assert.strictEqual((yield* registry.server("a")).instructions, "Be kind.")
          const stopped = yield* registry.stop("a")
          assert.deepStrictEqual([stopped.instructions, stopped.capabilities, stopped.logLevel], [null, null, null])
        })),
      () => {}
    ))

  it.effect("reaches nobody while the entry does not want it, and the process stays whichever way that goes (R105)", () =>
    Reloading.withWorld(
      { a: older({ instructions: "Be kind." }) },
      { a: { command: "a" } },
      ({ pid, registry, save }) =>
        Effect.gen(function*() {
          const first = yield* pid("a")
          const told = Effect.map(registry.server("a"), ({ instructions }) => instructions)
          yield* save({ a: { command: "a", instructions: false } })
          assert.isNull(yield* told)
          yield* save({ a: { command: "a", instructions: true } })
          assert.strictEqual(yield* told, "Be kind.")
          assert.strictEqual(yield* pid("a"), first)
        })
    ))
})

const shown = (all: Effect.Success<ReturnType<typeof about>>) =>
  all.map(({ capabilities, instructions, protocolVersion }) => [protocolVersion, instructions, capabilities])
