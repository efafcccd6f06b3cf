/** Reads the body of an answer over HTTP as it comes: one JSON text, or a stream of events. */
import * as Result from "effect/Result"
import * as Bytes from "../base/Bytes.ts"
import * as JsonRpc from "../base/JsonRpc.ts"
import { ConnectionLost, MessageTooLarge } from "../errors/McpError.ts"
import type { HttpReceiver, Pause, ResponseHeaders } from "../host/McpFetch.ts"
import type { HttpFailure } from "./HttpFailure.ts"
import * as Sse from "./Sse.ts"

export type Body = Omit<HttpReceiver, "onHeaders">

export interface Reading extends Pick<Sse.Options, "endlessBytes" | "isOwn" | "maxBytes" | "onIdle" | "onOversized"> {
  /** Receives each message, in order, and its length. */
  readonly onMessage: (message: JsonRpc.Message, length: number) => void
  /** A pause before more of a stream is read; null when none is due. */
  readonly pause?: () => Pause | null
  /** Receives each event on a stream that is no message. */
  readonly onOther?: (data: string, name: string) => void
  /** Called once, when nothing more comes; null when the body ended as it should. The caller aborts what is left. */
  readonly onOver: (failure: HttpFailure | null) => void
}

/** Where a stream of events ended. */
export type Place = Pick<Sse.SseParser, "lastEventId" | "retryMillis">

/** The value of a header; null when it is not there. */
export const header = (headers: ResponseHeaders, name: string): string | null => {
  const value = headers[name]
  return typeof value === "string" ? value : value?.join(", ") ?? null
}

/** The kind of content without its parameters, in lower case; empty when there is none. */
export const contentType = (headers: ResponseHeaders): string => {
  const value = header(headers, "content-type") ?? ""
  const [essence = ""] = value === JSON_TYPE ? [value] : value.split(";", 1)
  return essence.trim().toLowerCase()
}

export const JSON_TYPE = "application/json"
export const EVENTS_TYPE = "text/event-stream"

/** The announced length of a body in bytes; 0 when there is none. */
export const announced = (headers: ResponseHeaders): number => Number(header(headers, "content-length") ?? 0)

/** Reads one JSON text: a message, or a list of them. A text above the cap is given up at once. */
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
      const text = Bytes.textOf(pieces)
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

const wordsOf = (error: unknown): string => error instanceof Error ? error.message : String(error)

export const tooLarge = (bytes: number, limitBytes: number): HttpFailure => ({
  _tag: "Known",
  reason: new MessageTooLarge({ bytes, limitBytes })
})

/** Reads a stream of events. Data that is no message counts for nothing. */
export const events = (
  { onMessage, onOther, onOver, pause, ...reading }: Reading
): Body & { readonly place: Place } => {
  const parser = new Sse.SseParser({
    ...reading,
    onEvent: (data, name) => {
      const messages = Sse.isMessage(name) ? JsonRpc.messagesIn(data) : NO_MESSAGES
      for (const message of messages) onMessage(message, data.length / messages.length)
      if (messages.length === 0) reading.onIdle?.(data.length)
      if (!Sse.isMessage(name)) onOther?.(data, name)
    }
  })
  return {
    place: parser,
    onData: (chunk) => {
      parser.push(chunk)
      if (parser.isEndless) onOver(endlessEvent)
      return pause?.()
    },
    onEnd: () => {
      parser.end()
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
