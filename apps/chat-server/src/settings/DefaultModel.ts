/**
 * The model where neither message, chat nor agent names one: `--model`, else `BOOCODE_MODEL`, else `model` of settings.json,
 * else none, which is the command mode. The environment goes before files, as everywhere.
 */
import { CommandMode } from "@boocode/chat"
import { KeyShape, LanguageModels } from "@boocode/language-models"
import { Environment } from "@boocode/mcp-config"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Runtime from "effect/Runtime"
import * as Schema from "effect/Schema"
import { ModelProviders } from "./ModelProviders.ts"
import { TOLD } from "./ToldWords.ts"

export class DefaultModel extends Context.Service<DefaultModel, {
  /** As it is now. Null is the command mode; a key in the place of a model's id names none. */
  readonly model: Effect.Effect<string | null>
}>()("chat-server/DefaultModel") {
  static readonly layer = (flag: string | null) =>
    Layer.effect(
      DefaultModel,
      Effect.gen(function*() {
        const context = yield* Effect.context<Environment | ModelProviders>()
        const model = Effect.map(named(flag), (all) => {
          const first = all.find(({ id }) => !KeyShape.isLikeKey(id))?.id
          return first === undefined || first === CommandMode.ID ? null : first
        })
        return DefaultModel.of({ model: Effect.provideContext(model, context) })
      })
    )

  static readonly layerOf = (model: string | null) =>
    Layer.succeed(DefaultModel, DefaultModel.of({ model: Effect.succeed(model) }))
}

/** The models that are named, the strongest first, each with what names it. */
const named = Effect.fnUntraced(function*(flag: string | null) {
  const { variables } = yield* Environment
  const setting = yield* Effect.flatMap(ModelProviders, ({ model }) => model)
  return [
    { by: "--model", id: (flag ?? "").trim() },
    { by: "BOOCODE_MODEL", id: (variables["BOOCODE_MODEL"] ?? "").trim() },
    { by: "the model of settings.json", id: setting ?? "" }
  ].filter(({ id }) => id !== "")
})

/** `--model` names nothing that could ever be a model. Exit code 2; `boocode` prints the message and the hint. */
export class WrongModel extends Schema.TaggedError<WrongModel>()("WrongModel", TOLD) {
  override readonly [Runtime.errorExitCode] = 2
}

/** Fails for a flag that is no PROVIDER/ID of a known provider; anything else that is missing is a warning. */
export const checkLayer = (flag: string | null) =>
  Layer.effectDiscard(Effect.gen(function*() {
    const models = yield* LanguageModels
    const [first] = yield* named(flag)
    if (first === undefined || first.id === CommandMode.ID) return
    const { by, id } = first
    const error = yield* Effect.match(models.model(id), { onFailure: (error) => error, onSuccess: () => null })
    if (error === null) return
    const isKnown = (yield* models.providers).some(({ provider }) =>
      id.startsWith(`${provider}/`) && id !== `${provider}/`
    )
    if ((!isKnown || KeyShape.isLikeKey(id)) && by === "--model") {
      return yield* new WrongModel({ message: error.message, hint: error.hint })
    }
    yield* Effect.logWarning(`${by} ${error.message} (${error.hint})`)
  }))
