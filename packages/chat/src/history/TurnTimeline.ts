/** The time of a turn: requests to its model, calls of tools, and waits, from its parts and when each was kept. */
import * as DateTime from "effect/DateTime"
import * as Schema from "effect/Schema"
import type { ChatTurn } from "../model/Chat.ts"
import * as CommandMode from "../model/CommandMode.ts"
import { NO_USAGE, type Part, Usage } from "../model/Part.ts"
import { ofTurn } from "../model/Usage.ts"

/** A part, and when it was kept in milliseconds since 1970; null for one of a chat that was brought here. */
export interface TimedPart {
  readonly part: Part
  readonly at: number | null
}

const Millis = Schema.Finite

/** One thing that took time. All times are milliseconds since the message was sent. */
export const TimelineBar = Schema.Struct({
  /**
   * `queue`: the message waited for the turn before. `request`: the model was asked. `summary`: it was asked to sum up
   * older turns. `pause`: the wait before the provider is asked again. `call`: a tool ran. `approval` and `question`: a
   * person was waited for.
   */
  kind: Schema.Literals(["queue", "request", "summary", "pause", "call", "approval", "question"]),
  from: Millis,
  until: Millis,
  /** Whether it goes on; `until` is then now. */
  isOpen: Schema.Boolean,
  isFailed: Schema.Boolean,
  /** The tool of a call and of a wait for it; null for all else. */
  name: Schema.NullOr(Schema.String),
  server: Schema.NullOr(Schema.String),
  /** The `id` of the `tool-call`; null where there is none. */
  call: Schema.NullOr(Schema.String),
  /** The `id` of the call whose program made this one; null for none. */
  program: Schema.NullOr(Schema.String),
  /** When the first word or call of the answer came; null where none did, and for all but requests. */
  first: Schema.NullOr(Millis),
  /** The tokens of the request; null where they are not known. */
  usage: Schema.NullOr(Usage)
})
export type TimelineBar = typeof TimelineBar.Type

export const TurnTimeline = Schema.Struct({
  chat: Schema.String,
  turn: Schema.Int,
  agent: Schema.String,
  model: Schema.String,
  /** When the message was sent: an ISO time. */
  sentAt: Schema.String,
  /** From then to the end of the turn, or to now. */
  millis: Millis,
  /** False where the times are not kept: the turn was imported, or is of an earlier version. There are no bars then. */
  isKnown: Schema.Boolean,
  usage: Usage,
  /** In the order in which they began. */
  bars: Schema.Array(TimelineBar)
})
export type TurnTimeline = typeof TurnTimeline.Type

type Bar = { -readonly [Key in keyof TimelineBar]: TimelineBar[Key] }

interface Request {
  readonly bar: Bar
  /** When its last word or call came. */
  last: number
}

interface State {
  readonly asksModel: boolean
  readonly bars: Array<Bar>
  /** The calls without a result, by their ids. */
  readonly calls: Map<string, Bar>
  /** The waits for a person without an answer, by their ids. */
  readonly waits: Map<string, Bar>
  readonly waited: Set<string>
  /** The answer that comes. */
  request: Request | null
  /** Everything before it is told. */
  cursor: number
  /** Where the next use belongs that names nothing. */
  user: Bar | null
  usage: typeof Usage.Type
}

/** A `before` is when the part before the turn was kept: a message may have waited until then. */
export const of = (
  chat: string,
  { agent, createdAt, model, turn }: Pick<ChatTurn, "agent" | "createdAt" | "model" | "turn">,
  { before, parts }: { readonly before: number | null; readonly parts: ReadonlyArray<TimedPart> },
  now: number
): TurnTimeline => {
  const sent = DateTime.toEpochMillis(DateTime.makeUnsafe(createdAt))
  const usage = ofTurn(parts.map(({ part }) => part))
  const told = { chat, turn, agent, model, sentAt: createdAt, usage }
  const last = parts.at(-1)
  if (parts.some(({ at }) => at === null)) return { ...told, millis: 0, isKnown: false, bars: [] }
  const state = begin(Math.max(0, (before ?? sent) - sent), model !== CommandMode.ID)
  for (const { at, part } of parts) put(state, part, Math.max(0, (at ?? sent) - sent))
  const isOver = last?.part.type === "finish"
  const end = Math.max(0, (isOver ? last.at ?? now : now) - sent)
  if (!isOver) goOn(state, end)
  return {
    ...told,
    millis: end,
    isKnown: true,
    bars: state.bars.toSorted((one, other) => one.from - other.from)
  }
}

const begin = (begun: number, asksModel: boolean): State => ({
  asksModel,
  bars: begun < SHORT ? [] : [bar("queue", 0, { until: begun })],
  calls: new Map(),
  waits: new Map(),
  waited: new Set(),
  request: null,
  cursor: begun,
  user: null,
  usage: NO_USAGE
})

/** A wait that nobody notices. */
const SHORT = 50

const bar = (kind: Bar["kind"], from: number, more: Partial<Bar>): Bar => ({
  kind,
  from,
  until: from,
  isOpen: false,
  isFailed: false,
  name: null,
  server: null,
  call: null,
  program: null,
  first: null,
  usage: null,
  ...more
})

const put = (state: State, part: Part, at: number): void => {
  take(state, part, at)
  if ("usage" in part && part.usage !== undefined) spend(state, part.usage)
}

