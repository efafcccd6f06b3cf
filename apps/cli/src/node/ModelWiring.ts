/** The layers behind `models` and `setup`: settings, kept keys and providers, without chats and servers. */
import { CurrentUser, FIRST } from "@boocode/chat"
import * as ModelLayer from "@boocode/chat-server/ModelLayer"
import { LanguageModels } from "@boocode/language-models"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ModelBackend } from "../backend/ModelBackend.ts"
import { failed } from "../terminal/Failure.ts"
import { type Ground, orFailed } from "./Wiring.ts"

/** A person at this machine may do what the files let them do anyway. */
const asker = { isOpen: true, mayNameVariables: true }

type Needs =
  | Effect.Services<ReturnType<typeof ModelLayer.ProviderChange.change>>
  | Effect.Services<ReturnType<typeof ModelLayer.ProviderChange.test>>
  | Effect.Services<ReturnType<typeof ModelLayer.SettingsChange.change>>
  | ModelLayer.DefaultModel

export const layer = (ground: Ground) =>
  Layer.effect(
    ModelBackend,
    Effect.gen(function*() {
      const needs = yield* Effect.context<Needs>()
      const { known, refresh } = yield* ModelLayer.ModelProviders
      const program = yield* ModelLayer.DefaultModel
      const { add, change, test } = ModelLayer.ProviderChange
      const { SettingsChange } = ModelLayer
      return ModelBackend.of({
        list: Effect.provideContext(
          Effect.provideService(ModelLayer.ModelList.all(new Map()), CurrentUser, FIRST),
          needs
        ),
        providers: known,
        found: Effect.provideContext(ModelLayer.LocalProviders.find, needs),
        use: (id) =>
          Effect.andThen(LanguageModels.use(({ model }) => model(id)), SettingsChange.change({ model: id }, true)).pipe(
            Effect.andThen(refresh),
            Effect.andThen(program.model),
            Effect.provideContext(needs),
            Effect.mapError(failed)
          ),
        test: (name, draft) => Effect.mapError(Effect.provideContext(test(name, draft, asker), needs), failed),
        save: (name, draft) =>
          Effect.flatMap(known, (all) => {
            const isThere = all.some(({ entry }) => entry.name === name)
            return isThere ? change(name, draft, asker) : add(name, draft, asker)
          }).pipe(Effect.provideContext(needs), Effect.mapError(failed))
      })
    })
  ).pipe(
    Layer.provide(Layer.provideMerge(ModelLayer.DefaultModel.layer(null), ModelLayer.models)),
    Layer.provide(ground),
    orFailed
  )
