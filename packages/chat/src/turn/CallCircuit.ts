/** Which calls of a turn are answered here, because their server or the call itself failed again and again (R34). */
import { type AgentTool, ToolResult, Utf8 } from "@boocode/toolkit"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"

/** How many failures in a row are enough. */
const LIMIT = 3

/**
 * How often the very same call may fail with the same error of its tool. More than `LIMIT`: a tool that is asked until
 * something is ready may say "not yet" as an error. Mistakes in arguments are known before the call, and stay at
 * `LIMIT`.
 */
const SAME_LIMIT = 5

/** The failures of a turn so far. Every turn begins with a new one, and so tries again. */
export interface CallCircuit {
  /** By server. */
  readonly servers: Map<string, Failures>
  /** By name and arguments; since the last call that worked, which may have changed what they answer. */
  readonly calls: Map<string, Failures>
  /** Servers that got their second chance. */
  readonly tried: Set<string>
}

/** Failures in a row; never changed, so that two looks can be compared. */
interface Failures {
  readonly count: number
  readonly reason: string
  readonly limit: number
  /** The life of the server in which the last one happened. */
  readonly life: string | null
}

/** The failures at the moment when the model made a call. */
export interface Ticket {
  readonly server: Failures | undefined
  readonly call: Failures | undefined
}

export const make = (): CallCircuit => ({ servers: new Map(), calls: new Map(), tried: new Set() })

/** To be taken when the model makes a call: of calls that it makes at once, the failures count as one. */
export const ticket = (circuit: CallCircuit, tool: AgentTool, args: unknown): Ticket => ({
  server: circuit.servers.get(tool.server ?? ""),
  call: circuit.calls.get(keyOf(tool, args))
})

export interface Attempt {
  readonly tool: AgentTool
  readonly args: unknown
  /** Taken when the model made the call. */
  readonly before: Ticket
  readonly call: Effect.Effect<ToolResult.ToolResult>
  /** A text that is another after each start of the tool's server; null while that is not ready. */
  readonly life: Effect.Effect<string | null>
}

/**
 * Makes the call, or answers it with an error result that says not to retry: after three failures in a row of its
 * server (`fault: "server"`), and after the same error of the very same call five times (three times for arguments that
 * cannot be used) without any call that worked in between.
 *
 * **Details**
 *
 * Any answer of the server ends its row, an error of a tool too; mistakes in arguments say nothing about it. A server
 * that was started again since its last failure gets one more try, once in a turn. A call that was cancelled does not
 * count.
 */
export const run = Effect.fnUntraced(function*(circuit: CallCircuit, attempt: Attempt) {
  const refused = refusal(circuit, attempt, yield* attempt.life)
  if (refused !== null) return refused
  const result = yield* attempt.call
  count(circuit, attempt, result, result.fault === "server" ? yield* attempt.life : null)
  return result
})

const refusal = (circuit: CallCircuit, { args, tool }: Attempt, life: string | null): ToolResult.ToolResult | null => {
  const server = circuit.servers.get(tool.server ?? "")
  if (tool.server !== null && server !== undefined && server.count >= server.limit) {
    const isAnother = life !== null && life !== server.life && !circuit.tried.has(tool.server)
    if (!isAnother) return ToolResult.failure(serverText(tool.name, tool.server, server), { fault: "server" })
    circuit.tried.add(tool.server)
  }
  const call = circuit.calls.get(keyOf(tool, args))
  return call !== undefined && call.count >= call.limit
    ? ToolResult.failure(callText(tool.name, call), { fault: "call" })
    : null
}

// No word of the server's: it would have to stand between its marks, whose instructions a model is not to follow.
const serverText = (name: string, server: string, { count }: Failures): string =>
  `${name} was not called: MCP server ${server} failed ${count} times in a row in this turn. Do not retry: no tool of ` +
  `${server} is called again in this turn. Go on without it, use another tool, or tell the person what is missing; ` +
  `its last answer above says why.`

const callText = (name: string, { count }: Failures): string =>
  `${name} was not called: this very call failed ${count} times in this turn with the same error. Do not retry it with ` +
  `these arguments in this turn. Change them, use another tool, or go on without it.`

const REASON_BYTES = 2000

const count = (
  circuit: CallCircuit,
  { args, before, tool }: Attempt,
  result: ToolResult.ToolResult,
  life: string | null
): void => {
  const failure = { reason: Utf8.prefix(result.text, REASON_BYTES), limit: LIMIT, life }
  if (tool.server !== null) {
    if (result.fault === "server") add(circuit.servers, tool.server, before.server, failure)
    else if (result.fault !== "call") circuit.servers.delete(tool.server)
  }
  if (!result.isError) return circuit.calls.clear()
  const key = keyOf(tool, args)
  const same = { ...failure, limit: result.fault === "call" ? LIMIT : SAME_LIMIT }
  if (circuit.calls.get(key)?.reason === same.reason) add(circuit.calls, key, before.call, same)
  else circuit.calls.set(key, { ...same, count: 1 })
}

/** A failure counts when nothing was counted since its call was made. */
const add = (
  counted: Map<string, Failures>,
  key: string,
  before: Failures | undefined,
  failure: Omit<Failures, "count">
): void => {
  const now = counted.get(key)
  if (now === before) counted.set(key, { ...failure, count: (now?.count ?? 0) + 1 })
}

/** Equal for equal arguments, in whatever order their keys are. Arguments that cannot be written count as one. */
const keyOf = (tool: AgentTool, args: unknown): string =>
  `${tool.name} ${Result.getOrElse(Result.try(() => JSON.stringify(args, sorted)), () => "?")}`

const sorted = (_key: string, value: unknown): unknown =>
  Predicate.isObject(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => one < other ? -1 : 1))
    : value
