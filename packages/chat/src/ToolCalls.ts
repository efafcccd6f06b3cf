/**
 * The tool calls of one turn: each is shown, run, and answered exactly once.
 */
import type { CallProgress } from "@boocode/mcp-registry"
import { type AgentTool, McpToolkit, ModelText, type ResultFiles, ToolResult, Utf8 } from "@boocode/toolkit"
import type * as Prompt from "effect/ai/Prompt"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import * as CallCircuit from "./CallCircuit.ts"
import * as History from "./History.ts"
import type { Emit } from "./Part.ts"

/** One call as the turn knows it. @category models */
export interface Call {
  /** Unique in its chat. */
  readonly id: string
  readonly name: string
  readonly params: unknown
  /** Null for an unknown tool. */
  readonly ticket: CallCircuit.Ticket | null
}

/** Tools by name, such as a map. @category models */
export interface ToolLookup {
  readonly get: (name: string) => AgentTool | undefined
  readonly keys: () => Iterable<string>
}

/** The calls of a turn. @category models */
export interface ToolCalls {
  /** Asked at each call: more tools come while a turn runs. */
  readonly tools: ToolLookup
  readonly emit: Emit
  /** Every id of a call in this chat. */
  readonly ids: Set<string>
  /** Calls that were shown and have no result yet. */
  readonly open: Map<string, Call>
  readonly circuit: CallCircuit.CallCircuit
}

/**
 * No calls yet; `ids` are taken by earlier turns.
 *
 * @category constructors
 */
export const make = (tools: ToolLookup, ids: ReadonlyArray<string>, emit: Emit): ToolCalls => ({
  tools,
  emit,
  ids: new Set(ids),
  open: new Map(),
  circuit: CallCircuit.make()
})

/**
 * Shows a call of the model and gives it an id of its own.
 *
 * @category running
 */
export const show = (
  state: ToolCalls,
  { id, name, params }: { readonly id: string; readonly name: string; readonly params: unknown }
): Effect.Effect<Call> =>
  Effect.suspend(() => {
    const tool = state.tools.get(name)
    const ticket = tool === undefined ? null : CallCircuit.ticket(state.circuit, tool, params)
    const call = { id: ownId(state.ids, id), name, params, ticket }
    state.open.set(call.id, call)
    const server = tool?.server ?? null
    return Effect.as(state.emit({ type: "tool-call", id: call.id, name, server, args: jsonArgs(params) }), call)
  }).pipe(Effect.uninterruptible)

/**
 * Runs a call and shows its result. Never fails: an unknown tool, a tool's failure, defect or cancellation is an error
 * result, and so is a call that would fail as the ones before it did (see `CallCircuit`). Interrupting it cancels the
 * tool; its result is then shown before it ends.
 *
 * @category running
 */
export const run = (state: ToolCalls, call: Call): Effect.Effect<Prompt.ToolResultPart, never, ResultFiles> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function*() {
      const started = yield* Clock.currentTimeMillis
      const exit = yield* Effect.exit(restore(callTool(state, call)))
      const millis = (yield* Clock.currentTimeMillis) - started
      const result = Exit.isSuccess(exit) ? exit.value : ToolResult.failure(exitText(call, exit.cause), { millis })
      if (Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)) {
        yield* Effect.logError("a tool broke", exit.cause)
      }
      const kept = yield* ModelText.keepWhole(result)
      yield* answerCall(state, call, kept)
      return yield* History.resultPart(call, kept)
    })
  )

/**
 * Answers every call that is still open with an error result that says why.
 *
 * @category running
 */
export const close = (state: ToolCalls, why: string): Effect.Effect<void> =>
  Effect.forEach(
    [...state.open.values()],
    (call) => answerCall(state, call, ToolResult.failure(`${call.name} has no result: ${why}`)),
    { discard: true }
  )

/** Some models number their calls anew in every answer, or write ids that other providers refuse. */
const ownId = (taken: Set<string>, id: string): string => {
  const legal = id.replaceAll(/[^A-Za-z0-9_-]/g, "_") || "call"
  let own = legal
  for (let count = 2; taken.has(own); count++) own = `${legal}_${count}`
  taken.add(own)
  return own
}

const isJson = Schema.is(Schema.Json)

const jsonArgs = (params: unknown): Schema.Json => {
  if (params === undefined || params === null || params === "") return {}
  return isJson(params) ? params : "(not JSON)"
}

const exitText = (call: Call, cause: Cause.Cause<never>): string =>
  Cause.hasInterruptsOnly(cause)
    ? `${call.name} has no result: it was cancelled before it finished`
    : `${call.name} broke: ${Cause.pretty(cause).split("\n")[0]}`

const callTool = (state: ToolCalls, call: Call): Effect.Effect<ToolResult.ToolResult> => {
  const tool = state.tools.get(call.name)
  if (tool === undefined) {
    return Effect.succeed(
      ToolResult.failure(McpToolkit.unknownTool(call.name, [...state.tools.keys()]), { fault: "call" })
    )
  }
  const ran = Effect.scoped(
    Effect.flatMap(reporter(state, call), (onProgress) => tool.run(call.params, { onProgress }))
  )
  const ticket = call.ticket ?? CallCircuit.ticket(state.circuit, tool, call.params)
  return CallCircuit.run(state.circuit, tool, call.params, ticket, ran)
}

const PROGRESS_MILLIS = 200
const PROGRESS_BYTES = 1000

/** Shows at most one progress in 200 ms, the latest; every part is kept for as long as the chat is. */
const reporter = Effect.fnUntraced(function*(state: ToolCalls, call: Call) {
  const scope = yield* Effect.scope
  let last = -Infinity
  let waiting: CallProgress | null = null
  const show = ({ message, progress, total }: CallProgress) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      last = now
      waiting = null
      const words = message === null ? null : Utf8.prefix(message, PROGRESS_BYTES)
      // A server may go on reporting about a call that was already answered.
      return state.open.has(call.id)
        ? state.emit({ type: "tool-progress", id: call.id, progress, total, message: words })
        : Effect.void
    })
  const showWaiting = Effect.suspend(() => waiting === null ? Effect.void : show(waiting))
  return Effect.fnUntraced(function*(progress: CallProgress) {
    const isTimed = waiting !== null
    const wait = last + PROGRESS_MILLIS - (yield* Clock.currentTimeMillis)
    if (wait <= 0 && !isTimed) return yield* show(progress)
    waiting = progress
    if (!isTimed) yield* Effect.forkIn(Effect.delay(showWaiting, wait), scope)
  })
})

const answerCall = (state: ToolCalls, call: Call, result: ToolResult.ToolResult): Effect.Effect<void> =>
  Effect.suspend(() => {
    if (!state.open.delete(call.id)) return Effect.void
    const { content, isError, millis, origin, text, truncated } = result
    return state.emit({ type: "tool-result", id: call.id, isError, text, content, truncated, origin, millis })
  })
