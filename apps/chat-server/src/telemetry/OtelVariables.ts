/**
 * The standard variables of OpenTelemetry: what is to be exported, and where to.
 */
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Tracer from "effect/Tracer"

export const SIGNALS = ["traces", "metrics", "logs"] as const
export type Signal = typeof SIGNALS[number]

export type Variables = Readonly<Record<string, string | undefined>>

/** Where one signal goes. */
export interface Export {
  readonly url: string
  readonly headers: Redacted.Redacted<Readonly<Record<string, string>>>
  readonly protocol: "http/json" | "http/protobuf"
  readonly compression: "gzip" | "none"
  /** How long one request may take. */
  readonly timeoutMillis: number
  /** How often it is sent; null for the usual pace. */
  readonly everyMillis: number | null
}

export interface Plan {
  /** Only of signals that are exported. */
  readonly exports: Readonly<Partial<Record<Signal, Export>>>
  readonly sampler: Sampler
  readonly temporality: "cumulative" | "delta"
  readonly serviceName: string
  readonly attributes: Readonly<Record<string, string>>
}

/** What the variables come to; no plan where they ask for nothing. Problems hold no values of headers. */
export interface Read {
  readonly plan: Plan | null
  readonly problems: ReadonlyArray<string>
}

/** The name under which this server appears where nobody names it. */
export const SERVICE_NAME = "boocode"
const LOCAL = "http://localhost:4318"
const TIMEOUT_MILLIS = 10_000

export const read = (variables: Variables): Read => {
  const problems: Array<string> = []
  const look = lookOf(variables, (words) => problems.push(words))
  if (look.text("OTEL_SDK_DISABLED")?.toLowerCase() === "true") return { plan: null, problems }
  const wanted = SIGNALS.filter((signal) => isWanted(look, signal))
  if (wanted.length === 0) return { plan: null, problems }
  const exports = Object.fromEntries(wanted.flatMap((signal) => {
    const found = exportOf(look, signal)
    return found === null ? [] : [[signal, found]]
  }))
  if (Object.keys(exports).length === 0) return { plan: null, problems }
  return {
    plan: { exports, sampler: samplerOf(look), temporality: temporalityOf(look), ...resourceOf(look) },
    problems
  }
}

/** Variables as they are asked for; an empty one counts as none, as the specification has it. */
interface Look {
  readonly text: (name: string) => string | undefined
  /** Of one signal, else of all. */
  readonly of: (signal: Signal, what: string) => { readonly name: string; readonly value: string | undefined }
  readonly complain: (words: string) => void
}

const lookOf = (variables: Variables, complain: Look["complain"]): Look => {
  const text = (name: string) => {
    const value = variables[name]?.trim()
    return value === "" ? undefined : value
  }
  return {
    text,
    of: (signal, what) => {
      const own = `OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_${what}`
      const common = `OTEL_EXPORTER_OTLP_${what}`
      return text(own) === undefined ? { name: common, value: text(common) } : { name: own, value: text(own) }
    },
    complain
  }
}

const isWanted = ({ complain, of, text }: Look, signal: Signal): boolean => {
  const name = `OTEL_${signal.toUpperCase()}_EXPORTER`
  const named = (text(name) ?? "").split(",").map((one) => one.trim().toLowerCase()).filter((one) => one !== "")
  if (named.length === 0) return of(signal, "ENDPOINT").value !== undefined
  for (const one of named) {
    if (one !== "otlp" && one !== "none") complain(`${name}=${one} is not supported: otlp and none are`)
  }
  return named.includes("otlp")
}

const exportOf = (look: Look, signal: Signal): Export | null => {
  const url = urlOf(look, signal)
  const protocol = protocolOf(look, signal)
  if (url === null || protocol === null) return null
  return {
    url,
    protocol,
    headers: Redacted.make(pairsOf(look, look.of(signal, "HEADERS"))),
    compression: look.of(signal, "COMPRESSION").value === "gzip" ? "gzip" : "none",
    timeoutMillis: millisOf(look, look.of(signal, "TIMEOUT")) ?? TIMEOUT_MILLIS,
    everyMillis: millisOf(look, { name: INTERVALS[signal], value: look.text(INTERVALS[signal]) })
  }
}

