/**
 * Takes the results of chosen requests before the SDK decodes them, because its decoder refuses a whole answer for one
 * part it does not know: one malformed tool, one unknown content type.
 */
import type * as Schema from "effect/Schema"
import type { About, AskingCall } from "../requests/AskingCalls.ts"
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
  "notifications/prompts/list_changed",
  "notifications/resources/list_changed",
  "notifications/tools/list_changed"
])

/** Where a server of 2026-07-28 says which request for news its words belong to. */
const SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"

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
  /** Told what else the server says about the request. */
  readonly notice?: (notice: Notice) => void
  /** The call that a question on the request's own stream is about. */
  readonly call?: AskingCall | null
  /** Whether a result that asks for something instead is wanted as well (2026-07-28). */
  readonly mayAsk?: boolean
}

/** Takes what a server asks; false leaves a message to others. @category models */
export type Taker = (message: Schema.JsonObject, about: About) => boolean

/** What a server says about a request before it is answered. @category models */
export interface Notice {
  /** That it listens as asked from now on, or that it gave the request up by itself. */
  readonly kind: "acknowledged" | "cancelled"
  readonly params: Schema.JsonObject
}

/** What a server tells of itself, as it wrote it. @category models */
export interface News {
  /** `notifications/message`. */
  readonly logged: (params: Schema.JsonObject) => void
  /** `notifications/resources/updated`. */
  readonly updated: (params: Schema.JsonObject) => void
}

/** Matches requests going out with results coming in. @category models */
export interface RawAnswers {
  /** Announces a request and who gets its result, and each progress notification of it before that, as written. */
  readonly ticket: (listener: Listener) => Ticket
  /** Sets who is told what the server tells of itself, at once and in order. What came before is not told. */
  readonly listen: (news: News) => void
  /** Sets who takes requests of the server's, and what belongs to them, before anybody else sees them. */
  readonly serve: (taker: Taker) => void
  /** To be applied to every message that leaves. */
  readonly outgoing: (message: Schema.JsonObject) => Schema.JsonObject
  /**
   * To be applied to every message that arrives; `about` is the id of our request on whose own stream it came. Of what
   * means nothing to anybody else nothing is left.
   */
  readonly incoming: (message: Schema.JsonObject, about?: string | number | null) => Schema.JsonObject
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
  let news: News | null = null
  let taker: Taker = () => false

  const drop = (ticket: number) => {
    announced.delete(ticket)
    waiting.delete(ids.get(ticket) ?? null)
    ids.delete(ticket)
  }
  const standIn = (message: Schema.JsonObject, entry: Waiting, result: Schema.JsonObject): Schema.JsonObject => {
    entry.listener.settle(result)
    const replacement = STAND_INS[entry.method] ?? {}
    // What asks for something is ours to go on with.
    const isMarked = result["resultType"] !== undefined
    return { ...message, result: isMarked ? { ...replacement, resultType: "complete" } : replacement }
  }
  const answered = (message: Schema.JsonObject, id: string | number | null): Schema.JsonObject => {
    const entry = waiting.get(id)
    if (entry === undefined) return message
    waiting.delete(id)
    const result = message["result"]
    if (!JsonRpc.isObject(result)) return message
    const { resultType = "complete" } = result
    const isWanted = resultType === "complete" || (resultType === "input_required" && entry.listener.mayAsk === true)
    return isWanted ? standIn(message, entry, result) : message
  }
  const aboutOf = (id: string | number | null): About => {
    if (id === null) return "unknown"
    const entry = waiting.get(id)
    return entry === undefined ? "a request that is over" : entry.listener.call ?? "another request"
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
  /** Other requests of ours may have the number of a request of the server's, which it may give up as well. */
  const noticed = (kind: Notice["kind"], id: Schema.Json | undefined, params: Schema.JsonObject): boolean => {
    const entry = waiting.get(id ?? null)
    if (entry?.method !== "subscriptions/listen") return false
    entry.listener.notice?.({ kind, params })
    return true
  }
  /** Gives what the SDK is to hear of it. */
  const told = (message: Schema.JsonObject): Schema.JsonObject => {
    const params = JsonRpc.isObject(message["params"]) ? message["params"] : {}
    switch (message["method"]) {
      case "notifications/message":
        news?.logged(params)
        return UNHEARD
      case "notifications/resources/updated":
        news?.updated(params)
        return UNHEARD
      case "notifications/subscriptions/acknowledged":
        noticed("acknowledged", subscriptionOf(params), params)
        return UNHEARD
      case "notifications/cancelled":
        return noticed("cancelled", params["requestId"], params) ? UNHEARD : message
      default:
        return HEARD.has(message["method"]) ? message : UNHEARD
    }
  }
  return {
    listen: (listener) => {
      news = listener
    },
    serve: (next) => {
      taker = next
    },
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
    incoming: (message, about = null) => {
      if (JsonRpc.isAnswer(message)) return answered(message, JsonRpc.idOf(message))
      if (message["method"] === PROGRESS) return progressed(message)
      if (taker(message, aboutOf(about))) return UNHEARD
      return message["id"] === undefined ? told(message) : message
    }
  }
}

/** Which request for news this belongs to (2026-07-28). @category getters */
export const subscriptionOf = (params: Schema.JsonObject): Schema.Json | undefined => {
  const meta = params["_meta"]
  return JsonRpc.isObject(meta) ? meta[SUBSCRIPTION] : undefined
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
