/** Metrics of tool calls: how many, how they ended, how long they took, and how many are in flight. */
import type { CallResult } from "@boocode/mcp-client"
import * as CallScope from "@boocode/mcp-client/CallScope"
import { CallEnd, CallSpan } from "@boocode/mcp-client/Protocol"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Metric from "effect/Metric"
import * as SessionMetrics from "./SessionMetrics.ts"

/** Watches a call: counts it when it is over, however it ends, and traces it where the host keeps traces. */
export type Counted = <E, R>(
  call: (parting: CallScope.CallScope) => Effect.Effect<CallResult, E, R>,
  tool: CallSpan.CalledTool
) => Effect.Effect<CallResult, E, R>

export interface Options {
  /** False counts nothing, and leaves calls as they are. */
  readonly metrics: boolean
}

/** For the calls of one registry; what it counts is read where the metrics of this context are. */
export const make = ({ metrics }: Options): Effect.Effect<Counted> =>
  metrics
    ? Effect.contextWith((context: Context.Context<never>) =>
      Effect.map(Clock.Clock, (clock) => counting(talliesOf(context), clock))
    )
    : Effect.succeed(traced)

const traced: Counted = (call, tool) => CallScope.around((parting) => inSpan(call(parting), tool, parting))

const counting = (tallies: CallTallies, clock: Clock.Clock): Counted => (call, tool) =>
  CallScope.around((parting) => {
    const tally = tallies.of(tool.server, tool.tool)
    const began = clock.currentTimeMillisUnsafe()
    tally.begin()
    parting.add((exit) => tally.end(exit, (clock.currentTimeMillisUnsafe() - began) / 1000))
    return inSpan(call(parting), tool, parting)
  })

const inSpan = <E, R>(
  call: Effect.Effect<CallResult, E, R>,
  tool: CallSpan.CalledTool,
  scope: CallScope.CallScope<CallResult>
) => {
  const fiber = Fiber.getCurrent()
  return fiber !== undefined && CallSpan.isKept(fiber) ? CallSpan.traced(fiber, call, tool, scope) : call
}

/** The figures of one tool. */
export interface CallTally {
  readonly begin: () => void
  readonly end: (exit: CallEnd.End, seconds: number) => void
}

export interface CallTallies {
  /** By the name of the server and the raw name of the tool; the same one each time. */
  readonly of: (server: string, tool: string) => CallTally
}

/** Each label costs memory for ever, and servers may offer other tools each day; what is beyond counts as one. */
const MAX_TOOLS = 500
/** As many as there are reasons, and some codes that servers choose. */
const MAX_ERROR_TYPES = 40

/** Registries whose metrics are read in one place share their figures. */
const shared = new WeakMap<Metric.MetricRegistry, CallTallies>()

/** Those that are read where the metrics of this context are. */
const talliesOf = (context: Context.Context<never>): CallTallies => {
  const place = Context.get(context, Metric.MetricRegistry)
  const tallies = shared.get(place) ?? makeTallies(context)
  shared.set(place, tallies)
  return tallies
}

const makeTallies = (context: Context.Context<never>): CallTallies => {
  const servers = new Map<string, ServerTally>()
  let count = 0
  const serverOf = (name: string): ServerTally => {
    const server = servers.get(name) ?? serverTally(context, name)
    servers.set(name, server)
    return server
  }
  const known = (server: string, tool: string) => servers.get(server)?.tools.get(tool)
  const added = (name: string, tool: string): CallTally => {
    const server = serverOf(name)
    const tally = callTally(context, server, tool)
    server.tools.set(tool, tally)
    count += 1
    return tally
  }
  return {
    of: (server, tool) =>
      known(server, tool) ??
        (count < MAX_TOOLS ? added(server, tool) : known("other", "other") ?? added("other", "other"))
  }
}

interface ServerTally {
  readonly name: string
  readonly tools: Map<string, CallTally>
  inFlight: number
}

const serverTally = (context: Context.Context<never>, name: string): ServerTally => {
  const tally: ServerTally = { name, tools: new Map(), inFlight: 0 }
  const gauge = Metric.gauge("mcp_tool_calls_in_flight", {
    description: "Tool calls that are on their way, by server",
    attributes: { server: name }
  })
  Metric.registerUnsafe(gauge, context, read(() => ({ value: tally.inFlight })))
  return tally
}

const callTally = (context: Context.Context<never>, server: ServerTally, tool: string): CallTally => {
  const calls = new Map<string, { count: number }>()
  const durations = new Map<string | null, SessionMetrics.DurationTally>()
  const named = { server: server.name, tool }
  return {
    begin: () => {
      server.inFlight += 1
    },
    end: (exit, seconds) => {
      server.inFlight -= 1
      const outcome = CallEnd.outcome(exit)
      const ended = calls.get(outcome) ?? kept(calls, outcome, calledTimes(context, { ...named, outcome }))
      ended.count += 1
      const type = labelOf(durations, CallEnd.errorType(exit))
      const took = durations.get(type) ?? kept(durations, type, lasting(context, named, type))
      took.add(seconds)
    }
  }
}

const labelOf = (durations: ReadonlyMap<string | null, unknown>, type: string | null): string | null =>
  durations.has(type) || durations.size < MAX_ERROR_TYPES ? type : CallEnd.OTHER

const kept = <K, A>(all: Map<K, A>, key: K, value: A): A => {
  all.set(key, value)
  return value
}

const calledTimes = (context: Context.Context<never>, attributes: Readonly<Record<string, string>>) => {
  const tally = { count: 0 }
  const counter = Metric.counter("mcp_tool_calls_total", {
    description: "Tool calls that ended, by server, tool and outcome: ok, tool-error, failed, stopped",
    incremental: true,
    attributes
  })
  Metric.registerUnsafe(counter, context, read(() => ({ count: tally.count, incremental: true })))
  return tally
}

const lasting = (
  context: Context.Context<never>,
  { server, tool }: { readonly server: string; readonly tool: string },
  type: string | null
): SessionMetrics.DurationTally => {
  const tally = SessionMetrics.makeDurationTally()
  const histogram = Metric.histogram("mcp.client.operation.duration", {
    description: "How long tool calls took, by server, tool and the type of their error",
    boundaries: SessionMetrics.BOUNDARIES,
    attributes: {
      "unit": "s",
      "boocode.server": server,
      "mcp.method.name": "tools/call",
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": tool,
      ...type === null ? {} : { "error.type": type },
      ...type?.startsWith("-") === true ? { "rpc.response.status_code": type } : {}
    }
  })
  Metric.registerUnsafe(histogram, context, read(tally.state))
  return tally
}

/** A metric that is only read: its figures are changed here. */
const read = <State>(get: () => State): Metric.Metric.Hooks<number, State> => ({
  get,
  update: () => {},
  modify: () => {}
})
