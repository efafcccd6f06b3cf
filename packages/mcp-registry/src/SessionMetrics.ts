/**
 * How long connections to servers last, and how they end.
 */
import type { ServerConfig } from "@boocode/mcp-config"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Metric from "effect/Metric"
import * as CallSpan from "./CallSpan.ts"
import type { Connection } from "./Connection.ts"
import * as DurationTally from "./DurationTally.ts"
import type { McpErrorReason } from "./McpError.ts"

/** Whether anything is counted at all. @category references */
export class IsCounting extends Context.Reference<boolean>("mcp-registry/IsCounting", {
  defaultValue: () => true
}) {}

const histogram = Metric.histogram("mcp.client.session.duration", {
  description: "How long connections to MCP servers lasted, by server and, where one was lost, why",
  boundaries: DurationTally.BOUNDARIES,
  attributes: { unit: "s" }
})

/** Each label costs memory for ever, and anybody may add servers. */
const MAX_SERVERS = 250
const seen = new Set<string>()

/**
 * Measures a connection for as long as `life` runs, which says why it was lost; null where nothing went wrong.
 *
 * @category combinators
 */
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
