/** The providers with the models that a person may choose. */
import { type ChatSummary, CommandMode, ModelChoice } from "@boocode/chat"
import { LanguageModels } from "@boocode/language-models"
import * as Effect from "effect/Effect"
import type { Models } from "../api/Documents.ts"
import { DefaultModel } from "../settings/DefaultModel.ts"

/**
 * The agent and the model that answer a chat, and when it was used last, in ISO 8601. One without a title of any kind
 * has no message yet.
 */
export type UsedChat = Pick<ChatSummary, "agent" | "model" | "updatedAt" | "titledBy">

/** All of them. Waits 2 seconds at most for providers that list their models themselves. */
export const all = Effect.fnUntraced(function*(used: ReadonlyMap<string, string>) {
  const models = yield* LanguageModels
  const isOffered = yield* ModelChoice.offered
  const standard = yield* Effect.flatMap(DefaultModel, (found) => found.model)
  const listed = yield* Effect.forEach(
    yield* models.providers,
    (provider) =>
      Effect.map(models.suggested(provider.provider), (suggested) => ({
        ...provider,
        suggested: suggested.filter(({ id }) => isOffered(id)).map((one) => ({
          ...one,
          used: used.get(one.id) ?? null
        }))
      })),
    { concurrency: "unbounded" }
  )
  return {
    default: standard !== null && isOffered(standard) ? standard : null,
    models: listed,
    command: { active: standard === null, help: CommandMode.HOW_TO_CONFIGURE }
  } satisfies typeof Models.Type
})

/** When a chat with each model was used last, by the model's id. `agents` gives the model of an agent; null is the first agent. */
export const lastUses = (
  chats: ReadonlyArray<UsedChat>,
  agents: (name: string | null) => string | null,
  program: string | null
): ReadonlyMap<string, string> => {
  const uses = new Map<string, string>()
  for (const { agent, model, titledBy, updatedAt } of chats) {
    if (titledBy === "none") continue
    const id = model ?? agents(agent) ?? program
    if (id !== null && updatedAt > (uses.get(id) ?? "")) uses.set(id, updatedAt)
  }
  return uses
}
