/** Which model answers. */
import { LanguageModels, ModelFacts, ModelUnavailable } from "@boocode/language-models"
import { Audience } from "@boocode/mcp-config"
import type { SchemaDialect } from "@boocode/toolkit"
import type * as LanguageModel from "effect/ai/LanguageModel"
import * as Effect from "effect/Effect"
import { CurrentUser, isAlone } from "../users/CurrentUser.ts"
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

/** Gives whether a model is offered to the person: everyone, unless `for` of the settings names some. */
export const offered: Effect.Effect<(id: string) => boolean, never, CurrentUser> = Effect.gen(function*() {
  const user = yield* CurrentUser
  const overrides = yield* ModelFacts.ModelOverrides
  return (id) => isAlone(user) || Audience.admits(ModelFacts.audienceOf(id, overrides), user)
})

/**
 * The model of an id, for the person; `command` is the built-in command mode and always there. Fails when it cannot be used, or is
 * not offered to them.
 */
export const model = (
  id: string
): Effect.Effect<LanguageModel.LanguageModel, ModelUnavailable, CurrentUser | LanguageModels> =>
  id === CommandMode.ID
    ? CommandMode.make
    : Effect.flatMap(
      offered,
      (isOffered) =>
        isOffered(id)
          ? Effect.flatMap(LanguageModels, (models) => models.model(id))
          : Effect.fail(
            new ModelUnavailable({ model: id, detail: "you have no such model", hint: "choose another one" })
          )
    )

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
