/**
 * Which calls of a turn are answered here, because their server or the call itself failed again and again (R34).
 */
import { type AgentTool, ToolResult, Utf8 } from "@boocode/toolkit"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

/** How many failures in a row are enough. @category constants */
export const LIMIT = 3

/** What failed in a turn so far. A turn begins with a new one, so that every turn tries again. @category models */
export interface CallCircuit {
  /** By server. */
  readonly servers: Map<string, Failures>
  /** By name and arguments. */
  readonly calls: Map<string, Failures>
}

/** Failures in a row; never changed, so that two looks can be compared. */
interface Failures {
  readonly count: number
  readonly reason: string
}

/** What had failed when a call was made by the model. @category models */
export interface Ticket {
  readonly server: Failures | undefined
  readonly call: Failures | undefined
}

/** @category constructors */
export const make = (): CallCircuit => ({ servers: new Map(), calls: new Map() })

/**
 * To be taken when the model makes a call: of calls that it makes at once, the failures count as one.
 *
 * @category constructors
 */
export const ticket = (circuit: CallCircuit, tool: AgentTool, args: unknown): Ticket => ({
  server: circuit.servers.get(tool.server ?? ""),
  call: circuit.calls.get(keyOf(tool, args))
})

/**
 * Makes the call, or answers it with an error result that says not to retry: after three failures in a row of its
 * server (`fault: "server"`), and after three times the same error of the very same call, whose answer is known by then.
 *
 * **Details**
 *
 * Any answer of the server ends its row, an error of a tool too; mistakes in arguments say nothing about it. A call that
 * was cancelled does not count.
 *
 * @category running
 */
export const run = (
  circuit: CallCircuit,
  tool: AgentTool,
  args: unknown,
  before: Ticket,
  call: Effect.Effect<ToolResult.ToolResult>
): Effect.Effect<ToolResult.ToolResult> =>
  Effect.suspend(() => {
    const refused = refusal(circuit, tool, args)
    if (refused !== null) return Effect.succeed(refused)
    return Effect.tap(call, (result) => Effect.sync(() => count(circuit, tool, args, before, result)))
  })

const refusal = (circuit: CallCircuit, tool: AgentTool, args: unknown): ToolResult.ToolResult | null => {
  const server = circuit.servers.get(tool.server ?? "")
  if (tool.server !== null && server !== undefined && server.count >= LIMIT) {
    return ToolResult.failure(serverText(tool.name, tool.server, server), { fault: "server" })
  }
  const call = circuit.calls.get(keyOf(tool, args))
  return call !== undefined && call.count >= LIMIT
    ? ToolResult.failure(callText(tool.name, call), { fault: "call" })
    : null
}

const serverText = (name: string, server: string, { count, reason }: Failures): string =>
  `${name} was not called: MCP server ${server} failed ${count} times in a row in this turn. Do not retry: no tool of ` +
  `${server} is called again in this turn. Go on without it, use another tool, or tell the person what is missing. ` +
  `Its last failure: ${reason}`

const callText = (name: string, { count, reason }: Failures): string =>
  `${name} was not called: this very call failed ${count} times in this turn with the same error. Do not retry it with ` +
  `these arguments in this turn. Change them, use another tool, or go on without it. The error: ${reason}`

const REASON_BYTES = 2000

const count = (
  circuit: CallCircuit,
  tool: AgentTool,
  args: unknown,
  before: Ticket,
  result: ToolResult.ToolResult
): void => {
  const reason = Utf8.prefix(result.text, REASON_BYTES)
  if (tool.server !== null) {
    if (result.fault === "server") add(circuit.servers, tool.server, before.server, reason)
    else if (result.fault !== "call") circuit.servers.delete(tool.server)
  }
  const key = keyOf(tool, args)
  if (!result.isError) circuit.calls.delete(key)
  else if (circuit.calls.get(key)?.reason === reason) add(circuit.calls, key, before.call, reason)
  else circuit.calls.set(key, { count: 1, reason })
}

/** A failure counts when nothing was counted since its call was made. */
const add = (counted: Map<string, Failures>, key: string, before: Failures | undefined, reason: string): void => {
  const now = counted.get(key)
  if (now === before) counted.set(key, { count: (now?.count ?? 0) + 1, reason })
}

/** Equal for equal arguments, in whatever order their keys are. Arguments that cannot be written count as one. */
const keyOf = (tool: AgentTool, args: unknown): string =>
  `${tool.name} ${Result.getOrElse(Result.try(() => JSON.stringify(args, sorted)), () => "?")}`

const sorted = (_key: string, value: unknown): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => one < other ? -1 : 1))
    : value
