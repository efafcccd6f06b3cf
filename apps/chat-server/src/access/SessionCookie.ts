/** The cookies in which a browser keeps the session of a person, and a sign-in that is not done. No page can read it, and no other site brings it along. */
import * as Duration from "effect/Duration"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as PrivateAddress from "../settings/PrivateAddress.ts"
import { LIFE } from "../users/UserSessions.ts"
import type { RequestHead as Request } from "./RequestHead.ts"

type Response = HttpServerResponse.HttpServerResponse

/**
 * With `__Host-` in front, browsers take it over https alone, and from no other name of the same domain. Without, it is between
 * a browser and a server of the same machine, where nothing goes over a wire.
 */
const NAME = "boocode_person"

const BEGUN = "boocode_sign_in"

/** A sign-in elsewhere that a browser began: nobody else can finish it. None of them has a dot. */
export interface Begun {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

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

/** The value of a cookie of a request; empty without one. */
const valueOf = (request: Request, name: string): string =>
  request.cookies[`__Host-${name}`] ?? (isHere(request) ? request.cookies[name] : undefined) ?? ""

const withValue = (request: Request, response: Response, name: string, value: string, maxAge: Duration.Duration) => {
  const secure = isHttps(request)
  return HttpServerResponse.setCookieUnsafe(response, secure ? `__Host-${name}` : name, value, {
    ...OPTIONS,
    secure,
    maxAge
  })
}

const without = (response: Response, name: string): Response =>
  HttpServerResponse.expireCookieUnsafe(
    HttpServerResponse.expireCookieUnsafe(response, `__Host-${name}`, { ...OPTIONS, secure: true }),
    name,
    OPTIONS
  )

/** The secret of the session that a request brings; empty without one. */
export const read = (request: Request): string => valueOf(request, NAME)

/** The answer with the session in it. */
export const written = (request: Request, response: Response, secret: Redacted.Redacted<string>): Response =>
  withValue(request, response, NAME, Redacted.value(secret), LIFE)

/** The answer after which the browser has no session. */
export const removed = (response: Response): Response => without(response, NAME)

/** The state that a browser keeps while it signs in elsewhere; null without it. */
export const begun = (request: Request): Begun | null => {
  const [state = "", nonce = "", verifier = ""] = valueOf(request, BEGUN).split(".")
  return verifier === "" ? null : { state, nonce, verifier }
}

export const withBegun = (request: Request, response: Response, { nonce, state, verifier }: Begun): Response =>
  withValue(request, response, BEGUN, [state, nonce, verifier].join("."), Duration.minutes(10))

export const withoutBegun = (response: Response): Response => without(response, BEGUN)
