/** A line that a client wrote, as far as it must be understood to be passed on. */
import { claimOf, ofMessage } from "@boocode/mcp-client/Protocol"
import { JsonRpc } from "@boocode/mcp-client/Text"

type Id = string | number

export interface ClientMessage {
  readonly line: string
  readonly method: string | null
  /** The id of a request; null for everything else. */
  readonly id: Id | null
  /** The headers that the message asks for by itself: those of a request since revision 2026-07-28. Null before. */
  readonly modern: Readonly<Record<string, string>> | null
  /** The request that it cancels. */
  readonly cancels: Id | null
}

/** Null for a line that is no JSON. */
export const read = (line: string): ClientMessage | null => {
  const value = JsonRpc.decode(line)
  if (value === undefined) return null
  // A batch, which revision 2025-03-26 alone knows, goes on as it is.
  const message = JsonRpc.isObject(value) ? value : {}
  const { id, method } = message
  const claim = claimOf(message)
  return {
    line,
    method: typeof method === "string" ? method : null,
    id: typeof method === "string" && isId(id) ? id : null,
    modern: claim === null ? null : ofMessage(message, claim),
    cancels: JsonRpc.cancelledId(message)
  }
}

const isId = (id: unknown): id is Id => typeof id === "string" || typeof id === "number"

/** An error as the answer to a request. */
export const refusal = (id: Id | null, code: number, message: string): string =>
  JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } })

/**
 * Whether a message of a server answers a request. A long one is told by its beginning: to read all of it takes longer than
 * to pass it on.
 */
export const isAnswer = (text: string): boolean => {
  if (text.length > LONG) return !ASKING.test(text)
  const message = JsonRpc.decode(text)
  return JsonRpc.isObject(message) && JsonRpc.isAnswer(message)
}

const LONG = 16_384
const ASKING = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?(?:"id"\s*:\s*[^,]{1,100},\s*)?"method"/

/** The text on one line. Only whitespace between values can break a line of JSON. */
export const oneLine = (text: string): string => /[\r\n]/.test(text) ? text.replace(/[\r\n]+/g, " ") : text
