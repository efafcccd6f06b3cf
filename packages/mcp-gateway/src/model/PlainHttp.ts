/**
 * Requests and answers as plain data. To make a `Request`, a `Response` and the streams in them takes longer than a call, so
 * they are made only where the SDK asks for them.
 */

import * as Effect from "effect/Effect"

/**
 * A request over HTTP.
 *
 * @category models
 */
export interface PlainRequest {
  readonly method: string
  /** With scheme and host. */
  readonly url: string
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Null for none. */
  readonly body: string | null
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: () => AbortSignal
}

/**
 * An answer over HTTP.
 *
 * @category models
 */
export interface PlainAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | ReadableStream<Uint8Array> | null
}

/** An answer of one JSON document. */
export const json = (document: unknown, status = 200): PlainAnswer => ({
  status,
  headers: { "content-type": "application/json" },
  body: JSON.stringify(document)
})

/** An error of JSON-RPC that is about no request. */
export const refused = (status: number, code: number, message: string): PlainAnswer =>
  json({ jsonrpc: "2.0", error: { code, message }, id: null }, status)

/** A request without its body, which is parsed already. */
export const headOf = ({ headers, method, signal, url }: PlainRequest): Request =>
  new Request(url, {
    method,
    signal: signal(),
    headers: Object.entries(headers).flatMap(([name, value]): Array<[string, string]> =>
      value === undefined ? [] : [[name, value]]
    )
  })

/** The answer of the SDK. An answer that is no stream of events is over soon. */
export const answerOf = Effect.fnUntraced(function*(
  answered: () => Promise<Response>
): Effect.fn.Return<PlainAnswer> {
  const response = yield* Effect.promise(answered)
  const { body, status } = response
  const headers = Object.fromEntries(response.headers)
  const isStream = headers["content-type"]?.startsWith("text/event-stream") === true
  return { status, headers, body: body === null || isStream ? body : yield* Effect.promise(() => response.text()) }
})

/** An answer for a program that knows `Response`. */
export const toResponse = ({ body, headers, status }: PlainAnswer): Response => new Response(body, { status, headers })
