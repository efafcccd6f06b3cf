/**
 * How many bytes the body of a request may have: room for images where they are sent, little everywhere else.
 */
import * as ByteSize from "effect/ByteSize"
import * as Effect from "effect/Effect"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import type { Guard } from "./Guards.ts"

const USUAL = ByteSize.mebibytes(1)
/** What a message with images or a chat that was exported may have. */
const LARGE = ByteSize.mebibytes(20)

const LARGE_ROUTES = [/^\/api\/chats\/[^/]+\/messages$/, /^\/api\/chats\/import$/]

/** The limit of a request, in bytes. */
export const of = (method: string, url: string): ByteSize.ByteSize => {
  const path = url.split("?")[0] ?? ""
  return method === "POST" && LARGE_ROUTES.some((route) => route.test(path)) ? LARGE : USUAL
}

export const guard: Guard = (httpEffect) =>
  Effect.flatMap(
    HttpServerRequest.HttpServerRequest,
    ({ method, url }) => Effect.provideService(httpEffect, HttpIncomingMessage.MaxBodySize, of(method, url))
  )
