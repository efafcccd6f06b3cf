/**
 * Tells a server which trace a request belongs to, where the host keeps traces.
 */
import { TRACEPARENT_META_KEY } from "@modelcontextprotocol/client"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import * as Tracer from "effect/Tracer"

/**
 * What the `_meta` of a request carries of the current span, as W3C Trace Context has it. Nothing without a tracer of the
 * host's: spans that nobody keeps are none of a server's business.
 *
 * @category getters
 */
export const meta: Effect.Effect<Schema.JsonObject> = Effect.gen(function*() {
  if ((yield* Tracer.Tracer) === Tracer.nativeTracer) return {}
  const span = Option.getOrNull(yield* Effect.option(Effect.currentParentSpan))
  if (span === null || !span.sampled || !IDS.test(`${span.traceId}-${span.spanId}`)) return {}
  return { [TRACEPARENT_META_KEY]: `00-${span.traceId}-${span.spanId}-01` }
})

const IDS = /^[\da-f]{32}-[\da-f]{16}$/
