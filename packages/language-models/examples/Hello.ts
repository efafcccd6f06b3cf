/** One request to a model. */
import { LanguageModels } from "@boocode/language-models"
import * as Effect from "effect/Effect"

/** Asks the model, with the key in `ANTHROPIC_API_KEY`. */
export const hello = Effect.gen(function*() {
  const models = yield* LanguageModels
  const model = yield* models.model("anthropic/claude-sonnet-5")
  const { text } = yield* model.generateText({ prompt: "Hello" })
  return text
}).pipe(Effect.provide(LanguageModels.layer))
