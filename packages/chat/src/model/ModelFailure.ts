/** Why a model gave no answer. */
import * as AiError from "effect/ai/AiError"
import * as Effect from "effect/Effect"

/** Fails with what a stream of parts says went wrong. */
export const failure = (error: unknown): Effect.Effect<never, AiError.AiError> =>
  AiError.isAiError(error)
    ? Effect.fail(error)
    : broken(new AiError.UnknownError({ description: error instanceof Error ? error.message : String(error) }))

export const broken = (reason: AiError.AiErrorReason): Effect.Effect<never, AiError.AiError> =>
  Effect.fail(AiError.make({ module: "ModelAnswer", method: "ask", reason }))
