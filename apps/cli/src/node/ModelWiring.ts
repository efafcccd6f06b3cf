/** The layers behind `models` and `setup`: settings, kept keys and providers, without chats and servers. */
import * as ModelLayer from "@boocode/chat-server/ModelLayer"
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
  | ModelLayer.DefaultModel

export const layer = (ground: Ground) =>
  Layer.effect(
    ModelBackend,
    Effect.gen(function*() {
      const needs = yield* Effect.context<Needs>()
      const { known } = yield* ModelLayer.ModelProviders
      const { add, change, test } = ModelLayer.ProviderChange
      return ModelBackend.of({
        list: Effect.provideContext(ModelLayer.ModelList.all(new Map()), needs),
        providers: known,
        found: Effect.provideContext(ModelLayer.LocalProviders.find, needs),
        test: (name, draft) => Effect.mapError(Effect.provideContext(test(name, draft, asker), needs), failed),
        save: (name, draft) =>
          Effect.flatMap(known, (all) => {
            const isThere = all.some(({ entry }) => entry.name === name)
            return isThere ? change(name, draft, asker) : add(name, draft, asker)
          }).pipe(Effect.provideContext(needs), Effect.mapError(failed))
      })
    })
  ).pipe(
    Layer.provide(Layer.mergeAll(ModelLayer.models, ModelLayer.DefaultModel.layer(null))),
    Layer.provide(ground),
    orFailed
  )
