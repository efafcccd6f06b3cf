/** The tool calls of one turn: each is shown, run, and answered exactly once. */
import { type CallProgress, nobody, ToolUi } from "@boocode/mcp-registry"
import {
  type AgentTool,
  CallEvents,
  IndirectCall,
  McpToolkit,
  ModelText,
  ResultFiles,
  type RunOptions,
  SearchTools,
  ToolResult
} from "@boocode/toolkit"
import { ExecuteTool, type ProgramCall } from "@boocode/toolkit/code"
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
import * as ExecutedProgram from "../programs/ExecutedProgram.ts"
import type { Programs } from "../programs/TurnPrograms.ts"
import * as CallDrafts from "../tools/CallDrafts.ts"
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
  /** The call whose program makes this one; null where the model does. */
  readonly program: string | null
  /** Whether it was let be made before a restart of the server, and goes on. */
  readonly goesOn: boolean
  /** The `ui://` resource that shows its result; null where the tool has none. */
  readonly app: string | null
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
  /** Null where no program can run. */
  readonly programs: Programs | null
  /** The words about programs that are stopped, by their calls. */
  readonly stopped: Map<string, () => string>
  /** The calls that a model still writes, and where those who watch see them. */
  readonly written: Map<string, string>
  readonly watched: Watched
}

/** Where those who watch a turn see the calls that its model writes. */
export interface Watched {
  readonly turn: number
  readonly drafts: CallDrafts.CallDrafts
}

/** No calls yet; `ids` are taken by earlier turns. */
export const make = (
  tools: Omit<TurnTools, "next">,
  ids: ReadonlyArray<string>,
  emit: Emit,
  { askerOf = () => Effect.succeed(nobody), programs = null, watched }: {
    readonly askerOf?: AskerOf | undefined
    readonly programs?: Programs | null | undefined
    readonly watched?: Watched | undefined
  } = {}
): ToolCalls => ({
  askerOf,
  programs,
  stopped: new Map(),
  written: new Map(),
  watched: watched ?? { turn: 0, drafts: CallDrafts.make() },
  tools,
  emit,
  ids: new Set(ids),
  open: new Map(),
  circuit: CallCircuit.make()
})

/** The model begins to write a call. The call will have the id that it gets here, unless it is `forget`ten. */
export const begin = (state: ToolCalls, { id: said, name }: { readonly id: string; readonly name: string }): void => {
  if (state.written.has(said)) return
  const id = ownId(state.ids, said)
  state.written.set(said, id)
  const tool = state.tools.get(name)
  const app = appOf(tool)
  const { drafts, turn } = state.watched
  CallDrafts.begin(drafts, { turn, id, name, server: tool?.server ?? null, ...app === null ? {} : { app } })
}

export const write = (state: ToolCalls, { delta, id }: { readonly id: string; readonly delta: string }): void =>
  CallDrafts.write(state.watched.drafts, state.written.get(id) ?? "", delta)

/** Calls that the model began to write never come. */
export const forget = (state: ToolCalls): void => {
  for (const id of state.written.values()) {
    state.ids.delete(id)
    CallDrafts.end(state.watched.drafts, id)
  }
  state.written.clear()
}

export const show = (
  state: ToolCalls,
  said: { readonly id: string; readonly name: string; readonly params: unknown },
  by: { readonly program: string; readonly line: number | null } | null = null
): Effect.Effect<Call> =>
  Effect.suspend(() => {
    const meant = by === null && said.name === IndirectCall.CALL ? IndirectCall.meant(said.params) : null
    const { name, params } = meant === null ? said : { name: meant.name, params: meant.args }
    const tool = state.tools.get(name)
    const ticket = tool === undefined ? null : CallCircuit.ticket(state.circuit, tool, params)
    const program = by?.program ?? null
    const written = by === null ? state.written.get(said.id) : undefined
    const id = written ?? (by === null ? ownId(state.ids, said.id) : freeId(state.ids, said.id))
    // A program puts its calls together itself.
    const app = by === null ? appOf(tool) : null
    const call = { id, name, params, said: said.name, ticket, program, goesOn: false, app }
    state.open.set(call.id, call)
    const server = tool?.server ?? null
    const how = {
      ...meant === null ? {} : { through: said.name },
      ...app === null ? {} : { app },
      ...by === null ? {} : { program: by.program, ...by.line === null ? {} : { line: by.line } }
    }
    if (written !== undefined) state.written.delete(said.id)
    return state.emit({ type: "tool-call", id: call.id, name, server, args: jsonArgs(params), ...how }).pipe(
      Effect.tap(Effect.sync(() => CallDrafts.end(state.watched.drafts, id))),
      Effect.as(call)
    )
  }).pipe(Effect.uninterruptible)

const appOf = (tool: AgentTool | undefined): string | null =>
  tool?.listed === undefined ? null : ToolUi.of(tool.listed).resourceUri

/** Takes up a call that an earlier run of the server showed and did not answer. It is not shown again. */
export const takeUp = (
  state: ToolCalls,
  { app, args, id, name, program, through }: Extract<Part, { readonly type: "tool-call" }>,
  goesOn = false
): Effect.Effect<Call> =>
  Effect.sync(() => {
    const call = {
      id,
      name,
      params: args,
      said: through ?? name,
      ticket: null,
      program: program ?? null,
      goesOn,
      app: app ?? null
    }
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
      const kept = yield* ModelText.keepWhole(yield* resultOf(state, call, restore))
      yield* closeInside(state, call)
      yield* answerCall(state, call, kept)
      return yield* History.resultPart({ id: call.id, name: call.said }, kept)
    })
  )