const take = (state: State, part: Part, at: number): void => {
  switch (part.type) {
    case "text-delta":
    case "reasoning-delta":
      return answering(state, at)
    case "tool-call":
      return called(state, part, at)
    case "tool-progress":
      return endRequest(state, at)
    case "tool-result":
      return answered(state, part, at)
    case "approval":
      return waitFor(state, bar("approval", at, { name: part.name, server: part.server, call: part.call }), part.id)
    case "question":
      return waitFor(state, bar("question", at, { server: part.server, call: part.call }), part.id)
    case "approval-answer":
    case "question-answer":
      return endWait(state, part.id, at)
    case "summary":
      state.user = add(state, bar("summary", state.cursor, { until: at }))
      return passed(state, at)
    case "retry":
      breakOff(state, at)
      if (part.delayMillis > 0) add(state, bar("pause", at, { until: at + part.delayMillis }))
      return passed(state, at + part.delayMillis)
    case "error":
      breakOff(state, at)
      return passed(state, at)
    case "finish":
      return finished(state, at)
    default:
      return state.request === null && state.calls.size === 0 ? passed(state, at) : undefined
  }
}

const add = ({ bars }: State, one: Bar): Bar => {
  bars.push(one)
  return one
}

const passed = (state: State, at: number): void => {
  state.cursor = Math.max(state.cursor, at)
}

const asked = (state: State, at: number): Request => {
  state.request ??= { bar: add(state, bar("request", state.cursor, {})), last: at }
  return state.request
}

const answering = (state: State, at: number): void => {
  if (!state.asksModel) return
  const request = asked(state, at)
  request.bar.first ??= at
  request.last = at
}

const endRequest = (state: State, at: number): void => {
  const { request } = state
  if (request === null) return
  request.bar.until = at
  state.request = null
  state.user = request.bar
  // All calls of an answer are made when it has ended.
  for (const call of state.calls.values()) if (call.program === null) call.from = at
}

const breakOff = (state: State, at: number): void => {
  if (!state.asksModel || state.calls.size > 0 && state.request === null) return
  asked(state, at).bar.isFailed = true
  endRequest(state, at)
}

const called = (state: State, { id, name, program, server }: PartOf<"tool-call">, at: number): void => {
  if (program === undefined) answering(state, at)
  else endRequest(state, at)
  state.calls.set(id, add(state, bar("call", at, { name, server, call: id, program: program ?? null })))
}

const answered = (state: State, { id, isError, millis }: PartOf<"tool-result">, at: number): void => {
  const { request } = state
  // The answer may have ended a while after its last call; a call that waited does not say when it began.
  if (request !== null) endRequest(state, state.waited.has(id) ? request.last : Math.max(request.last, at - millis))
  const call = state.calls.get(id)
  for (const [key, wait] of state.waits) if (wait.call === id) endWait(state, key, at)
  if (call === undefined) return
  call.until = at
  call.isFailed = isError
  // Another call of the answer may have told later that it had ended.
  if (!state.waited.has(id) && call.from - (at - millis) > SHORT) call.from = Math.max(0, at - millis)
  if (call.program === null && state.user?.kind === "request") state.user.until = Math.min(state.user.until, call.from)
  state.calls.delete(id)
  if (state.calls.size === 0) passed(state, at)
}

const waitFor = (state: State, wait: Bar, id: string): void => {
  endRequest(state, wait.from)
  if (wait.call !== null) state.waited.add(wait.call)
  state.waits.set(id, add(state, wait))
}

const endWait = ({ waits }: State, id: string, at: number): void => {
  const wait = waits.get(id)
  if (wait === undefined) return
  wait.until = at
  waits.delete(id)
}

/** A turn that is stopped before the first word has waited for its model as well. */
const finished = (state: State, at: number): void => {
  for (const id of state.waits.keys()) endWait(state, id, at)
  if (state.request === null && state.asksModel && at - state.cursor >= SHORT) asked(state, at)
  endRequest(state, at)
}

const goOn = (state: State, now: number): void => {
  if (state.request === null && state.calls.size === 0 && state.waits.size === 0 && state.asksModel) asked(state, now)
  const open = [...state.calls.values(), ...state.waits.values()]
  for (const one of state.request === null ? open : [...open, state.request.bar]) {
    one.until = now
    one.isOpen = true
  }
}

/** Parts say what the turn has used so far: what is more than before belongs to the last request. */
const spend = (state: State, usage: typeof Usage.Type): void => {
  const more = less(usage, state.usage)
  state.usage = usage
  if (state.user === null || Object.values(more).every((amount) => amount === null || amount === 0)) return
  state.user.usage = more
}

const less = (all: typeof Usage.Type, before: typeof Usage.Type): typeof Usage.Type => {
  const rest = (one: number | null, other: number | null) => one === null ? null : one - (other ?? 0)
  return {
    inputTokens: rest(all.inputTokens, before.inputTokens),
    outputTokens: rest(all.outputTokens, before.outputTokens),
    cacheReadTokens: rest(all.cacheReadTokens, before.cacheReadTokens),
    cacheWriteTokens: rest(all.cacheWriteTokens, before.cacheWriteTokens),
    reasoningTokens: rest(all.reasoningTokens, before.reasoningTokens),
    cost: rest(all.cost, before.cost)
  }
}

type PartOf<Type extends Part["type"]> = Extract<Part, { readonly type: Type }>
