/** One request to the server and what comes back, message by message. */
import type { HttpRequest, HttpSend, ResponseHeaders } from "@boocode/mcp-client"
import { SseParser } from "@boocode/mcp-client/Protocol"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"

/** The request certainly did not reach the server. */
export class Unsent extends Data.TaggedError("Unsent")<{ readonly why: string }> {}

/** The request may have reached the server, and its answer did not come to its end. */
export class CutOff extends Data.TaggedError("CutOff")<{ readonly why: string }> {}

/** A response that came to its end. */
export interface Answer {
  readonly status: number
  readonly session: string | null
  /** The text of a response that is no message: why the server refused, in its own words. */
  readonly text: string
}

/** Sends, and tells each message as it comes. Interruption aborts the request. */
export const exchange = (
  send: HttpSend,
  request: HttpRequest,
  onMessage: (text: string) => void
): Effect.Effect<Answer, Unsent | CutOff> =>
  Effect.callback((resume) => {
    let answer: Answer = { status: 0, session: null, text: "" }
    let events: SseParser | null = null
    const chunks: Array<Uint8Array> = []
    const abort = send(request, {
      onHeaders: (status, headers) => {
        answer = { status, session: headerOf(headers, "mcp-session-id"), text: "" }
        if (headerOf(headers, "content-type")?.startsWith("text/event-stream") === true) events = parser(onMessage)
      },
      onData: (chunk) => {
        if (events === null) chunks.push(chunk)
        else events.push(chunk)
      },
      onEnd: () => {
        events?.end()
        const text = Buffer.concat(chunks).toString("utf8")
        if (answer.status < 300 && text !== "") onMessage(text)
        resume(Effect.succeed(answer.status < 300 ? answer : { ...answer, text }))
      },
      onError: (error) => {
        const why = wordsOf(error)
        resume(Effect.fail(isUnsent(error) ? new Unsent({ why }) : new CutOff({ why })))
      }
    })
    return Effect.sync(abort)
  })

/** Messages of a server of this machine are as long as it makes them. */
const parser = (onMessage: (text: string) => void): SseParser =>
  new SseParser({
    maxBytes: LONGEST,
    endlessBytes: LONGEST,
    onEvent: (data, name) => name === "" || name === "message" ? onMessage(data) : undefined,
    onOversized: () => {}
  })

const LONGEST = 512 * 1024 * 1024

const headerOf = (headers: ResponseHeaders, name: string): string | null => {
  const value = headers[name]
  return typeof value === "string" ? value : value?.[0] ?? null
}

const UNSENT = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$/

const isUnsent = (error: unknown): boolean =>
  Predicate.hasProperty(error, "code") && typeof error.code === "string" && UNSENT.test(error.code) ||
  Predicate.hasProperty(error, "cause") && isUnsent(error.cause)

const wordsOf = (error: unknown): string =>
  Predicate.hasProperty(error, "cause") && error.cause instanceof Error
    ? wordsOf(error.cause)
    : error instanceof Error
    ? error.message
    : String(error)
