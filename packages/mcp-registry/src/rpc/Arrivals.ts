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
  readonly channel: Pick<Channel, "send" | "scrub">
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
  /** What is worth telling: of messages that somebody here broke over. Whoever breaks does not stop those that follow. */
  readonly diagnostics: () => ReadonlyArray<string>
}

/** @category constructors */
export const make = ({ channel, clock, requests, taker, told }: Options): Arrivals => {
  let heardAt = clock.currentTimeMillisUnsafe()
  /** How many messages somebody broke over who was told, and what the first of them said. */
  let broken = 0
  let first = ""

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
  const asked = (id: string | number, method: string) => {
    const answer = method === "ping" ? { result: {} } : { error: UNKNOWN_METHOD }
    channel.send({ jsonrpc: "2.0", id, ...answer })
  }
  const receive = (message: JsonRpc.Message, about: string | number | null) => {
    const { id, method, params } = message
    if (typeof method !== "string") return requests.answered(message)
    if (method !== "notifications/progress" && taker?.(message, requests.about(about)) === true) return
    if (id === undefined) return notified(method, JsonRpc.isObject(params) ? params : {})
    // Any other id is none, and to write it back could be beyond us.
    if (taker !== null && (typeof id === "string" || typeof id === "number")) asked(id, method)
  }
  return {
    receive: (incoming, about) => {
      heardAt = clock.currentTimeMillisUnsafe()
      // oxlint-disable-next-line house/no-try -- who reads the pipe catches nothing, so the host would end
      try {
        if (incoming._tag === "Message") receive(incoming.message, about)
        else if (incoming.isAnswer) requests.oversized(incoming.bytes, incoming.id ?? about)
      } catch (error) {
        if (broken++ === 0) first = error instanceof Error ? error.message : String(error)
      }
    },
    heardAt: () => heardAt,
    diagnostics: () => broken === 0 ? [] : [brokenWords(broken, channel.scrub(first))]
  }
}

const brokenWords = (count: number, first: string): string =>
  `${count === 1 ? "a message of its" : `${count} messages of its`} could not be handled${
    count === 1 ? "" : ", first"
  }: ${first.slice(0, 200)}`

const UNKNOWN_METHOD = { code: JsonRpc.METHOD_NOT_FOUND, message: "Method not found" } as const

/** Which request for news this belongs to (2026-07-28). @category getters */
export const subscriptionOf = ({ _meta }: Schema.JsonObject): Schema.Json | undefined =>
  JsonRpc.isObject(_meta) ? _meta["io.modelcontextprotocol/subscriptionId"] : undefined
