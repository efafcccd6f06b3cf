/**
 * What an operator sees of tool calls: how many, how they ended, how long they took, and how many are on their way.
 */
import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as CallSpan from "./CallSpan.ts"
import * as CallTallies from "./CallTallies.ts"
import type { CallResult, McpTool } from "./McpTool.ts"
import * as Parting from "./Parting.ts"

/**
 * Watches a call: counts it when it is over, however it ends, and traces it where the host keeps traces.
 *
 * @category models
 */
export type Counted = <E, R>(
  call: (parting: Parting.Parting) => Effect.Effect<CallResult, E, R>,
  tool: Pick<McpTool, "server" | "tool">
) => Effect.Effect<CallResult, E, R>

/** @category models */
export interface Options {
  /** False counts nothing, and leaves calls as they are. */
  readonly metrics: boolean
}

/** For the calls of one registry; what it counts is read where the metrics of this context are. @category constructors */
export const make = ({ metrics }: Options): Effect.Effect<Counted> =>
  metrics
    ? Effect.contextWith((context: Context.Context<never>) =>
      Effect.map(Clock.Clock, (clock) => counting(CallTallies.of(context), clock))
    )
    : Effect.succeed(traced)

const traced: Counted = (call, tool) => Parting.around((parting) => inSpan(call(parting), tool))

const counting = (tallies: CallTallies.CallTallies, clock: Clock.Clock): Counted => (call, tool) =>
  Parting.around((parting) => {
    const tally = tallies.of(tool.server, tool.tool)
    const began = clock.currentTimeMillisUnsafe()
    tally.begin()
    parting.add((exit) => tally.end(exit, (clock.currentTimeMillisUnsafe() - began) / 1000))
    return inSpan(call(parting), tool)
  })

const inSpan = <E, R>(call: Effect.Effect<CallResult, E, R>, tool: Pick<McpTool, "server" | "tool">) => {
  const fiber = Fiber.getCurrent()
  return fiber !== undefined && CallSpan.isKept(fiber) ? CallSpan.traced(fiber, call, tool) : call
}
