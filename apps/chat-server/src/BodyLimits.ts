/**
 * How many bytes the body of a request may have: room for images where they are sent and for chats where they come back,
 * little everywhere else.
 */
import { ChatDocument } from "@boocode/chat"
import * as ByteSize from "effect/ByteSize"
import * as Effect from "effect/Effect"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import type { Guard } from "./Guards.ts"

const USUAL = ByteSize.mebibytes(1)

/** A message with images, and a chat as large as one that is read. */
const LARGE = [
  { route: /^\/api\/chats\/[^/]+\/messages$/, limit: ByteSize.mebibytes(20) },
  { route: /^\/api\/chats\/import$/, limit: ByteSize.bytes(ChatDocument.LIMIT_CHARACTERS) }
]

/** The limit of a request, in bytes. */
export const of = (method: string, url: string): ByteSize.ByteSize => {
  const path = url.split("?")[0] ?? ""
  return (method === "POST" ? LARGE.find(({ route }) => route.test(path))?.limit : undefined) ?? USUAL
}

export const guard: Guard = (httpEffect) =>
  Effect.flatMap(
    HttpServerRequest.HttpServerRequest,
    ({ method, url }) => Effect.provideService(httpEffect, HttpIncomingMessage.MaxBodySize, of(method, url))
  )