const INTERVALS = {
  traces: "OTEL_BSP_SCHEDULE_DELAY",
  metrics: "OTEL_METRIC_EXPORT_INTERVAL",
  logs: "OTEL_BLRP_SCHEDULE_DELAY"
} as const

/** The address of a signal is taken as it is; that of all gets the path of each. */
const urlOf = ({ complain, of, text }: Look, signal: Signal): string | null => {
  const { name, value = LOCAL } = of(signal, "ENDPOINT")
  const isOwn = text(`OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_ENDPOINT`) !== undefined
  const url = isOwn ? value : `${value.replace(/\/+$/, "")}/v1/${signal}`
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url
  complain(`${name} is no http or https address: ${signal} are not exported`)
  return null
}

const protocolOf = ({ complain, of }: Look, signal: Signal): Export["protocol"] | null => {
  const { name, value = "http/protobuf" } = of(signal, "PROTOCOL")
  if (value === "http/json" || value === "http/protobuf") return value
  const instead = "http/protobuf and http/json are, usually on port 4318"
  complain(`${name}=${value} is not supported, so ${signal} are not exported: ${instead}`)
  return null
}

interface Named {
  readonly name: string
  readonly value: string | undefined
}

/** `key=value,key=value`, both percent-encoded. */
const pairsOf = ({ complain }: Look, { name, value = "" }: Named): Readonly<Record<string, string>> => {
  const pairs = value.split(",").filter((pair) => pair.trim() !== "").map((pair) => {
    const at = pair.indexOf("=")
    const key = decoded(pair.slice(0, Math.max(0, at)))
    const text = decoded(pair.slice(at + 1))
    return key === null || key === "" || text === null ? null : [key, text] as const
  })
  if (pairs.includes(null)) complain(`${name} is not read whole: expected key=value,key=value, percent-encoded`)
  return Object.fromEntries(pairs.filter((pair) => pair !== null))
}

const decoded = (text: string): string | null =>
  Result.getOrElse(Result.try(() => decodeURIComponent(text.trim())), () => null)

const millisOf = ({ complain }: Look, { name, value }: Named): number | null => {
  if (value === undefined) return null
  const millis = Number(value)
  if (Number.isInteger(millis) && millis > 0 && millis < 2 ** 31) return millis
  complain(`${name} is ignored: expected milliseconds`)
  return null
}

const samplerOf = ({ complain, text }: Look): Sampler => {
  const name = text("OTEL_TRACES_SAMPLER")
  if (name === undefined) return DEFAULT
  const sampler = parseSampling(name, text("OTEL_TRACES_SAMPLER_ARG"))
  if (sampler === null) {
    complain("OTEL_TRACES_SAMPLER and its _ARG are ignored: every trace is kept unless its caller's is not")
  }
  return sampler ?? DEFAULT
}

const temporalityOf = ({ complain, text }: Look): Plan["temporality"] => {
  const name = "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE"
  const value = text(name)?.toLowerCase() ?? "cumulative"
  if (value !== "cumulative" && value !== "delta") complain(`${name} is ignored: expected cumulative or delta`)
  return value === "delta" ? "delta" : "cumulative"
}

const resourceOf = (look: Look): Pick<Plan, "serviceName" | "attributes"> => {
  const name = "OTEL_RESOURCE_ATTRIBUTES"
  const { "service.name": service, ...attributes } = pairsOf(look, { name, value: look.text(name) })
  return { serviceName: look.text("OTEL_SERVICE_NAME") ?? service ?? SERVICE_NAME, attributes }
}

// Which traces are kept, as OTEL_TRACES_SAMPLER says.

export interface Sampler {
  /** Whether what called us decides, where something did. */
  readonly isParentBased: boolean
  /** Which part of the other traces is kept, from 0 to 1. */
  readonly ratio: number
}

export const DEFAULT: Sampler = { isParentBased: true, ratio: 1 }

/** By the names of OpenTelemetry; null for one that does not exist, or an argument that is no part. */
export const parseSampling = (name: string, argument: string | undefined): Sampler | null => {
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
