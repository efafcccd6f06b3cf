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
  "tools/call": { content: [] },
  "tools/list": { tools: [] }
}

/** A request that waits for its raw result. @category models */
export interface Ticket {
  /** What the request's `_meta` has to carry. */
  readonly meta: Readonly<Record<typeof TICKET, number>>
  /** Forgets the request. */
  readonly drop: () => void
}

/** Matches requests going out with results coming in. @category models */
export interface RawAnswers {
  /** Announces a request; `settle` gets its result as the server wrote it. */
  readonly ticket: (settle: (result: Schema.JsonObject) => void) => Ticket
  /** To be applied to every message that leaves. */
  readonly outgoing: (message: Schema.JsonObject) => Schema.JsonObject
  /** To be applied to every message that arrives. */
  readonly incoming: (message: Schema.JsonObject) => Schema.JsonObject
}

interface Waiting {
  readonly method: string
  readonly ticket: number
}

/** Begins without any request. @category constructors */
export const make = (): RawAnswers => {
  let last = 0
  const settlers = new Map<number, (result: Schema.JsonObject) => void>()
  const waiting = new Map<Schema.Json, Waiting>()

  const drop = (ticket: number) => {
    settlers.delete(ticket)
    for (const [id, entry] of waiting) if (entry.ticket === ticket) waiting.delete(id)
  }
  const standIn = (message: Schema.JsonObject, entry: Waiting, result: Schema.JsonObject): Schema.JsonObject => {
    settlers.get(entry.ticket)?.(result)
    const { resultType } = result
    const replacement = STAND_INS[entry.method] ?? {}
    return { ...message, result: resultType === undefined ? replacement : { ...replacement, resultType } }
  }
  return {
    ticket: (settle) => {
      const ticket = ++last
      settlers.set(ticket, settle)
      return { meta: { [TICKET]: ticket }, drop: () => drop(ticket) }
    },
    outgoing: (message) => {
      const found = withoutTicket(message)
      if (found === null) return message
      waiting.set(found.id, { method: found.method, ticket: found.ticket })
      return found.message
    },
    incoming: (message) => {
      const id = message["id"]
      const entry = id === undefined ? undefined : waiting.get(id)
      if (id === undefined || entry === undefined || !JsonRpc.isAnswer(message)) return message
      waiting.delete(id)
      const result = message["result"]
      const isComplete = JsonRpc.isObject(result) && (result["resultType"] ?? "complete") === "complete"
      return isComplete ? standIn(message, entry, result) : message
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
