/**
 * The standard variables of OpenTelemetry. Effect's own `layerFromConfig` exports nothing without `OTEL_TRACES_EXPORTER`,
 * and a value that it cannot read ends the program. Here an endpoint is enough, and such a value is a warning.
 */
import * as Result from "effect/Result"
import * as TraceSampling from "./TraceSampling.ts"

export const SIGNALS = ["traces", "metrics", "logs"] as const
export type Signal = typeof SIGNALS[number]

export type Variables = Readonly<Record<string, string | undefined>>

export interface Export {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly protocol: "http/json" | "http/protobuf"
  readonly compression: "gzip" | "none"
  /** How long one request may take. */
  readonly timeoutMillis: number
  readonly everyMillis: number
}

export interface Plan {
  readonly exports: Readonly<Partial<Record<Signal, Export>>>
  readonly sampler: TraceSampling.Sampler
  readonly temporality: "cumulative" | "delta"
  readonly resource: { readonly serviceName: string; readonly attributes: Readonly<Record<string, string>> }
}

/** The plan is null where the variables export nothing. Problems hold no values of headers. */
export interface Read {
  readonly plan: Plan | null
  readonly problems: ReadonlyArray<string>
}

const SERVICE_NAME = "boocode"
/** The specification prefers http/protobuf, which takes Effect's encoder twenty times as long. */
const PROTOCOL = "http/json"
const ENDPOINT = "http://localhost:4318"
const TIMEOUT_MILLIS = 10_000

const INTERVALS = {
  traces: { name: "OTEL_BSP_SCHEDULE_DELAY", usual: 5000 },
  metrics: { name: "OTEL_METRIC_EXPORT_INTERVAL", usual: 60_000 },
  logs: { name: "OTEL_BLRP_SCHEDULE_DELAY", usual: 1000 }
} as const

export const read = (variables: Variables): Read => {
  const look = lookOf(variables)
  const { problems } = look
  const isOff = look.text("OTEL_SDK_DISABLED")?.toLowerCase() === "true"
  const found = (isOff ? [] : SIGNALS.filter((signal) => isWanted(look, signal))).flatMap((signal) => {
    const to = exportOf(look, signal)
    return to === null ? [] : [[signal, to] as const]
  })
  if (found.length === 0) return { plan: null, problems }
  const temporality = choice(look, "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE", ["cumulative", "delta"])
  const plan = { exports: Object.fromEntries(found), sampler: samplerOf(look), temporality, resource: resourceOf(look) }
  return { plan, problems }
}

const lookOf = (variables: Variables) => {
  const problems: Array<string> = []
  // The specification counts an empty variable as one that is not set.
  const text = (name: string) => variables[name]?.trim() || undefined
  return {
    text,
    problems,
    complain: (problem: string) => void problems.push(problem),
    /** The variable of one signal where it is set, else the one of all three. */
    nameOf: (signal: Signal, what: string) => {
      const own = `OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_${what}`
      return text(own) === undefined ? `OTEL_EXPORTER_OTLP_${what}` : own
    }
  }
}

type Look = ReturnType<typeof lookOf>

const isWanted = ({ complain, nameOf, text }: Look, signal: Signal): boolean => {
  const name = `OTEL_${signal.toUpperCase()}_EXPORTER`
  const asked = (text(name) ?? "").split(",").map((one) => one.trim().toLowerCase()).filter((one) => one !== "")
  if (asked.length === 0) return text(nameOf(signal, "ENDPOINT")) !== undefined
  for (const one of asked) {
    if (one !== "otlp" && one !== "none") complain(`${name}=${one} is not supported: otlp and none are`)
  }
  return asked.includes("otlp")
}

const exportOf = (look: Look, signal: Signal): Export | null => {
  const url = urlOf(look, signal)
  const protocol = protocolOf(look, signal)
  if (url === null || protocol === null) return null
  return {
    url,
    protocol,
    headers: pairs(look, look.nameOf(signal, "HEADERS")),
    compression: choice(look, look.nameOf(signal, "COMPRESSION"), ["none", "gzip"]),
    timeoutMillis: millis(look, look.nameOf(signal, "TIMEOUT"), TIMEOUT_MILLIS),
    everyMillis: millis(look, INTERVALS[signal].name, INTERVALS[signal].usual)
  }
}

/** The address of one signal is taken as it is; the common one gets the path of the signal. */
const urlOf = ({ complain, nameOf, text }: Look, signal: Signal): string | null => {
  const name = nameOf(signal, "ENDPOINT")
  const value = text(name) ?? ENDPOINT
  const url = name === "OTEL_EXPORTER_OTLP_ENDPOINT" ? `${value.replace(/\/+$/, "")}/v1/${signal}` : value
  if (/^https?:$/.test(URL.parse(url)?.protocol ?? "")) return url
  complain(`${name} is no http or https address: ${signal} are not exported`)
  return null
}

const protocolOf = ({ complain, nameOf, text }: Look, signal: Signal): Export["protocol"] | null => {
  const name = nameOf(signal, "PROTOCOL")
  const value = text(name) ?? PROTOCOL
  if (value === "http/json" || value === "http/protobuf") return value
  const instead = "http/protobuf and http/json are, usually on port 4318"
  complain(`${name}=${value} is not supported, so ${signal} are not exported: ${instead}`)
  return null
}

/** `key=value,key=value`, both percent-encoded. */
const pairs = ({ complain, text }: Look, name: string): Readonly<Record<string, string>> => {
  const found = (text(name) ?? "").split(",").filter((pair) => pair.trim() !== "").map((pair) => {
    const at = pair.indexOf("=")
    const key = decoded(pair.slice(0, Math.max(0, at)))
    const value = decoded(pair.slice(at + 1))
    return key === null || key === "" || value === null ? null : [key, value] as const
  })
  if (found.includes(null)) complain(`${name} is not read whole: expected key=value,key=value, percent-encoded`)
  return Object.fromEntries(found.filter((pair) => pair !== null))
}

const decoded = (text: string): string | null =>
  Result.getOrElse(Result.try(() => decodeURIComponent(text.trim())), () => null)

const millis = ({ complain, text }: Look, name: string, usual: number): number => {
  const value = Number(text(name) ?? usual)
  if (Number.isInteger(value) && value > 0 && value < 2 ** 31) return value
  complain(`${name} is ignored: expected milliseconds`)
  return usual
}

/** One of two words; the first where neither stands there. */
const choice = <A extends string>({ complain, text }: Look, name: string, [usual, other]: readonly [A, A]): A => {
  const value = text(name)?.toLowerCase() ?? usual
  if (value !== usual && value !== other) complain(`${name} is ignored: expected ${usual} or ${other}`)
  return value === other ? other : usual
}

const samplerOf = ({ complain, text }: Look): TraceSampling.Sampler => {
  const name = text("OTEL_TRACES_SAMPLER")
  const sampler = name === undefined ? TraceSampling.USUAL : TraceSampling.parse(name, text("OTEL_TRACES_SAMPLER_ARG"))
  if (sampler !== null) return sampler
  complain("OTEL_TRACES_SAMPLER and its _ARG are ignored: every trace is kept unless its caller's is not")
  return TraceSampling.USUAL
}

const resourceOf = (look: Look): Plan["resource"] => {
  const { "service.name": name, ...attributes } = pairs(look, "OTEL_RESOURCE_ATTRIBUTES")
  return { serviceName: look.text("OTEL_SERVICE_NAME") ?? name ?? SERVICE_NAME, attributes }
}
