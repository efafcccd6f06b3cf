/** The little of JSON-RPC 2.0 that the transports themselves need to know. */
import type * as Schema from "effect/Schema"

/** A message in either direction. */
export type Message = Schema.JsonObject

/** A message that arrived, or the size of one above the cap. */
export type Incoming =
  | { readonly _tag: "Message"; readonly message: Message }
  | {
    readonly _tag: "Oversized"
    readonly bytes: number
    readonly id: string | number | null
    readonly isAnswer: boolean
  }

/** Whether a value is a JSON object. */
export const isObject = (value: unknown): value is Schema.JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Whether a value is a JSON-RPC message: a request, a notification, a result or an error. */
export const isMessage = (value: unknown): value is Message =>
  isObject(value) && value["jsonrpc"] === "2.0" && (typeof value["method"] === "string" || isAnswer(value))

/** Whether a message answers a request. */
export const isAnswer = (message: Schema.JsonObject): boolean =>
  hasId(message) && ("result" in message || (message["error"] ?? null) !== null)

const hasId = (message: Schema.JsonObject): boolean =>
  typeof message["id"] === "string" || typeof message["id"] === "number"

/** The id of a message. */
export const idOf = ({ id }: Schema.JsonObject): string | number | null => idIn(id)

/** A value as a number that can be sent on; null where it is none. JSON can say `1e400`, which is infinite here. */
export const finiteIn = (value: Schema.Json | undefined): number | null =>
  typeof value === "number" && Number.isFinite(value) ? value : null

/** A value as an id; null where it is none. A number that came as text counts as that number. */
export const idIn = (value: Schema.Json | undefined): string | number | null => {
  if (typeof value === "number") return value
  if (typeof value !== "string") return null
  return /^\d{1,15}$/.test(value) ? Number(value) : value
}

/** The code of an error that says that there is no such method. */
export const METHOD_NOT_FOUND = -32601

/**
 * Whether a value is an error that names no request: the server could not read a message, so it cannot say which (JSON-RPC
 * 2.0, section 5).
 */
export const isComplaint = (value: unknown): value is Message =>
  isObject(value) && value["jsonrpc"] === "2.0" && (value["id"] ?? null) === null && value["method"] === undefined &&
  isObject(value["error"])

/** The message and the code of an error. */
export const wordsOf = ({ error }: Schema.JsonObject): string => {
  const { code, message } = isObject(error) ? error : {}
  const words = typeof message === "string" && message !== "" ? message : "no reason given"
  return typeof code === "number" ? `${words} (${code})` : words
}

/** The request that a message cancels; null when it is no cancellation. */
export const cancelledId = ({ method, params }: Schema.JsonObject): string | number | null => {
  const id = method === "notifications/cancelled" && isObject(params) ? params["requestId"] : null
  return typeof id === "string" || typeof id === "number" ? id : null
}

/** Parses a text; undefined when it is no JSON. */
export const decode = (text: string): unknown => {
  // oxlint-disable-next-line house/no-try -- JSON.parse has no other way to say no, and every message comes by here
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Parses a line; null when it is no JSON-RPC message. */
export const parse = (line: string): Message | null => {
  const value = decode(line)
  return isMessage(value) ? value : null
}

/** The messages of a text: one, or the batch that a server of 2025-03-26 may write. Other values are left out. */
export const messagesIn = (text: string): ReadonlyArray<Message> => {
  const value = decode(text)
  return (Array.isArray(value) ? value : [value]).filter(isMessage)
}
