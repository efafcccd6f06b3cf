/** A stream of AI SDK parts as a stream of encoded `effect/ai` response parts. */
import type { LanguageModelV4StreamPart } from "@ai-sdk/provider"
import type * as AiError from "effect/ai/AiError"
import type * as Response from "effect/ai/Response"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as ProviderMetadata from "../encoding/ProviderMetadata.ts"
import * as ProviderError from "../errors/ProviderError.ts"
import * as Grounding from "./Grounding.ts"
import * as ResponseDecoding from "./ResponseDecoding.ts"

/**
 * The parts of a stream. It fails with a typed error when the provider sends one, when the connection breaks, and when
 * the stream ends without saying that the answer is complete or says nothing for `silence`; what came before stands.
 * Ending early cancels the source. A source made with raw chunks tells of pings, too.
 */
export const decode = (
  source: ReadableStream<LanguageModelV4StreamPart>,
  origin: ProviderError.Origin,
  silence: Duration.Duration
): Stream.Stream<Response.StreamPartEncoded, AiError.AiError> =>
  // Not Stream.timeoutOrElse: it reads ahead in a fiber of its own, and loses what came just before a stream breaks.
  Stream.transformPull(
    Stream.fromReadableStream({
      evaluate: () => source,
      onError: (cause) => ProviderError.fromUnknown(cause, origin)
    }),
    (pull) =>
      Effect.succeed(Effect.timeoutOrElse(pull, {
        duration: silence,
        orElse: () => Effect.fail(ProviderError.silent(silence, origin))
      }))
  ).pipe(
    Stream.concat(Stream.succeed(END)),
    Stream.mapAccumEffect(() => false, (finished, part: LanguageModelV4StreamPart | typeof END) => {
      if (part.type === "end") return finished ? done : Effect.fail(ProviderError.dropped(origin))
      if (part.type === "error") return Effect.fail(ProviderError.fromUnknown(part.error, origin))
      if (part.type === "finish" && part.finishReason.unified === "interrupted") {
        return Effect.fail(ProviderError.dropped(origin))
      }
      return Effect.as(logWarnings(part), [finished || part.type === "finish", decodePart(part)] as const)
    })
  )

const END = { type: "end" } as const
const done = Effect.succeed([true, []] as const)

/** A provider warns of settings it leaves out, for instance a temperature for a model that allows none. */
const logWarnings = (part: LanguageModelV4StreamPart): Effect.Effect<void> =>
  part.type === "stream-start" && part.warnings.length > 0
    ? Effect.logDebug("the model's provider warns", part.warnings)
    : Effect.void

const decodePart = (part: LanguageModelV4StreamPart): ReadonlyArray<Response.StreamPartEncoded> => {
  switch (part.type) {
    case "text-end":
      return [
        ...(part.citations ?? []).flatMap((citation) => ResponseDecoding.citation(part.id, citation)),
        { type: part.type, id: part.id, ...ProviderMetadata.decode(part.providerMetadata) }
      ]
    case "text-start":
    case "reasoning-start":
    case "reasoning-end":
      return [{ type: part.type, id: part.id, ...ProviderMetadata.decode(part.providerMetadata) }]
    case "text-delta":
    case "reasoning-delta":
      return [{ type: part.type, id: part.id, delta: part.delta, ...ProviderMetadata.decode(part.providerMetadata) }]
    case "tool-input-start":
      return [{ type: "tool-params-start", id: part.id, name: part.toolName }]
    case "tool-input-delta":
      return [{ type: "tool-params-delta", id: part.id, delta: part.delta }]
    case "tool-input-end":
      return [{ type: "tool-params-end", id: part.id }]
    case "tool-call":
      return [ResponseDecoding.toolCall(part)]
    case "file":
      return ResponseDecoding.file(part)
    case "source":
      return ResponseDecoding.source(part)
    case "response-metadata":
      return [ResponseDecoding.responseMetadata(part)]
    case "finish":
      return [...Grounding.sources(part.providerMetadata), ResponseDecoding.finish(part)]
    default:
      // Pings, and what comes of tools that the provider runs: none is ever asked for.
      return []
  }
}
