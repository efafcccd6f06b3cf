/** Which traces are kept: as `OTEL_TRACES_SAMPLER` says, and no more than so many a second. */
import * as Hex from "effect/encoding/Hex"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"

export interface Sampler {
  /** Whether the caller decides, where the trace began elsewhere. */
  readonly isParentBased: boolean
  /** Which part of the other traces is kept, from 0 to 1. */
  readonly ratio: number
}

/** The default: keeps every trace, except one that its caller does not keep. */
export const USUAL: Sampler = { isParentBased: true, ratio: 1 }

/** Takes the names of OpenTelemetry. Null for an unknown name, or an argument that is no part. */
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

/**
 * How many traces that begin here are kept of one second. Making and sending the span of a call costs about as much
 * processor time as the call.
 */
const MOST_A_SECOND = 1000

/** Spans of statements would be most of a turn's trace. */
const UNTOLD: ReadonlySet<string> = new Set(["sql.transaction", "sqlite", "postgresql"])

type Options = Parameters<Tracer.Tracer["span"]>[0]

/** The tracer with a sampler before it. A trace is kept as a whole or not at all. */
export const sampled = (tracer: Tracer.Tracer, { isParentBased, ratio }: Sampler): Tracer.Tracer => {
  const isDrawn = drawing(ratio)
  const hasRoom = rateLimit(MOST_A_SECOND)
  const begun = (options: Options): Tracer.Span => {
    if (ratio === 1) return hasRoom(options.startTime) ? tracer.span(options) : new UnkeptSpan(options)
    // The id of a trace decides, so that everybody who sees it decides alike.
    const traceId = Hex.random(32)
    if (!isDrawn(traceId) || !hasRoom(options.startTime)) return new UnkeptSpan(options)
    return Object.defineProperty(tracer.span(options), "traceId", { value: traceId })
  }
  return Tracer.make({
    ...tracer,
    span: (options) => {
      if (UNTOLD.has(options.name)) return new UnkeptSpan(options)
      const parent = Option.getOrNull(options.parent)
      if (parent === null) return begun(options)
      const isKept = isParentBased || parent._tag === "Span" ? parent.sampled : isDrawn(parent.traceId)
      return isKept ? tracer.span({ ...options, sampled: true }) : new UnkeptSpan(options)
    }
  })
}

/** By the 56 bits of a trace's id that are random by W3C Trace Context, as their digits sort. */
const drawing = (ratio: number) => {
  const least = Math.ceil((1 - ratio) * 2 ** 56).toString(16).padStart(14, "0")
  return (traceId: string): boolean => ratio > 0 && traceId.slice(-14) >= least
}

/** Whether so many began since the second began, by times in nanoseconds. */
const rateLimit = (most: number) => {
  const window = { end: 0n, left: most }
  return (now: bigint): boolean => {
    if (now >= window.end) {
      window.end = now + 1_000_000_000n
      window.left = most
    }
    window.left -= 1
    return window.left >= 0
  }
}

/** Remembers nothing but its ids, which servers are told together with the fact that its trace is not kept. */
class UnkeptSpan implements Tracer.Span {
  readonly _tag = "Span"
  readonly sampled = false
  readonly attributes: ReadonlyMap<string, unknown> = NONE
  readonly links = []
  readonly name: string
  readonly kind: Tracer.SpanKind
  readonly parent: Tracer.Span["parent"]
  readonly annotations: Tracer.Span["annotations"]
  readonly status: Tracer.SpanStatus
  private made: { readonly traceId: string; readonly spanId: string } | null = null
  constructor({ annotations, kind, name, parent, startTime }: Options) {
    this.name = name
    this.kind = kind
    this.parent = parent
    this.annotations = annotations
    this.status = { _tag: "Started", startTime }
  }
  get traceId(): string {
    return this.ids().traceId
  }
  get spanId(): string {
    return this.ids().spanId
  }
  attribute(): void {}
  event(): void {}
  addLinks(): void {}
  end(): void {}
  private ids() {
    const { parent } = this
    return this.made ??= {
      traceId: Option.isSome(parent) ? parent.value.traceId : Hex.random(32),
      spanId: Hex.random(16)
    }
  }
}

const NONE: ReadonlyMap<string, unknown> = new Map()
