/** The cookie in which a browser keeps the session of a person. No page can read it, and no other site brings it along. */
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as PrivateAddress from "../settings/PrivateAddress.ts"
import { LIFE } from "../users/UserSessions.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

/** Browsers take a cookie of this name over https alone, and from no other name of the same domain. */
const NAME = "__Host-boocode_person"

/** Between a browser and a server of the same machine, where nothing goes over a wire. */
const NAME_HERE = "boocode_person"

const OPTIONS = { path: "/", httpOnly: true, sameSite: "lax" } as const

/** A session would go over the network where everybody can read it. */
export class InsecureSignIn extends Schema.TaggedError<InsecureSignIn>()("InsecureSignIn", {}) {
  override readonly message: string =
    "sign-in needs https: over plain http others on the way could read the password and take the session"
  readonly hint: string =
    "put a proxy with a certificate before this server, which sends X-Forwarded-Proto: https; docs/team.md has examples"
}

/** Only a proxy in front speaks https. A client that claims it falsely gets a cookie that its browser does not keep. */
export const isHttps = ({ headers }: Request): boolean =>
  (headers["origin"] ?? "").startsWith("https://") || /^https\b/i.test(headers["x-forwarded-proto"] ?? "")

const isHere = ({ headers }: Request): boolean =>
  PrivateAddress.isThisMachine(URL.parse(`http://${headers["host"] ?? ""}`)?.hostname ?? "")

/** Whether a session may be begun over the way that a request came. */
export const isSafe = (request: Request): boolean => isHttps(request) || isHere(request)

/** The secret that a request brings; empty without one. */
export const read = (request: Request): string =>
  request.cookies[NAME] ?? (isHere(request) ? request.cookies[NAME_HERE] : undefined) ?? ""

/** The answer with the session in it. */
export const written = (request: Request, response: Response, secret: Redacted.Redacted<string>): Response => {
  const secure = isHttps(request)
  return HttpServerResponse.setCookieUnsafe(response, secure ? NAME : NAME_HERE, Redacted.value(secret), {
    ...OPTIONS,
    secure,
    maxAge: LIFE
  })
}

/** The answer after which the browser has no session. */
export const removed = (response: Response): Response =>
  HttpServerResponse.expireCookieUnsafe(
    HttpServerResponse.expireCookieUnsafe(response, NAME, { ...OPTIONS, secure: true }),
    NAME_HERE,
    OPTIONS
  )
