/**
 * What every request passes before anything answers it, the outermost first.
 */
import { ChatDocument } from "@boocode/chat"
import * as ByteSize from "effect/ByteSize"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Metric from "effect/Metric"
import { Access, type Refusal } from "../access/Access.ts"
import * as HostGuard from "../access/HostGuard.ts"
import type { Guard } from "../access/RequestGuard.ts"
import * as Problems from "../api/Problems.ts"
import * as RouteNames from "./RouteNames.ts"

/** `host` is the address the server binds. */
export const layer = (host: string) =>
  HttpRouter.middleware(
    Effect.gen(function*() {
      const isOurs = yield* HostGuard.guard(host)
      const isAllowed = yield* guard
      const bounded = yield* limitStreams
      return <E, R>(httpEffect: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
        countRequests(isOurs(isAllowed(bounded(limitBody(httpEffect)))))
    }),
    { global: true }
  )

// Lets nobody through who needs a token and has none, but to what everyone may ask for.

export const guard: Effect.Effect<Guard, never, Access> = Effect.map(
  Access,
  (access) => (httpEffect) =>
    Effect.flatMap(
      HttpServerRequest.HttpServerRequest,
      (request) =>
        access.isOpen || isForEveryone(request.method, request.url)
          ? httpEffect
          : Effect.flatMap(
            access.refusal(request),
            (refusal) => refusal === null ? httpEffect : Effect.succeed(response(refusal))
          )
    )
)

/** Whether a request needs no token: that the server lives, the login, and the files of the page. */
export const isForEveryone = (method: string, url: string): boolean => {
  const path = url.split(/[?#]/)[0] ?? ""
  const isReading = method === "GET" || method === "HEAD"
  if (path === "/api/health") return isReading
  if (path === "/api/login") return method === "POST"
  return isReading && isOfPage(path)
}

/** However the path is spelt: what a router could take for something else is none of the page. */
const isOfPage = (path: string): boolean => {
  const plain = decoded(path)?.toLowerCase().replaceAll("\\", "/").replaceAll(/\/+/g, "/")
  return plain !== undefined && plain.startsWith("/") && !/%|(^|\/)\.{1,2}(\/|$)/.test(plain) &&
    !/^\/(api|metrics)(?![a-z0-9_-])/.test(plain)
}

const decoded = (path: string): string | undefined =>
  /%(?![0-9a-f]{2})/i.test(path) || /%[89a-f]/i.test(path) ? undefined : decodeURIComponent(path)

/** The answer to who may not go on. */
export const response = (refusal: Refusal): HttpServerResponse.HttpServerResponse => {
  if (refusal._tag === "TokenNeeded") {
    return challenge({
      _tag: "TokenNeeded",
      message: "this server can be reached by others, so it wants its token",
      hint:
        "log in at its page, or send it as Authorization: Bearer TOKEN; boocode takes it from BOOCODE_TOKEN or --token"
    })
  }
  if (refusal.wait === null) {
    return challenge({
      _tag: "WrongToken",
      message: "this is not the token of this server",
      hint: "it was printed when the server first started, and is kept where the server says at its start"
    })
  }
  return HttpServerResponse.setHeader(
    Problems.response(429, {
      _tag: "TooManyFailures",
      message: "there were too many wrong tokens",
      hint: `wait ${refusal.wait} s; the right token is taken at once`
    }),
    "retry-after",
    String(refusal.wait)
  )
}

const challenge = (told: Parameters<typeof Problems.response>[1]) =>
  HttpServerResponse.setHeader(Problems.response(401, told), "www-authenticate", "Bearer realm=\"boocode\"")

// How many bytes the body of a request may have: room for images where they are sent and for chats where they come back,
// little everywhere else.

const USUAL = ByteSize.mebibytes(1)

/** A message with images, and a chat as large as one that is read. */
const LARGE = [
  { route: /^\/api\/chats\/[^/]+\/messages$/, limit: ByteSize.mebibytes(20) },
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

// Bounds how many streams of events are open at once: each costs memory and a connection for as long as somebody listens.

/**
 * How many listen at once, and how many messages and calls are answered at once. Far above what people of one household
 * or team have open; a client that forgets its streams is noticed, and keeps nobody from sending a message.
 */
export const LIMIT = 200

const open = Metric.gauge("boocode_event_streams", { description: "Streams of events that are open" })

/** Each request that may be answered with a stream holds a place until its answer is over. */
export const limitStreams: Effect.Effect<Guard> = Effect.sync(() => {
  const counts = { listeners: 0, answers: 0 }
  const change = (kind: Kind, by: number) =>
    Effect.suspend(() => {
      counts[kind] += by
      return Metric.update(open, counts.listeners + counts.answers)
    })
  return (httpEffect) =>
    Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ method, url }) => {
      const kind = kindOf(method, url)
      if (kind === null) return httpEffect
      if (counts[kind] >= LIMIT) return Effect.succeed(FULL[kind])
      return Effect.andThen(Effect.acquireRelease(change(kind, 1), () => change(kind, -1)), httpEffect)
    })
})

type Kind = "listeners" | "answers"

const kindOf = (method: string, url: string): Kind | null => {
  const path = url.split("?")[0] ?? ""
  if (method === "GET" && LISTENING.test(path)) return "listeners"
  return method === "POST" && ANSWERING.test(path) ? "answers" : null
}

const LISTENING = /^\/api\/((chats\/[^/]+\/)?events|mcp\/servers\/[^/]+\/resources\/watch)$/
const ANSWERING = /^\/api\/(chats\/[^/]+\/messages|tools\/[^/]+\/stream)$/

const full = (message: string, hint: string) =>
  Problems.response(503, { _tag: "TooManyStreams", message, hint }, { state: "busy", why: null })

const FULL = {
  listeners: full(
    `${LIMIT} streams of events are open already`,
    "close pages and programs that listen and are not needed any more"
  ),
  answers: full(
    `${LIMIT} messages and calls are being answered already`,
    "ask again when some are done, or close programs that wait for an answer and are not needed any more"
  )
}

// Counts requests by route and status, and how long they took to be answered.

const requests = Metric.counter("boocode_http_requests_total", {
  description: "Requests that were answered",
  incremental: true
})

const seconds = Metric.histogram("boocode_http_request_duration_seconds", {
  description: "How long requests took until their answer began",
  boundaries: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
})

export const countRequests: Guard = (httpEffect) =>
  Effect.flatMap(
    HttpServerRequest.HttpServerRequest,
    (request) =>
      Effect.flatMap(Clock.currentTimeMillis, (began) =>
        Effect.tap(httpEffect, ({ status }) => counted(request, status, began)))
  )

const counted = Effect.fnUntraced(
  function*({ method, url }: HttpServerRequest.HttpServerRequest, status: number, began: number) {
    const route = RouteNames.patternOf(url)
    const taken = ((yield* Clock.currentTimeMillis) - began) / 1000
    const attributes = { method: METHODS.has(method) ? method : "other", route, status: String(status) }
    yield* Metric.update(Metric.withAttributes(requests, attributes), 1)
    yield* Metric.update(Metric.withAttributes(seconds, { route }), taken)
  }
)

/** Anything may stand there, and every label costs memory for ever. */
const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
