/** How long connections to servers last, and how they end. */
import type { Connection } from "@boocode/mcp-client/Connection"
import type { McpErrorReason } from "@boocode/mcp-client/McpError"
import { CallSpan } from "@boocode/mcp-client/Protocol"
import type { ServerConfig } from "@boocode/mcp-config"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Metric from "effect/Metric"

/** In seconds, as OpenTelemetry's conventions for MCP say. */
export const BOUNDARIES: ReadonlyArray<number> = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300]

export interface DurationTally {
  readonly add: (seconds: number) => void
  readonly state: () => Metric.HistogramState
}

export const makeDurationTally = (): DurationTally => {
  const counts = new Float64Array(BOUNDARIES.length + 1)
  let count = 0
  let sum = 0
  let min = Number.MAX_VALUE
  let max = -Number.MAX_VALUE
  return {
    add: (taken) => {
      // A clock may be set back, and a sum that falls is none.
      const seconds = Math.max(0, taken)
      let at = 0
      while (at < BOUNDARIES.length && seconds > (BOUNDARIES[at] ?? 0)) at += 1
      counts[at] = (counts[at] ?? 0) + 1
      count += 1
      sum += seconds
      if (seconds < min) min = seconds
      if (seconds > max) max = seconds
    },
    state: () => ({ buckets: cumulated(counts), count, min, max, sum })
  }
}

const cumulated = (counts: Float64Array): ReadonlyArray<[number, number]> => {
  let sum = 0
  return BOUNDARIES.map((boundary, at) => {
    sum += counts[at] ?? 0
    return [boundary, sum]
  })
}

/** Whether anything is counted at all. */
export class IsCounting extends Context.Reference<boolean>("mcp-registry/IsCounting", {
  defaultValue: () => true
}) {}

const histogram = Metric.histogram("mcp.client.session.duration", {
  description: "How long connections to MCP servers lasted, by server and, where one was lost, why",
  boundaries: BOUNDARIES,
  attributes: { unit: "s" }
})

/** Each label costs memory for ever, and anybody may add servers. */
const MAX_SERVERS = 250
const seen = new Set<string>()

/** Measures a connection for as long as `life` runs, which says why it was lost; null where nothing went wrong. */
export const during = <R>(
  config: ServerConfig,
  connection: Connection,
  life: Effect.Effect<McpErrorReason | null, never, R>
): Effect.Effect<McpErrorReason | null, never, R> =>
  Effect.flatMap(IsCounting, (isCounting) => isCounting ? counted(config, connection, life) : life)

const counted = <R>(
  config: ServerConfig,
  connection: Connection,
  life: Effect.Effect<McpErrorReason | null, never, R>
) =>
  Effect.flatMap(
    Clock.currentTimeMillis,
    (began) => Effect.onExit(life, (exit) => ended(config, connection, began, Exit.isSuccess(exit) ? exit.value : null))
  )

const ended = Effect.fnUntraced(function*(
  config: ServerConfig,
  { protocolVersion }: Connection,
  began: number,
  lost: McpErrorReason | null
) {
  const seconds = ((yield* Clock.currentTimeMillis) - began) / 1000
  const facts = Object.entries(CallSpan.factsFor(config)(protocolVersion)).map(([name, value]) => [name, String(value)])
  const attributes = {
    "boocode.server": labelOf(config.name),
    ...Object.fromEntries(facts),
    ...lost === null ? {} : { "error.type": lost._tag }
  }
  yield* Metric.update(Metric.withAttributes(histogram, attributes), seconds)
})

const labelOf = (name: string): string => {
  if (seen.size < MAX_SERVERS) seen.add(name)
  return seen.has(name) ? name : "other"
}
