/** The tool calls of one turn: each is shown, run, and answered exactly once. */
import { type CallProgress, nobody } from "@boocode/mcp-registry"
import { CallEvents, IndirectCall, McpToolkit, ModelText, type ResultFiles, ToolResult } from "@boocode/toolkit"
import type * as Prompt from "effect/ai/Prompt"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import type { AskerOf } from "../asking/Questions.ts"
import * as History from "../history/History.ts"
import { freeId } from "../history/ResultMatching.ts"
import type { Emit, Part } from "../model/Part.ts"
import * as CallCircuit from "./CallCircuit.ts"
import * as TurnSpans from "./TurnSpans.ts"
import type { TurnTools } from "./TurnTools.ts"

export interface Call {
  /** Unique in its chat. */
  readonly id: string
  readonly name: string
  readonly params: unknown
  /** The name that the model called: another one where it called this tool through `tool_call`. */
  readonly said: string
  /** Null for an unknown tool. */
  readonly ticket: CallCircuit.Ticket | null
}

export interface ToolCalls {
  /** Asked at each call: more tools come while a turn runs. */
  readonly tools: Omit<TurnTools, "next">
  readonly emit: Emit
  readonly ids: Set<string>
  /** Calls that were shown and have no result yet. */
  readonly open: Map<string, Call>
  readonly circuit: CallCircuit.CallCircuit
  readonly askerOf: AskerOf
}

/** No calls yet; `ids` are taken by earlier turns. */
export const make = (
  tools: Omit<TurnTools, "next">,
  ids: ReadonlyArray<string>,
  emit: Emit,
  askerOf: AskerOf = () => Effect.succeed(nobody)
): ToolCalls => ({
  askerOf,
  tools,
  emit,
  ids: new Set(ids),
  open: new Map(),
  circuit: CallCircuit.make()
})

export const show = (
  state: ToolCalls,
  said: { readonly id: string; readonly name: string; readonly params: unknown }
): Effect.Effect<Call> =>
  Effect.suspend(() => {
    const meant = said.name === IndirectCall.CALL ? IndirectCall.meant(said.params) : null
    const { name, params } = meant === null ? said : { name: meant.name, params: meant.args }
    const tool = state.tools.get(name)
    const ticket = tool === undefined ? null : CallCircuit.ticket(state.circuit, tool, params)
    const call = { id: ownId(state.ids, said.id), name, params, said: said.name, ticket }
    state.open.set(call.id, call)
    const server = tool?.server ?? null
    const through = meant === null ? {} : { through: said.name }
    return Effect.as(
      state.emit({ type: "tool-call", id: call.id, name, server, args: jsonArgs(params), ...through }),
      call
    )
  }).pipe(Effect.uninterruptible)

/** Takes up a call that an earlier run of the program showed and did not answer. It is not shown again. */
export const takeUp = (
  state: ToolCalls,
  { args, id, name, through }: Extract<Part, { readonly type: "tool-call" }>
): Effect.Effect<Call> =>
  Effect.sync(() => {
    const call = { id, name, params: args, said: through ?? name, ticket: null }
    state.ids.add(id)
    state.open.set(id, call)
    return call
  })

/**
 * Runs a call and shows its result. Never fails: an unknown tool, a tool's failure, defect or cancellation is an error
 * result, and so is a call that would fail as the ones before it did (see `CallCircuit`). Interrupting it cancels the
 * tool; its result is then shown before it ends.
 */
export const run = (state: ToolCalls, call: Call): Effect.Effect<Prompt.ToolResultPart, never, ResultFiles> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function*() {
      const started = yield* Clock.currentTimeMillis
      const isKnown = state.tools.get(call.name) !== undefined
      const exit = yield* Effect.exit(restore(TurnSpans.within(callTool(state, call), TurnSpans.ofCall(call, isKnown))))
      const millis = (yield* Clock.currentTimeMillis) - started
      const result = Exit.isSuccess(exit) ? exit.value : ToolResult.failure(exitText(call, exit.cause), { millis })
      if (Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)) {
        yield* Effect.logError("a tool broke", exit.cause)
      }
      const kept = yield* ModelText.keepWhole(result)
      yield* answerCall(state, call, kept)
      return yield* History.resultPart({ id: call.id, name: call.said }, kept)
    })
  )

/** Answers every call that is still open with an error result that says why. */
export const close = (state: ToolCalls, why: string): Effect.Effect<void> =>
  Effect.forEach(
    [...state.open.values()],
    (call) => answerCall(state, call, ToolResult.failure(`${call.name} has no result: ${why}`)),
    { discard: true }
  )

/** Some models number their calls anew in every answer, or write ids that other providers refuse. */
const ownId = (taken: Set<string>, id: string): string => freeId(taken, id.replaceAll(/[^A-Za-z0-9_-]/g, "_") || "call")

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
  return CallCircuit.run(state.circuit, {
    tool,
    args: call.params,
    before: call.ticket ?? CallCircuit.ticket(state.circuit, tool, call.params),
    call: Effect.scoped(Effect.gen(function*() {
      const asker = yield* state.askerOf(call.id)
      const onProgress = yield* CallEvents.throttled((progress) => showProgress(state, call, progress))
      return yield* tool.run(call.params, { asker, onProgress, callId: call.id })
    })),
    life: tool.server === null ? Effect.succeed(null) : state.tools.life(tool.server)
  })
}

/** A server may go on reporting about a call that was already answered. */
const showProgress = (state: ToolCalls, call: Call, { message, progress, total }: CallProgress): Effect.Effect<void> =>
  Effect.suspend(() =>
    state.open.has(call.id)
      ? state.emit({ type: "tool-progress", id: call.id, progress, total, message })
      : Effect.void
  )

const answerCall = (state: ToolCalls, call: Call, result: ToolResult.ToolResult): Effect.Effect<void> =>
  Effect.suspend(() => {
    if (!state.open.delete(call.id)) return Effect.void
    const { content, isError, millis, origin, text, truncated } = result
    return state.emit({ type: "tool-result", id: call.id, isError, text, content, truncated, origin, millis })
  })
