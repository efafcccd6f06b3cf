/**
 * The body of an answer over HTTP, read as it comes: one JSON text, or a stream of events.
 */
import * as Result from "effect/Result"
import { ConnectionLost, MessageTooLarge } from "../McpError.ts"
import type { Pause, Receiving, ResponseHeaders } from "../McpFetch.ts"
import * as BigAnswers from "../transport/BigAnswers.ts"
import * as Bytes from "../transport/Bytes.ts"
import * as JsonRpc from "../transport/JsonRpc.ts"
import * as SseEvents from "../transport/SseEvents.ts"
import type { HttpFailure } from "./HttpFailure.ts"

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
  readonly onOversized: (oversized: SseEvents.Oversized) => void
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
      const text = Bytes.text(pieces)
      const value = Result.try((): unknown => JSON.parse(text))
      pieces = []
      if (Result.isFailure(value)) return onOver({ _tag: "Unusable", what: `no JSON (${wordsOf(value.failure)})` })
      const messages = Array.isArray(value.success) ? value.success : [value.success]
      if (!messages.every(JsonRpc.isMessage)) return onOver({ _tag: "Unusable", what: "no JSON-RPC message" })
      for (const message of messages) {
        BigAnswers.note(message["result"], text, text.length === bytes)
        onMessage(message, text.length / messages.length)
      }
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
  const read = SseEvents.make({
    ...reading,
    onEvent: (data, name) => {
      const messages = SseEvents.isMessage(name) ? JsonRpc.messagesIn(data) : NO_MESSAGES
      for (const message of messages) {
        BigAnswers.note(message["result"], data, false)
        onMessage(message, data.length / messages.length)
      }
      if (messages.length === 0) reading.onIdle?.(data.length)
      if (!SseEvents.isMessage(name)) onOther?.(data, name)
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
