/** How many bytes a request may bring, and how many requests may be answered with a stream at the same time. */
import { ChatDocument } from "@boocode/chat"
import * as ByteSize from "effect/ByteSize"
import * as Effect from "effect/Effect"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Metric from "effect/Metric"
import type { Guard } from "../access/HostGuard.ts"
import * as Problems from "../api/Problems.ts"

const USUAL = ByteSize.mebibytes(1)

/** A message with as much as may be attached, in base64, a chat as large as one that is read, and calls of MCP clients. */
const LARGE = [
  // 1 MB of a document, as JSON writes it.
  { route: /^\/api\/previews$/, limit: ByteSize.mebibytes(6) },
  { route: /^\/mcp(\/[^/]+)?$/, limit: ByteSize.mebibytes(16) },
  { route: /^\/(api\/chats\/[^/]+\/messages|v1\/chat\/completions)$/, limit: ByteSize.mebibytes(72) },
  { route: /^\/api\/chats\/import$/, limit: ByteSize.bytes(ChatDocument.LIMIT_CHARACTERS) }
]

/** The limit of a request, in bytes. */
export const bodyLimitOf = (method: string, url: string): ByteSize.ByteSize => {
  const path = url.split("?")[0] ?? ""
  return (method === "POST" ? LARGE.find(({ route }) => route.test(path))?.limit : undefined) ?? USUAL
}

export const limitBody: Guard = (httpEffect) =>
  Effect.flatMap(
    HttpServerRequest.HttpServerRequest,
    ({ method, url }) => Effect.provideService(httpEffect, HttpIncomingMessage.MaxBodySize, bodyLimitOf(method, url))
  )

/**
 * How many listen at once, how many messages and calls are answered at once, and how many requests of other applications. Far above what people of one household
 * or team have open; a client that forgets its streams is noticed, and keeps nobody from sending a message.
 */
export const LIMIT = 200

const open = Metric.gauge("boocode_event_streams", { description: "Streams of events that are open" })

/** Each request that may be answered with a stream holds a place until its answer is over. */
export const limitStreams: Effect.Effect<Guard> = Effect.sync(() => {
  const counts = { listeners: 0, answers: 0, completions: 0 }
  const change = (kind: Kind, by: number) =>
    Effect.suspend(() => {
      counts[kind] += by
      return Metric.update(open, counts.listeners + counts.answers + counts.completions)
    })
  return (httpEffect) =>
    Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ method, url }) => {
      const kind = kindOf(method, url)
      if (kind === null) return httpEffect
      if (counts[kind] >= LIMIT) return Effect.succeed(FULL[kind])
      return Effect.andThen(Effect.acquireRelease(change(kind, 1), () => change(kind, -1)), httpEffect)
    })
})

type Kind = "listeners" | "answers" | "completions"

const kindOf = (method: string, url: string): Kind | null => {
  const path = url.split("?")[0] ?? ""
  if (method === "GET" && LISTENING.test(path)) return "listeners"
  if (method !== "POST") return null
  if (path === "/v1/chat/completions") return "completions"
  return ANSWERING.test(path) ? "answers" : null
}

const LISTENING = /^\/api\/((chats\/[^/]+\/)?events|mcp\/servers\/[^/]+\/resources\/watch)$/
const ANSWERING = /^\/api\/(chats\/[^/]+\/messages|tools\/[^/]+\/stream)$/

const full = (message: string, hint: string) =>
  Problems.response(503, { _tag: "TooManyStreams", message, hint }, { state: "busy", why: null })

const ANSWERS = full(
  `${LIMIT} messages and calls are being answered already`,
  "ask again when some are done, or close programs that wait for an answer and are not needed any more"
)

const FULL = {
  listeners: full(
    `${LIMIT} streams of events are open already`,
    "close pages and programs that listen and are not needed any more"
  ),
  answers: ANSWERS,
  completions: ANSWERS
}
