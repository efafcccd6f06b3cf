/**
 * Which traces are kept, as OTEL_TRACES_SAMPLER says.
 */
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"

export interface Sampler {
  /** Whether what called us decides, where something did. */
  readonly isParentBased: boolean
  /** Which part of the other traces is kept, from 0 to 1. */
  readonly ratio: number
}

export const DEFAULT: Sampler = { isParentBased: true, ratio: 1 }

/** By the names of OpenTelemetry; null for one that does not exist, or an argument that is no part. */
export const parse = (name: string, argument: string | undefined): Sampler | null => {
  const isParentBased = name.startsWith("parentbased_")
  switch (isParentBased ? name.slice("parentbased_".length) : name) {
    case "always_on":
      return { isParentBased, ratio: 1 }
    case "always_off":
      return { isParentBased, ratio: 0 }
    case "traceidratio": {
      const ratio = argument === undefined ? 1 : Number(argument)
      return ratio >= 0 && ratio <= 1 ? { isParentBased, ratio } : null
    }
    default:
      return null
  }
}

/** Spans that are not kept still have ids, so that servers are told so. */
export const sampled = (tracer: Tracer.Tracer, sampler: Sampler): Tracer.Tracer => {
  const { isParentBased, ratio } = sampler
  return Tracer.make({
    ...tracer,
    span: (options) => {
      if (UNTOLD.has(options.name)) return tracer.span({ ...options, sampled: false })
      const parent = Option.getOrNull(options.parent)
      if (parent !== null && (isParentBased || parent._tag === "Span")) return tracer.span(options)
      if (ratio === 0 || ratio === 1) return tracer.span({ ...options, sampled: ratio === 1 })
      if (parent !== null) return tracer.span({ ...options, sampled: isDrawn(parent.traceId, ratio) })
      // The id of a trace decides, so that everybody who sees it decides alike.
      const span = tracer.span({ ...options, sampled: true })
      return isDrawn(span.traceId, ratio) ? span : tracer.span({ ...options, sampled: false })
    }
  })
}

/** What the database does for a turn would be most of its trace. */
const UNTOLD: ReadonlySet<string> = new Set(["sql.transaction", "sqlite", "postgresql"])

/** By the 56 bits of a trace's id that are random by W3C Trace Context. */
const isDrawn = (traceId: string, ratio: number): boolean =>
  Number.parseInt(traceId.slice(-14), 16) >= (1 - ratio) * 2 ** 56
