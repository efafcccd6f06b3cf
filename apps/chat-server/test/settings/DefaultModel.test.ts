import { KeyShape, LanguageModels, ModelUnavailable } from "@boocode/language-models"
import { Environment } from "@boocode/mcp-config"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as DefaultModel from "../../src/settings/DefaultModel.ts"

const models = Layer.succeed(LanguageModels, {
  providers: Effect.succeed([
    { provider: "openai", ready: false, missing: "set OPENAI_API_KEY", example: "openai/gpt-5.4" }
  ]),
  model: (model) =>
    Effect.fail(new ModelUnavailable({ model: KeyShape.shown(model), detail: "set OPENAI_API_KEY", hint: "in .env" })),
  facts: () => Effect.die("not used"),
  suggested: () => Effect.die("not used"),
  listed: () => Effect.die("not used")
})

/** What the log says when a server starts with this flag and these variables. */
const start = Effect.fnUntraced(function*(flag: string | null, variables: Readonly<Record<string, string>> = {}) {
  const log: Array<string> = []
  const logger = Logger.layer([Logger.make(({ message }) => {
    log.push(String(message))
  })])
  const check = DefaultModel.checkLayer(flag).pipe(Layer.provide([models, Environment.layer(variables), logger]))
  yield* Effect.scoped(Layer.build(check))
  return log
})

describe("ModelCheck", () => {
  it.effect("refuses a flag that names no known provider, or no model", () =>
    Effect.gen(function*() {
      for (const flag of ["opnai/x", "openai", "openai/"]) {
        const error = yield* Effect.flip(start(flag))
        assert.strictEqual(error._tag, "WrongModel")
        assert.include(error.message, flag)
      }
    }))

  it.effect("warns of a missing key, and of anything wrong with the variable", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* start("openai/x"), ["--model openai/x: set OPENAI_API_KEY (in .env)"])
      const [warning] = yield* start(null, { BOOCODE_MODEL: "opnai/x" })
      assert.match(warning ?? "", /^BOOCODE_MODEL opnai\/x: /)
    }))

  it.effect("refuses a key as a flag, takes none of a variable, and repeats neither", () =>
    Effect.gen(function*() {
      const key = "sk-proj-Zq8rT2vLx0Pa7Kd3"
      for (const flag of [key, `openai/${key}`]) {
        assert.notInclude((yield* Effect.flip(start(flag))).message, key)
        const log = yield* start(null, { BOOCODE_MODEL: flag })
        assert.strictEqual(log.length, 1)
        assert.notInclude(log[0], key)
        const { model } = yield* DefaultModel.DefaultModel.pipe(
          Effect.provide(
            Layer.provide(DefaultModel.DefaultModel.layer(null), Environment.layer({ BOOCODE_MODEL: flag }))
          )
        )
        assert.isNull(model)
      }
    }))

  it.effect("says nothing when no model, or the command mode, is meant", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* start(null), [])
      assert.deepStrictEqual(yield* start("command"), [])
    }))
})
