/**
 * The model where neither message, chat nor agent names one: `--model`, else `BOOCODE_MODEL`, else none, which is the
 * command mode.
 */
import { CommandMode } from "@boocode/chat"
import { KeyShape, LanguageModels } from "@boocode/language-models"
import { Environment } from "@boocode/mcp-config"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Runtime from "effect/Runtime"
import * as Schema from "effect/Schema"

export class DefaultModel extends Context.Service<DefaultModel, {
  /** Null is the command mode, also where a key stands in the place of a model's id. */
  readonly model: string | null
}>()("chat-server/DefaultModel") {
  static readonly layer = (flag: string | null) =>
    Layer.effect(
      DefaultModel,
      Effect.map(Environment, ({ variables }) => {
        const model = (flag ?? variables["BOOCODE_MODEL"] ?? "").trim()
        const isNone = model === "" || model === CommandMode.ID || KeyShape.isLikeKey(model)
        return DefaultModel.of({ model: isNone ? null : model })
      })
    )
}

/** `--model` names nothing that could ever be a model. Exit code 2; `boocode` prints the message and the hint. */
export class WrongModel extends Schema.TaggedError<WrongModel>()("WrongModel", {
  message: Schema.String,
  hint: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 2
}

/** Fails for a flag that is no PROVIDER/ID of a known provider; anything else that is missing is a warning. */
export const checkLayer = (flag: string | null) =>
  Layer.effectDiscard(Effect.gen(function*() {
    const { variables } = yield* Environment
    const models = yield* LanguageModels
    const id = (flag ?? variables["BOOCODE_MODEL"] ?? "").trim()
    if (id === "" || id === CommandMode.ID) return
    const error = yield* Effect.match(models.model(id), { onFailure: (error) => error, onSuccess: () => null })
    if (error === null) return
    const isKnown = (yield* models.providers).some(({ provider }) =>
      id.startsWith(`${provider}/`) && id !== `${provider}/`
    )
    if ((!isKnown || KeyShape.isLikeKey(id)) && flag !== null) {
      return yield* new WrongModel({ message: error.message, hint: error.hint })
    }
    yield* Effect.logWarning(`${flag === null ? "BOOCODE_MODEL" : "--model"} ${error.message} (${error.hint})`)
  }))
