/** Settings of a request for which `effect/ai` has no place. */
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"

/** How hard a model that reasons should do so. */
export type ReasoningEffort = "none" | "minimal" | "low" | "medium" | "high"

/** Settings of one request; null leaves the choice to the provider. */
export interface ModelSettings {
  /** Left out, with a debug message, for models that allow none. */
  readonly temperature: number | null
  readonly maxOutputTokens: number | null
  readonly reasoning: ReasoningEffort | null
  /** For how long a stream may say nothing before it counts as broken off: null is 2 minutes. */
  readonly silence: Duration.Duration | null
  /**
   * A name for the conversation that the request goes on with. The provider is then asked to keep the beginning of the request in
   * its cache, which the next request of the conversation reads at a tenth of the price. Writing it costs a quarter more at
   * Anthropic, so null is for a request that none follows.
   */
  readonly conversation: string | null
}

/**
 * The settings of the requests made under it, read when a request starts:
 * `Stream.provideService(ModelSettings, { ...ModelSettings.defaultValue(), temperature: 0.2 })`.
 */
export const ModelSettings: Context.Reference<ModelSettings> = Context.Reference<ModelSettings>(
  "language-models/ModelSettings",
  {
    defaultValue: () => ({
      temperature: null,
      maxOutputTokens: null,
      reasoning: null,
      silence: null,
      conversation: null
    })
  }
)
