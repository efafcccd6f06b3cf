/**
 * Which models can be used, and each of them as an `effect/ai` language model.
 */
import type * as LanguageModel from "effect/ai/LanguageModel"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/**
 * One provider and whether it can be used as things stand.
 *
 * @category models
 */
export interface ProviderStatus {
  /** The part before the slash, for instance `openai`. */
  readonly provider: string
  readonly ready: boolean
  /** What is missing, for instance "set OPENAI_API_KEY"; null when ready. */
  readonly missing: string | null
  /** A model id that works with it, as an example. */
  readonly example: string
}

/**
 * A model that cannot be used, and what to do about it.
 *
 * @category errors
 */
export class ModelUnavailable extends Schema.TaggedError<ModelUnavailable>()("ModelUnavailable", {
  model: Schema.String,
  detail: Schema.String,
  hint: Schema.String
}) {
  /** Names the model and the trouble. */
  override get message(): string {
    return `${this.model}: ${this.detail}`
  }
}

/**
 * The models that AI SDK provider packages reach.
 *
 * @category services
 */
export class LanguageModels extends Context.Service<LanguageModels, {
  /** Every provider, sorted by name. Asks no network. */
  readonly providers: ReadonlyArray<ProviderStatus>
  /**
   * The model of an id such as `openai/gpt-5`. Asks no network: a wrong model name shows at the first request.
   * Fails when the provider is unknown (the nearest is named) or its key is missing (the variable is named).
   */
  readonly model: (id: string) => Effect.Effect<LanguageModel.LanguageModel, ModelUnavailable>
}>()("language-models/LanguageModels") {}
