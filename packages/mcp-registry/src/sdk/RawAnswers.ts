/**
 * Takes the results of chosen requests before the SDK decodes them, because its decoder refuses a whole answer for one
 * part it does not know: one malformed tool, one unknown content type.
 */
import type * as Schema from "effect/Schema"
import * as JsonRpc from "../transport/JsonRpc.ts"

/** Where a request carries its ticket, on this side of the transport only. */
const TICKET = "boocode/ticket"

/** The requests whose results are taken raw, and what the SDK gets in their place. */
const STAND_INS: Readonly<Record<string, Schema.JsonObject>> = {
  "completion/complete": { completion: { values: [] } },
  "prompts/get": { messages: [] },
  "prompts/list": { prompts: [] },
  "resources/list": { resources: [] },
  "resources/read": { contents: [] },
  "resources/templates/list": { resourceTemplates: [] },
  "tools/call": { content: [] },
  "tools/list": { tools: [] }
}

const PROGRESS = "notifications/progress"

/** What a server may tell that means something to the SDK or to us. Everything else would only cost its time. */
const HEARD: ReadonlySet<Schema.Json | undefined> = new Set([
  "notifications/cancelled",
  "notifications/elicitation/complete",
  "notifications/prompts/list_changed",
  "notifications/resources/list_changed",
  "notifications/resources/updated",
  "notifications/subscriptions/acknowledged",
  "notifications/tools/list_changed"
])

/** No message, so it goes no further. */
const UNHEARD: Schema.JsonObject = {}

/** A request that waits for its raw result. @category models */
export interface Ticket {
  /** What the request's `_meta` has to carry. */
  readonly meta: Readonly<Record<typeof TICKET, number>>
  /** Forgets the request. */
  readonly drop: () => void
}

/** Who waits for a request. @category models */
export interface Listener {
  readonly settle: (result: Schema.JsonObject) => void
  /**
   * Told at once and in order. The SDK tells progress a little later than it takes the answer, and then not at all.
   */
  readonly progress: (params: Schema.JsonObject) => void
}

/** Matches requests going out with results coming in. @category models */
export interface RawAnswers {
  /** Announces a request and who gets its result, and each progress notification of it before that, as written. */
  readonly ticket: (listener: Listener) => Ticket
  /** To be applied to every message that leaves. */
  readonly outgoing: (message: Schema.JsonObject) => Schema.JsonObject
  /** To be applied to every message that arrives. Of a notification that means nothing to anybody nothing is left. */
  readonly incoming: (message: Schema.JsonObject) => Schema.JsonObject
}

interface Waiting {
  readonly method: string
  readonly listener: Listener
}

/** Begins without any request. @category constructors */
export const make = (): RawAnswers => {
  let last = 0
  const announced = new Map<number, Listener>()
  const ids = new Map<number, Schema.Json>()
  const waiting = new Map<Schema.Json, Waiting>()
  let isToldOf = false

  const drop = (ticket: number) => {
    announced.delete(ticket)
    waiting.delete(ids.get(ticket) ?? null)
    ids.delete(ticket)
  }
  const standIn = (message: Schema.JsonObject, entry: Waiting, result: Schema.JsonObject): Schema.JsonObject => {
    entry.listener.settle(result)
    const { resultType } = result
    const replacement = STAND_INS[entry.method] ?? {}
    return { ...message, result: resultType === undefined ? replacement : { ...replacement, resultType } }
  }
  const answered = (message: Schema.JsonObject, id: string | number | null): Schema.JsonObject => {
    const entry = waiting.get(id)
    if (entry === undefined) return message
    waiting.delete(id)
    const result = message["result"]
    const isComplete = JsonRpc.isObject(result) && (result["resultType"] ?? "complete") === "complete"
    return isComplete ? standIn(message, entry, result) : message
  }
  /** What a request is waiting for is a sign of life as well, so the first of each batch goes on. */
  const progressed = (message: Schema.JsonObject): Schema.JsonObject => {
    const { params } = message
    const entry = JsonRpc.isObject(params) ? waiting.get(params["progressToken"] ?? null) : undefined
    if (entry === undefined || !JsonRpc.isObject(params)) return UNHEARD
    entry.listener.progress(params)
    if (isToldOf) return UNHEARD
    isToldOf = true
    queueMicrotask(() => {
      isToldOf = false
    })
    return message
  }
  return {
    ticket: (listener) => {
      const ticket = ++last
      announced.set(ticket, listener)
      return { meta: { [TICKET]: ticket }, drop: () => drop(ticket) }
    },
    outgoing: (message) => {
      const found = withoutTicket(message)
      const listener = found === null ? undefined : announced.get(found.ticket)
      if (found === null || listener === undefined) return found?.message ?? message
      ids.set(found.ticket, found.id)
      waiting.set(found.id, { method: found.method, listener })
      return found.message
    },
    incoming: (message) => {
      if (JsonRpc.isAnswer(message)) return answered(message, JsonRpc.idOf(message))
      if (message["method"] === PROGRESS) return progressed(message)
      return message["id"] !== undefined || HEARD.has(message["method"]) ? message : UNHEARD
    }
  }
}

const withoutTicket = (message: Schema.JsonObject) => {
  const { id, method, params } = message
  const meta = JsonRpc.isObject(params) ? params["_meta"] : undefined
  if (!JsonRpc.isObject(params) || !JsonRpc.isObject(meta) || id === undefined || typeof method !== "string") {
    return null
  }
  const { [TICKET]: ticket, ...rest } = meta
  if (typeof ticket !== "number") return null
  const { _meta, ...others } = params
  const cleaned = Object.keys(rest).length === 0 ? others : { ...others, _meta: rest }
  return { id, method, ticket, message: { ...message, params: cleaned } }
}