const resultOf = Effect.fnUntraced(function*(
  state: ToolCalls,
  call: Call,
  restore: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>,
  options: Pick<RunOptions, "onWaiting"> = {}
) {
  const started = yield* Clock.currentTimeMillis
  const isKnown = state.tools.get(call.name) !== undefined
  const span = TurnSpans.ofCall(call, isKnown)
  const exit = yield* Effect.exit(restore(TurnSpans.within(callTool(state, call, options), span)))
  const millis = (yield* Clock.currentTimeMillis) - started
  if (Exit.isSuccess(exit)) return exit.value
  if (!Cause.hasInterruptsOnly(exit.cause)) yield* Effect.logError("a tool broke", exit.cause)
  return ToolResult.failure(state.stopped.get(call.id)?.() ?? exitText(call, exit.cause), { millis })
})

/** Makes a call of a program, as those of the model are made. */
const makeInside = (
  state: ToolCalls,
  program: Call,
  { args, id: number, line, name }: ProgramCall,
  { isAgain, onWaiting }: { readonly isAgain: boolean } & Pick<RunOptions, "onWaiting">
) =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function*() {
      const id = ExecutedProgram.idOf(program.id, number)
      const before = isAgain ? state.open.get(id) : undefined
      // The program may have gone on since it was kept: nothing is made twice.
      if (isAgain && before === undefined && state.ids.has(id)) return ToolResult.failure(MADE, { fault: "server" })
      const call = before ?? (yield* show(state, { id, name, params: args }, { program: program.id, line }))
      const result = yield* resultOf(state, call, restore, { onWaiting })
      yield* answerCall(state, call, result)
      return result
    })
  )

const MADE = "it was made before the chat server was started again, and nobody knows what came of it"

/** Calls of a program that never went on. */
const closeInside = (state: ToolCalls, program: Call): Effect.Effect<void> =>
  Effect.forEach(
    [...state.open.values()].filter((call) => call.program === program.id),
    (call) => answerCall(state, call, ToolResult.failure(`${call.name} was not called: its program ended`)),
    { discard: true }
  )

/** Answers every call that is still open with an error result that says why; `textOf` says it for some in other words. */
export const close = (
  state: ToolCalls,
  why: string,
  textOf: (call: Call) => string | null = () => null
): Effect.Effect<void> =>
  Effect.forEach(
    [...state.open.values()],
    (call) => answerCall(state, call, ToolResult.failure(textOf(call) ?? `${call.name} has no result: ${why}`)),
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

const callTool = Effect.fnUntraced(function*(
  state: ToolCalls,
  call: Call,
  { onWaiting }: Pick<RunOptions, "onWaiting">
): Effect.fn.Return<ToolResult.ToolResult, never, ResultFiles> {
  const tool = state.tools.get(call.name)
  if (tool === undefined) {
    return ToolResult.failure(McpToolkit.unknownTool(call.name, [...state.tools.keys()]), { fault: "call" })
  }
  const files = yield* ResultFiles
  return yield* CallCircuit.run(state.circuit, {
    tool,
    args: call.params,
    before: call.ticket ?? CallCircuit.ticket(state.circuit, tool, call.params),
    call: Effect.scoped(Effect.gen(function*() {
      const asker = yield* state.askerOf(call.id)
      const onProgress = yield* CallEvents.throttled((progress) => showProgress(state, call, progress))
      const options = { asker, onProgress, callId: call.id, onWaiting, isApproved: call.goesOn }
      const { programs } = state
      const execute = programs === null || call.name !== ExecuteTool.EXECUTE || call.program !== null
        ? undefined
        : (code: string) =>
          Effect.provideService(runProgram(state, call, { programs, code, onProgress }), ResultFiles, files)
      return yield* tool.run(call.params, { ...options, execute })
    })),
    life: tool.server === null ? Effect.succeed(null) : state.tools.life(tool.server)
  })
})

const runProgram = (
  state: ToolCalls,
  call: Call,
  { code, onProgress, programs }: {
    readonly programs: Programs
    readonly code: string
    readonly onProgress: (progress: CallProgress) => Effect.Effect<void>
  }
) =>
  Effect.flatMap(ResultFiles, (files) => {
    const names = [...state.tools.keys()].filter((name) => !OUTSIDE.has(name))
    return ExecutedProgram.run({
      programs,
      id: call.id,
      code,
      goesOn: call.goesOn,
      tools: names.flatMap((name) => state.tools.get(name) ?? []),
      make: (one, options) => Effect.provideService(makeInside(state, call, one, options), ResultFiles, files),
      onLine: (message, progress) => onProgress({ progress, total: null, message }),
      onStart: (soFar) => void state.stopped.set(call.id, soFar)
    })
  })

/** Tools that are none in a program: it finds and calls others by their own names. */
const OUTSIDE: ReadonlySet<string> = new Set([
  ExecuteTool.EXECUTE,
  IndirectCall.CALL,
  SearchTools.SEARCH,
  SearchTools.DESCRIBE
])

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
    const { content, isError, meta, millis, origin, structuredContent, styles, text, truncated } = result
    const forApp = call.app === null ? {} : {
      ...structuredContent === null ? {} : { structured: structuredContent },
      ...meta === undefined ? {} : { meta }
    }
    return state.emit({
      type: "tool-result",
      id: call.id,
      isError,
      text,
      content,
      truncated,
      origin,
      millis,
      ...styles === undefined ? {} : { styles },
      ...forApp
    })
  })
