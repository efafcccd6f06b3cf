/** Programs that serve models on this machine, found at their usual addresses. */
import { LanguageModels } from "@boocode/language-models"
import * as Effect from "effect/Effect"

const PLACES = [
  { name: "ollama", port: 11434 },
  { name: "lmstudio", port: 1234 },
  { name: "llamacpp", port: 8080 }
].map(({ name, port }) => ({ name, kind: "openai-compatible" as const, url: `http://127.0.0.1:${port}/v1` }))

/** Those that list at least one model within 500 ms, and how many. Asks all at the same time. Never fails. */
export const find = Effect.gen(function*() {
  const models = yield* LanguageModels
  const found = yield* Effect.forEach(
    PLACES,
    (place) =>
      models.listed({ ...place, key: null, publicOnly: false, missing: null }).pipe(
        Effect.timeout("500 millis"),
        Effect.map((listed) => listed.length === 0 ? [] : [{ ...place, models: listed.length }]),
        Effect.orElseSucceed(() => [])
      ),
    { concurrency: "unbounded" }
  )
  return found.flat()
})
