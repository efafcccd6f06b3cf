/** Finds out who makes a request, and refuses those of nobody, but for what everyone may ask for. */
import * as Effect from "effect/Effect"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { Access, type Refusal } from "../access/Access.ts"
import type { Guard } from "../access/HostGuard.ts"
import { RequestedBy, type Requester } from "../access/Requester.ts"
import * as Problems from "../api/Problems.ts"
import { Author } from "../database/ConfigHistory.ts"

export const guard: Effect.Effect<Guard, never, Access> = Effect.map(
  Access,
  (access) => (httpEffect) =>
    Effect.flatMap(
      HttpServerRequest.HttpServerRequest,
      (request) =>
        isForEveryone(request.method, request.url)
          ? httpEffect
          : Effect.matchEffect(access.requester(request), {
            onFailure: (refusal) => Effect.succeed(response(refusal)),
            onSuccess: (requester) =>
              Option.match(Option.fromNullOr(notFor(request.url, requester)), {
                onNone: () =>
                  Effect.map(
                    httpEffect.pipe(
                      Effect.provideService(RequestedBy, requester),
                      Effect.provideService(Author, requester.user.name === "" ? null : requester.user.name)
                    ),
                    whileKnown(access, request, requester)
                  ),
                onSome: (why) => Effect.succeed(Problems.response(403, why))
              })
          })
    )
)

/** How often a stream is asked whether it is still of somebody who may see it. */
const LOOK = "5 seconds"

/** A stream ends with the session or the token that began it. */
const whileKnown = (access: typeof Access.Service, request: HttpServerRequest.HttpServerRequest, by: Requester) => {
  const isKnown = Effect.map(access.known(request), (found) => found?.user.id === by.user.id)
  // A database that is away for a moment ends nothing.
  const ended = Effect.repeat(Effect.delay(Effect.orElseSucceed(isKnown, () => true), LOOK), { until: (is) => !is })
  return (response: HttpServerResponse.HttpServerResponse) => {
    const { body } = response
    if (body._tag !== "Stream" || by.session === null && by.scopes === null) return response
    return HttpServerResponse.setBody(
      response,
      HttpBody.stream(Stream.interruptWhen(body.stream, ended), body.contentType)
    )
  }
}

/** Why a route besides the API, whose rights stand in `Rights.ts`, is not for somebody; null for one that is. */
const notFor = (url: string, requester: Requester) => {
  // Figures of the whole server.
  return /^\/metrics(?![\w-])/.test(url) && !mayAsAdmin(requester) ? ADMINS_ONLY : null
}

export const mayAsAdmin = ({ scopes, user }: Requester): boolean =>
  user.role === "admin" && (scopes === null || scopes.includes("admin"))

export const mayChat = ({ scopes }: Requester): boolean =>
  scopes === null || scopes.includes("chat") || scopes.includes("admin")

export const NOT_FOR_CHATS = {
  _tag: "ScopeNeeded",
  message: "this token is not for chats",
  hint: "make one with the scope chat"
}

export const ADMINS_ONLY = {
  _tag: "AdminsOnly",
  message: "this is for the admins of this server",
  hint: "ask one of them; the token of a program needs the scope admin as well"
}

/** Whether a request needs no token here: that the server lives, the login, the files of the page, and what asks for one itself. */
export const isForEveryone = (method: string, url: string): boolean => {
  // By two texts: to split by a pattern takes twice as long as all else here, and each call of an MCP client passes.
  const path = (url.split("?")[0] ?? "").split("#")[0] ?? ""
  const isReading = method === "GET" || method === "HEAD"
  if (ASKING.test(path)) return true
  if (path === "/api/health") return isReading
  if (path === "/api/login" || path === "/api/session") return method === "POST" || isReading
  if (path === "/api/device" || path === "/api/device/token") return method === "POST"
  if (/^\/api\/invitations\/[^/]+$/.test(path)) return method === "POST" || isReading
  return isReading && isOfPage(path)
}

/** These ask for a token themselves: that of an MCP client, or of a connector, opens nothing else. */
const ASKING = /^\/(mcp(\/[^/]*)?|oauth(\/[^/]*){1,2}|v1\/(models(\/[^/]+)?|chat\/completions))$/

/** However the path is spelt: what a router could take for something else is none of the page. */
const isOfPage = (path: string): boolean => {
  const plain = decoded(path)?.toLowerCase().replaceAll("\\", "/").replaceAll(/\/+/g, "/")
  return plain !== undefined && plain.startsWith("/") && !/%|(^|\/)\.{1,2}(\/|$)/.test(plain) &&
    !/^\/(api|metrics|v1)(?![a-z0-9_-])/.test(plain)
}

const decoded = (path: string): string | undefined =>
  /%(?![0-9a-f]{2})/i.test(path) || /%[89a-f]/i.test(path) ? undefined : decodeURIComponent(path)

/** The answer to a request that is refused. */
export const response = (refusal: Refusal): HttpServerResponse.HttpServerResponse => {
  if (refusal._tag === "UsersFailed") return Problems.response(503, refusal, { state: "failed", why: refusal.why })
  if (refusal._tag === "SignInNeeded") {
    return challenge({
      _tag: "SignInNeeded",
      message: "people sign in at this server",
      hint: "sign in at its page; a program sends a token of yours as Authorization: Bearer TOKEN"
    })
  }
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
      message: "this is not a token of this server",
      hint: "the server's own was printed when it first started, and is kept where the server says at its start"
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
