/**
 * The little of JSON-RPC 2.0 that the transports themselves need to know.
 */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"

/** A message in either direction. @category models */
export type Message = Schema.JsonObject

/** What a transport hands up. @category models */
export type Incoming =
  | { readonly _tag: "Message"; readonly message: Message }
  | {
    readonly _tag: "Oversized"
    readonly bytes: number
    readonly id: string | number | null
    readonly isAnswer: boolean
  }

/** Whether a value is a JSON object. @category guards */
export const isObject = (value: unknown): value is Schema.JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Whether a value is a JSON-RPC message: a request, a notification, a result or an error. @category guards */
export const isMessage = (value: unknown): value is Message =>
  isObject(value) && value["jsonrpc"] === "2.0" && (typeof value["method"] === "string" || isAnswer(value))

/** Whether a message answers a request. @category guards */
export const isAnswer = (message: Schema.JsonObject): boolean =>
  hasId(message) && ("result" in message || isObject(message["error"]))

const hasId = (message: Schema.JsonObject): boolean =>
  typeof message["id"] === "string" || typeof message["id"] === "number"

/** The id of a message. A number that came as text counts as that number, as it does for the SDK. @category getters */
export const idOf = ({ id }: Schema.JsonObject): string | number | null =>
  typeof id === "string" && /^\d{1,15}$/.test(id)
    ? Number(id)
    : typeof id === "string" || typeof id === "number"
    ? id
    : null

/** Parses a line; null when it is no JSON-RPC message. @category decoding */
export const parse = (line: string): Message | null => {
  const value = Result.getOrUndefined(Result.try((): unknown => JSON.parse(line)))
  return isMessage(value) ? value : null
}
