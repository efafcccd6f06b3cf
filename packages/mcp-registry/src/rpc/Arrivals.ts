/**
 * Where what a server sends goes: answers to whoever waits, what it tells to whoever listens, what it asks to whoever
 * answers. What means nothing to anybody costs nothing more.
 */
import type * as Clock from "effect/Clock"
import type * as Schema from "effect/Schema"
import type { About } from "../requests/AskingCalls.ts"
import * as JsonRpc from "../transport/JsonRpc.ts"
import type { Channel, Receiver } from "./Channel.ts"
import type { Requests } from "./Requests.ts"

/** Takes what a server asks, and what belongs to it; false leaves a message to others. @category models */
export type Taker = (message: JsonRpc.Message, about: About) => boolean

/** What a server tells of itself, as it wrote it. @category models */
export interface Told {
  /** `notifications/message`. */
  readonly logged: (params: Schema.JsonObject) => void
  /** `notifications/resources/updated`. */
  readonly updated: (params: Schema.JsonObject) => void
  readonly toolsChanged: () => void
  readonly listChanged: (what: "prompts" | "resources") => void
}

/** @category models */
export interface Options {
  readonly channel: Pick<Channel, "send">
  readonly requests: Requests
  readonly clock: Clock.Clock
  readonly told: Told
  /** Null since 2026-07-28, where a server asks nothing in requests of its own, and gets no answer. */
  readonly taker: Taker | null
}

/** @category models */
export interface Arrivals {
  readonly receive: Receiver
  /** When the last of it came, in milliseconds of the clock; when this was made, if nothing did. */
  readonly heardAt: () => number
}

/** @category constructors */
export const make = ({ channel, clock, requests, taker, told }: Options): Arrivals => {
  let heardAt = clock.currentTimeMillisUnsafe()

  const notified = (method: string, params: Schema.JsonObject) => {
    switch (method) {
      case "notifications/progress":
        return requests.progressed(params)
      case "notifications/message":
        return told.logged(params)
      case "notifications/resources/updated":
        return told.updated(params)
      case "notifications/tools/list_changed":
        return told.toolsChanged()
      case "notifications/prompts/list_changed":
        return told.listChanged("prompts")
      case "notifications/resources/list_changed":
        return told.listChanged("resources")
      case "notifications/subscriptions/acknowledged":
        return void requests.noticed("acknowledged", subscriptionOf(params), params)
      case "notifications/cancelled":
        return void requests.noticed("cancelled", params["requestId"], params)
    }
  }
  const asked = (id: Schema.Json, method: string) => {
    const answer = method === "ping" ? { result: {} } : { error: UNKNOWN_METHOD }
    channel.send({ jsonrpc: "2.0", id, ...answer })
  }
  const receive = (message: JsonRpc.Message, about: string | number | null) => {
    const { id, method, params } = message
    if (typeof method !== "string") return requests.answered(message)
    if (method !== "notifications/progress" && taker?.(message, requests.about(about)) === true) return
    if (id === undefined) return notified(method, JsonRpc.isObject(params) ? params : {})
    if (taker !== null && id !== null) asked(id, method)
  }
  return {
    receive: (incoming, about) => {
      heardAt = clock.currentTimeMillisUnsafe()
      if (incoming._tag === "Message") return receive(incoming.message, about)
      if (incoming.isAnswer) requests.oversized(incoming.bytes, incoming.id ?? about)
    },
    heardAt: () => heardAt
  }
}

const UNKNOWN_METHOD = { code: JsonRpc.METHOD_NOT_FOUND, message: "Method not found" } as const

/** Which request for news this belongs to (2026-07-28). @category getters */
export const subscriptionOf = ({ _meta }: Schema.JsonObject): Schema.Json | undefined =>
  JsonRpc.isObject(_meta) ? _meta["io.modelcontextprotocol/subscriptionId"] : undefined
