/**
 * The body of an answer over HTTP, read as it comes: one JSON text, or a stream of events.
 */
import * as Result from "effect/Result"
import * as JsonRpc from "../base/JsonRpc.ts"
import { ConnectionLost, MessageTooLarge } from "../errors/McpError.ts"
import type { Pause, Post, Receiving, ResponseHeaders } from "../host/McpFetch.ts"
import type { HttpFailure } from "./HttpFailure.ts"
import * as Sse from "./Sse.ts"

/** Takes a body. @category models */
export type Body = Omit<Receiving, "onHeaders">

/** Who is told what a body holds. @category models */
export interface Reading {
  readonly maxBytes: number
  /** An event beyond so many bytes is not waited for. Default as for a line of a pipe. */
  readonly endlessBytes?: number
  /** Told of each message, in order, and of its length. */
  readonly onMessage: (message: JsonRpc.Message, length: number) => void
  /** Whether a stream of events is the response to a request, whose answer it holds. */
  readonly isOwn?: boolean
  /** Told of an answer above the cap on a stream that goes on. */
  readonly onOversized: (oversized: Sse.Oversized) => void
  /** Told the length of what came on a stream of events and is no message. */
  readonly onIdle?: (length: number) => void
  /** What to wait for before more of a stream is read; null when that is nothing. */
  readonly pause?: () => Pause | null
  /** Told of each event on a stream that is no message. */
  readonly onOther?: (data: string, name: string) => void
  /**
   * Told once, when nothing more comes; null when the body ended as it should. What is still on its way is to be given
   * up then.
   */
  readonly onOver: (failure: HttpFailure | null) => void
}

/** What a stream of events was at when it ended. @category models */
export interface Place {
  readonly lastEventId: () => string | null
  readonly retryMillis: () => number | null
}

/** The value of a header that comes once; null when it is not there. @category getters */
export const header = (headers: ResponseHeaders, name: string): string | null => {
  const value = headers[name]
  return typeof value === "string" ? value : value?.join(", ") ?? null
}

/** The kind of content without its parameters, in lower case; empty when it is not told. @category getters */
export const contentType = (headers: ResponseHeaders): string => {
  const value = header(headers, "content-type") ?? ""
  const [essence = ""] = value === JSON_TYPE ? [value] : value.split(";", 1)
  return essence.trim().toLowerCase()
}

/** @category constants */
export const JSON_TYPE = "application/json"
/** @category constants */
export const EVENTS_TYPE = "text/event-stream"

/** How long a body says that it is; 0 when it does not. @category getters */
export const announced = (headers: ResponseHeaders): number => Number(header(headers, "content-length") ?? 0)

/** Reads one JSON text: a message, or a list of them. It is given up as soon as it is above the cap. @category constructors */
export const json = ({ maxBytes, onMessage, onOver }: Reading): Body => {
  let pieces: Array<Uint8Array> = []
  let bytes = 0
  return {
    onData: (chunk) => {
      bytes += chunk.length
      pieces.push(chunk)
      if (bytes <= maxBytes) return
      pieces = []
      onOver(tooLarge(bytes, maxBytes))
    },
    onEnd: () => {
      const text = JsonRpc.textOfBytes(pieces)
      const value = Result.try((): unknown => JSON.parse(text))
      pieces = []
      if (Result.isFailure(value)) return onOver({ _tag: "Unusable", what: `no JSON (${wordsOf(value.failure)})` })
      const messages = Array.isArray(value.success) ? value.success : [value.success]
      if (!messages.every(JsonRpc.isMessage)) return onOver({ _tag: "Unusable", what: "no JSON-RPC message" })
      for (const message of messages) onMessage(message, text.length / messages.length)
      onOver(null)
    },
    onError: (error) => onOver({ _tag: "Thrown", error })
  }
}

/** What is above the cap. @category constructors */
export const tooLarge = (bytes: number, limitBytes: number): HttpFailure => ({
  _tag: "Known",
  reason: new MessageTooLarge({ bytes, limitBytes })
})

const wordsOf = (error: unknown): string => error instanceof Error ? error.message : String(error)

/** Reads a stream of events. What is no message counts for nothing. @category constructors */
export const events = ({ onMessage, onOther, onOver, pause, ...reading }: Reading): Body & Place => {
  const read = Sse.make({
    ...reading,
    onEvent: (data, name) => {
      const messages = Sse.isMessage(name) ? JsonRpc.messagesIn(data) : NO_MESSAGES
      for (const message of messages) onMessage(message, data.length / messages.length)
      if (messages.length === 0) reading.onIdle?.(data.length)
      if (!Sse.isMessage(name)) onOther?.(data, name)
    }
  })
  return {
    lastEventId: read.lastEventId,
    retryMillis: read.retryMillis,
    onData: (chunk) => {
      read.push(chunk)
      if (read.isEndless()) onOver(endlessEvent)
      return pause?.()
    },
    onEnd: () => {
      read.end()
      onOver(null)
    },
    onError: (error) => onOver({ _tag: "Thrown", error })
  }
}

const NO_MESSAGES: ReadonlyArray<JsonRpc.Message> = []

/** Its call would wait for it, and reading on would cost time for ever. */
const endlessEvent: HttpFailure = {
  _tag: "Known",
  reason: new ConnectionLost({ detail: "the server sent an event without an end" })
}

// A `Post` for hosts that have a fetch and nothing faster.

/** Makes it. @category constructors */
export const fetchPost = (fetch: typeof globalThis.fetch): Post => ({ body, headers, url }, receiving) => {
  const controller = new AbortController()
  const { signal } = controller
  let stop = () => {}
  fetch(url, { method: "POST", headers, body, signal, redirect: "manual" }).then(
    (response) => {
      if (signal.aborted) return void response.body?.cancel().catch(() => {})
      receiving.onHeaders(response.status, headersOf(response))
      if (!signal.aborted) stop = readFetched(response.body, receiving)
    },
    (error: unknown) => signal.aborted ? undefined : receiving.onError(error)
  )
  return () => {
    controller.abort()
    stop()
  }
}

/** The headers of a response in the form in which a `Post` tells them. @category getters */
export const headersOf = ({ headers }: Response): ResponseHeaders => Object.fromEntries(headers)

/**
 * Reads a body to its end, and gives what ends it before: nothing is told from then on.
 *
 * @category combinators
 */
export const readFetched = (
  body: ReadableStream<Uint8Array> | null,
  { onData, onEnd, onError }: Omit<Receiving, "onHeaders">
): () => void => {
  let isOver = false
  const reader = body?.getReader()
  const told = (tell: () => void) => isOver ? undefined : tell()
  const next = (): void =>
    void reader?.read().then(
      ({ done, value }) =>
        told(() => {
          if (done) return onEnd()
          const pause = onData(value)
          const goOn = () => told(next)
          if (pause) pause(goOn)
          else goOn()
        }),
      (error: unknown) => told(() => onError(error))
    )
  if (reader === undefined) onEnd()
  else next()
  return () => {
    isOver = true
    // What a server still has to say about what nobody wants is nobody's concern.
    reader?.cancel().catch(() => {})
  }
}
