import { KeyShape, LanguageModels, ModelUnavailable, type ProviderEntry } from "@boocode/language-models"
import { Environment } from "@boocode/mcp-config"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import * as DefaultModel from "../../src/settings/DefaultModel.ts"
import { ModelProviders } from "../../src/settings/ModelProviders.ts"

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

/** settings.json names this model. */
const settings = (model: string | null) =>
  Layer.effect(
    ModelProviders,
    Effect.map(SubscriptionRef.make<ReadonlyArray<ProviderEntry>>([]), (entries) =>
      ModelProviders.of({
        known: Effect.succeed([]),
        entries,
        model: Effect.succeed(model),
        changes: Stream.empty,
        refresh: Effect.void,
        keys: {
          read: () => Effect.die("not used"),
          save: () => Effect.die("not used"),
          forget: () => Effect.die("not used")
        }
      }))
  )

interface Named {
  readonly flag?: string
  readonly variable?: string
  readonly setting?: string
}

/** The model of chats that name none. */
const standard = ({ flag, setting, variable }: Named) =>
  Effect.flatMap(DefaultModel.DefaultModel, ({ model }) => model).pipe(
    Effect.provide(
      DefaultModel.DefaultModel.layer(flag ?? null).pipe(
        Layer.provide([Environment.layer({ BOOCODE_MODEL: variable }), settings(setting ?? null)])
      )
    )
  )

/** What the log says when a server starts with this flag and these variables. */
const start = Effect.fnUntraced(function*(
  flag: string | null,
  variables: Readonly<Record<string, string>> = {},
  setting: string | null = null
) {
  const log: Array<string> = []
  const logger = Logger.layer([Logger.make(({ message }) => {
    log.push(String(message))
  })])
  const check = DefaultModel.checkLayer(flag).pipe(
    Layer.provide([models, Environment.layer(variables), settings(setting), logger])
  )
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
      const [other] = yield* start(null, {}, "opnai/x")
      assert.match(other ?? "", /^the model of settings.json opnai\/x: /)
    }))

  it.effect("refuses a key as a flag, takes none of a variable, and repeats neither", () =>
    Effect.gen(function*() {
      const key = "sk-proj-Zq8rT2vLx0Pa7Kd3"
      for (const flag of [key, `openai/${key}`]) {
        assert.notInclude((yield* Effect.flip(start(flag))).message, key)
        const log = yield* start(null, { BOOCODE_MODEL: flag })
        assert.strictEqual(log.length, 1)
        assert.notInclude(log[0], key)
        assert.isNull(yield* standard({ variable: flag }))
      }
    }))

  it.effect("says nothing when no model, or the command mode, is meant", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* start(null), [])
      assert.deepStrictEqual(yield* start("command"), [])
    }))
})

describe("The model of chats that name none", () => {
  it.effect("is that of the flag, else of the variable, else of settings.json, and a key names none", () =>
    Effect.gen(function*() {
      const rows: ReadonlyArray<readonly [Named, string | null]> = [
        [{ flag: "a/a", variable: "b/b", setting: "c/c" }, "a/a"],
        [{ flag: " ", variable: "b/b", setting: "c/c" }, "b/b"],
        [{ variable: "", setting: "c/c" }, "c/c"],
        [{ variable: "sk-proj-Zq8rT2vLx0Pa7Kd3", setting: "c/c" }, "c/c"],
        [{ variable: "command", setting: "c/c" }, null],
        [{}, null]
      ]
      for (const [given, model] of rows) assert.strictEqual(yield* standard(given), model)
    }))
})
