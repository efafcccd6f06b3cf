import type { Draft, KnownProvider, Trial } from "@boocode/chat-server/ModelLayer"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { boocode, json, type Script } from "../support/Scripted.ts"

const KEY = "sk-proj-Zq8rT2vLx0Pa7Kd3"

const provider = (name: string, { kind = "openai", url = null }: Draft): KnownProvider => ({
  entry: { name, kind, url, key: null, publicOnly: false, missing: null },
  source: "settings.json",
  keyFrom: "stored",
  variable: null
})

const WORKS: Trial = { ok: true, models: [], millis: 1, error: null }
const FAILS: Trial = { ok: false, models: [], millis: 1, error: { message: "the key is refused", hint: "check it" } }

/** Providers that answer a try with these, in turn; what was tried and saved is recorded. */
const providers = (trials: ReadonlyArray<Trial>, existing: ReadonlyArray<KnownProvider> = []) => {
  const calls: Array<Record<string, unknown>> = []
  const left = [...trials]
  const record = (verb: string, name: string, { key, ...draft }: Draft) =>
    calls.push({
      verb,
      name,
      ...draft,
      ...(key === undefined ? {} : { key: key === null ? null : Redacted.value(key) })
    })
  const models: NonNullable<Script["models"]> = {
    providers: Effect.succeed(existing),
    found: Effect.succeed([{ name: "ollama", url: "http://127.0.0.1:11434/v1", models: 2 }]),
    test: (name, draft) => Effect.sync(() => (record("test", name, draft), left.shift() ?? WORKS)),
    save: (name, draft) => Effect.sync(() => (record("save", name, draft), provider(name, draft)))
  }
  return { models, calls }
}

describe("boocode setup", () => {
  it.effect("tries and saves what its flags say, and takes a key from standard input", () =>
    Effect.gen(function*() {
      const { calls, models } = providers([WORKS])
      const { code, stderr, stdout } = yield* boocode(
        ["setup", "--provider", "work", "--kind", "openai", "--key-stdin", "--json"],
        { models, stdin: `${KEY}\n` }
      )
      assert.strictEqual(code, 0)
      const draft = { name: "work", kind: "openai", key: KEY }
      assert.deepStrictEqual(calls, [{ verb: "test", ...draft }, { verb: "save", ...draft }])
      assert.deepInclude(json(stdout), { name: "work", kind: "openai", ready: true })
      assert.notInclude(stdout + stderr, KEY)
    }))

  it.effect("names the variable of a key, and leaves alone what no flag says", () =>
    Effect.gen(function*() {
      const { calls, models } = providers([], [provider("work", {})])
      const { code } = yield* boocode(["setup", "--provider", "work", "--key-from-env", "WORK_KEY", "--untested"], {
        models
      })
      assert.strictEqual(code, 0)
      assert.deepStrictEqual(calls, [{ verb: "save", name: "work", key: "${WORK_KEY}" }])
    }))

  it.effect("writes nothing where the provider does not answer as it should", () =>
    Effect.gen(function*() {
      const { calls, models } = providers([FAILS])
      const { code, stderr } = yield* boocode(["setup", "--provider", "work", "--kind", "openai"], { models })
      assert.strictEqual(code, 1)
      assert.match(stderr, /the key is refused/)
      assert.match(stderr, /--untested/)
      assert.deepStrictEqual(calls.map(({ verb }) => verb), ["test"])
    }))

  it.effect("says which flags to give where there is no terminal, and is exit 2", () =>
    Effect.gen(function*() {
      const { models } = providers([])
      for (const args of [["setup"], ["setup", "--kind", "openai"]]) {
        const { code, stderr, stdout } = yield* boocode(args, { models })
        assert.deepStrictEqual([code, stdout], [2, ""])
        assert.match(stderr, /boocode setup --provider NAME --kind KIND/)
      }
      const unknown = yield* boocode(["setup", "--provider", "work"], { models })
      assert.match(unknown.stderr, /needs a kind/)
      const two = yield* boocode(["setup", "--provider", "w", "--key-stdin", "--key-from-env", "K"], { models })
      assert.deepStrictEqual([unknown.code, two.code], [2, 2])
    }))

  it.effect("asks on a terminal for the maker, its name and the key, and again after a key that is refused", () =>
    Effect.gen(function*() {
      const { calls, models } = providers([FAILS, WORKS])
      const { code, stderr } = yield* boocode(["setup"], { models, typed: ["9", "2", "", "wrong", "", KEY] })
      assert.strictEqual(code, 0)
      const draft = { name: "openai", kind: "openai", url: null }
      assert.deepStrictEqual(calls, [
        { verb: "test", ...draft, key: "wrong" },
        { verb: "test", ...draft, key: KEY },
        { verb: "save", ...draft, key: KEY }
      ])
      assert.include(stderr, "1  ollama at http://127.0.0.1:11434/v1, which runs here with 2 models")
      assert.include(stderr, "a number from 1 to 5")
      assert.notInclude(stderr, KEY)
    }))

  it.effect("asks for the address of another one, and saves nothing for who quits", () =>
    Effect.gen(function*() {
      const { calls, models } = providers([FAILS])
      const { code } = yield* boocode(["setup"], { models, typed: ["5", "http://10.0.0.2/v1", "box", "", "q"] })
      assert.strictEqual(code, 0)
      assert.deepStrictEqual(calls, [
        { verb: "test", name: "box", kind: "openai-compatible", url: "http://10.0.0.2/v1", key: null }
      ])
      assert.strictEqual((yield* boocode(["setup"], { models, typed: ["1"] })).code, 1)
    }))
})
