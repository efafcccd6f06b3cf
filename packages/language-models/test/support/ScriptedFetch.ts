/** A network that answers from a script, without sockets, and remembers what was sent. */
import { ModelFetch } from "@boocode/language-models"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"

export interface Sent {
  readonly url: string
  readonly headers: Headers
  readonly body: Schema.JsonObject
  readonly signal: AbortSignal | null
}

/** One answer; it is given the request's signal, since a real fetch ends the body when that aborts. */
export type Answer = (signal: AbortSignal | null) => Promise<Response>

const decodeBody = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.JsonObject))

export interface ScriptedFetch {
  readonly layer: Layer.Layer<never>
  /** What was sent so far. */
  readonly sent: ReadonlyArray<Sent>
  /** The first request, once it is made. */
  readonly first: Promise<Sent>
}

/** Answers are used in order; one more request than answers is a test's mistake. */
export const make = (answers: ReadonlyArray<Answer>): ScriptedFetch => {
  const sent: Array<Sent> = []
  const first = Promise.withResolvers<Sent>()
  const fetch: typeof globalThis.fetch = (input, init) => {
    const answer = answers[sent.length]
    const signal = init?.signal ?? null
    const request = {
      url: String(input),
      headers: new Headers(init?.headers),
      body: decodeBody(init?.body ?? "{}"),
      signal
    }
    sent.push(request)
    first.resolve(request)
    return answer === undefined ? Promise.reject(new Error("the script has no more answers")) : answer(signal)
  }
  return { layer: Layer.succeed(ModelFetch, fetch), sent, first: first.promise }
}

/** A stream in pieces of a few bytes, so that no line and no character arrives whole. */
export const events = (text: string): Answer => () => Promise.resolve(response(pieces(text, (out) => out.close())))

/** A stream that breaks after `text`, as undici reports a closed socket. */
export const broken = (text: string): Answer => () =>
  Promise.resolve(
    response(pieces(text, (out) => out.error(new TypeError("terminated", { cause: new Error("other side closed") }))))
  )

/** A stream that says `text` and then nothing more until the request is aborted. */
export const silent = (text: string): Answer => (signal) =>
  Promise.resolve(response(pieces(text, (out) => signal?.addEventListener("abort", () => out.error(signal.reason)))))

/** A whole JSON answer. */
export const json = (status: number, body: Schema.Json, headers: Record<string, string> = {}): Answer => () =>
  Promise.resolve(
    new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json", ...headers } })
  )

/** No answer: the connection cannot be made. */
export const refused: Answer = () =>
  Promise.reject(new TypeError("fetch failed", { cause: new Error("connect ECONNREFUSED 127.0.0.1:9") }))

const response = (body: ReadableStream<Uint8Array>) =>
  new Response(body, { status: 200, headers: { "content-type": "text/event-stream" } })

const pieces = (text: string, end: (out: ReadableStreamDefaultController<Uint8Array>) => void) => {
  const bytes = new TextEncoder().encode(text)
  let at = 0
  return new ReadableStream<Uint8Array>({
    pull: (out) => {
      if (at >= bytes.length) return end(out)
      out.enqueue(bytes.slice(at, at + 7))
      at += 7
    }
  }, { highWaterMark: 0 })
}
