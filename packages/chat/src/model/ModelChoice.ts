/** Which model answers. */
import { LanguageModels, ModelFacts, type ModelUnavailable } from "@boocode/language-models"
import type { SchemaDialect } from "@boocode/toolkit"
import type * as LanguageModel from "effect/ai/LanguageModel"
import * as Effect from "effect/Effect"
import * as CommandMode from "./CommandMode.ts"

/** The models that are named, the strongest first; null and blank name none. */
export interface Candidates {
  readonly message: string | null
  readonly chat: string | null
  readonly agent: string | null
  /** From a flag, a variable or the settings of the program. */
  readonly program: string | null
}

/** The model of a program when nobody else names one: the same for ever, or asked for each time. Null is none. */
export type ProgramModel = string | null | Effect.Effect<string | null>

export const programModel = (given: ProgramModel): Effect.Effect<string | null> =>
  Effect.isEffect(given) ? given : Effect.succeed(given)

/** The id of the model: message, chat, agent, program, else the command mode. */
export const choose = ({ agent, chat, message, program }: Candidates): string =>
  given(message) ?? given(chat) ?? given(agent) ?? given(program) ?? CommandMode.ID

/** A name as a person gave it, without blanks around it; null for none. An empty field of a form is none. */
export const given = (name: string | null): string | null => name?.trim() || null

/** The model of an id; `command` is the built-in command mode and always there. Fails when it cannot be used. */
export const model = (id: string): Effect.Effect<LanguageModel.LanguageModel, ModelUnavailable, LanguageModels> =>
  id === CommandMode.ID ? CommandMode.make : Effect.flatMap(LanguageModels, (models) => models.model(id))

/** The facts about a model. The command mode reads everything and costs nothing. */
export const facts = (id: string): Effect.Effect<ModelFacts.Known, never, LanguageModels> =>
  id === CommandMode.ID
    ? Effect.succeed({ ...ModelFacts.UNKNOWN, contextTokens: Number.MAX_SAFE_INTEGER, learn: () => Effect.void })
    : Effect.flatMap(LanguageModels, (models) => models.facts(id))

/**
 * The dialect of tool schemas for a model. The command mode takes them as they are. An unknown provider is taken for
 * one that speaks like OpenAI, as most do.
 */
export const dialect = (id: string, { wire }: Pick<ModelFacts.ModelFacts, "wire">): SchemaDialect.SchemaDialect => {
  if (id === CommandMode.ID) return "raw"
  return wire === "google" ? "gemini" : wire ?? "openai"
}
