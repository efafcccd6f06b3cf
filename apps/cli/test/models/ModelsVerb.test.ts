import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { boocode, json, type Script } from "../support/Scripted.ts"

const suggestion = (id: string, contextTokens: number | null, price: number | null, seesImages: boolean | null) => ({
  id,
  contextTokens,
  inputPrice: price,
  outputPrice: price === null ? null : price * 4,
  seesImages,
  used: null
})

const LIST = {
  default: "openai/gpt-5",
  models: [
    { provider: "anthropic", ready: false, missing: "set ANTHROPIC_API_KEY", example: "anthropic/x", suggested: [] },
    { provider: "local", ready: true, missing: null, example: "local/x", suggested: [] },
    {
      provider: "openai",
      ready: true,
      missing: null,
      example: "openai/gpt-5",
      suggested: [
        suggestion("openai/gpt-5", 400_000, 1.25, null),
        suggestion("openai/gpt-5-mini", 1_000_000, 0.25, false),
        suggestion("openai/odd", null, null, null)
      ]
    }
  ],
  command: { active: false, help: "" }
}

const listing: Script = { models: { list: Effect.succeed(LIST) } }

describe("boocode models", () => {
  it.effect("shows each provider with its models: context, price and what they do not see", () =>
    Effect.gen(function*() {
      const { code, stdout } = yield* boocode(["models"], listing)
      assert.strictEqual(code, 0)
      assert.deepStrictEqual(stdout.split("\n"), [
        "anthropic  set ANTHROPIC_API_KEY",
        "local  lists no models now",
        "openai",
        "  openai/gpt-5       400k  $1.25/$5     default",
        "  openai/gpt-5-mini  1M    $0.25/$1     no pictures",
        "  openai/odd",
        ""
      ])
    }))

  it.effect("shows the models whose ids have all words of a query", () =>
    Effect.gen(function*() {
      const { stdout } = yield* boocode(["models", "MINI gpt", "--json"], listing)
      const found = Object(json(stdout)).models
      assert.deepStrictEqual(found.map(({ suggested }: typeof LIST.models[number]) => suggested.map(({ id }) => id)), [
        ["openai/gpt-5-mini"]
      ])
      assert.strictEqual((yield* boocode(["models", "nothing"], listing)).stdout, "nothing was found\n")
    }))

  it.effect("asks the server that runs on the data folder", () =>
    Effect.gen(function*() {
      const { log, stdout } = yield* boocode(["models", "gpt"], {
        running: "http://127.0.0.1:4266",
        answer: () => Effect.succeed(Response.json(LIST))
      })
      assert.deepStrictEqual(log, ["http://127.0.0.1:4266 GET /api/models"])
      assert.include(stdout, "openai/gpt-5-mini")
    }))
})

describe("boocode models use", () => {
  /** What chats use afterwards, and what was chosen. */
  const choosing = (standard: string | null) => {
    const chosen: Array<string> = []
    const models: Script["models"] = { use: (id) => Effect.sync(() => (chosen.push(id), standard)) }
    return { chosen, script: { models } }
  }

  it.effect("names the model of chats that name none, and says what goes before it", () =>
    Effect.gen(function*() {
      const { chosen, script } = choosing("openai/gpt-5")
      const plain = yield* boocode(["models", "use", "openai/gpt-5"], script)
      assert.deepStrictEqual([plain.code, plain.stdout, plain.stderr], [0, "saved  openai/gpt-5\n", ""])
      const other = yield* boocode(["models", "use", "local/x", "--json"], script)
      assert.deepStrictEqual(json(other.stdout), { model: "local/x", default: "openai/gpt-5" })
      assert.match(other.stderr, /BOOCODE_MODEL goes before it, so they use openai\/gpt-5/)
      assert.deepStrictEqual(chosen, ["openai/gpt-5", "local/x"])
    }))

  it.effect("is exit 2 without a model", () =>
    Effect.gen(function*() {
      const { code, stdout } = yield* boocode(["models", "use"], choosing(null).script)
      assert.deepStrictEqual([code, stdout], [2, ""])
    }))
})
