/** Refuses requests without the token where one is needed, but for what everyone may ask for. */
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { Access, type Refusal } from "../access/Access.ts"
import type { Guard } from "../access/HostGuard.ts"
import * as Problems from "../api/Problems.ts"

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

/** Whether a request needs no token here: that the server lives, the login, the files of the page, and what asks for one itself. */
export const isForEveryone = (method: string, url: string): boolean => {
  const path = url.split(/[?#]/)[0] ?? ""
  const isReading = method === "GET" || method === "HEAD"
  if (ASKING.test(path)) return true
  if (path === "/api/health") return isReading
  if (path === "/api/login") return method === "POST"
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
