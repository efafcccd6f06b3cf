/** Decides which requests are let in: all of this machine where only it can reach the server, else those with the token. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as Redacted from "effect/Redacted"
import { createHash, timingSafeEqual } from "node:crypto"
import { DataFolder } from "../settings/DataFolder.ts"
import { AccessToken } from "./AccessToken.ts"
import * as FailureLimit from "./FailureLimit.ts"
import { InstanceSecret, pass } from "./InstanceSecret.ts"
import * as LoginSessions from "./LoginSessions.ts"

export const COOKIE = "boocode_session"

/** The reason to refuse a request. `wait` is in seconds; null for a peer that was not wrong too often. */
export type Refusal =
  | { readonly _tag: "TokenNeeded" }
  | { readonly _tag: "WrongToken"; readonly wait: number | null }

type Request = HttpServerRequest.HttpServerRequest

export class Access extends Context.Service<Access, {
  /** True when nobody needs a token. */
  readonly isOpen: boolean
  /**
   * Null for a request that may go on: it has the token, the pass of a command of this machine, or the cookie of a login.
   * A right token is never slowed down; a peer that is wrong more than 10 times a minute is told to wait.
   */
  readonly refusal: (request: Request) => Effect.Effect<Refusal | null>
  /** Whether a request has one of these. Counts nothing. */
  readonly isKnown: (request: Request) => Effect.Effect<boolean>
  /** Fails with a refusal for a text that is not the token. It counts as a failure of the request's peer. */
  readonly verify: (request: Request, token: string) => Effect.Effect<void, Refusal>
  /** Begins a session for a right token; null where nobody needs one. Fails with a refusal. */
  readonly login: (request: Request, token: string) => Effect.Effect<Redacted.Redacted<string> | null, Refusal>
  /** Ends the session of a request; without one it does nothing. */
  readonly logout: (request: Request) => Effect.Effect<void>
}>()("chat-server/Access") {
  static readonly layer = Layer.effect(
    Access,
    Effect.gen(function*() {
      const { token } = yield* AccessToken
      if (token === null) return open
      const path = yield* Path.Path
      const { secret } = yield* InstanceSecret
      const sessions = yield* LoginSessions.make(path.join((yield* DataFolder).state, "sessions.json"), token)
      return closed(token, pass(secret), sessions)
    })
  )
}

const open = Access.of({
  isOpen: true,
  isKnown: () => Effect.succeed(true),
  refusal: () => Effect.succeed(null),
  verify: () => Effect.void,
  login: () => Effect.succeed(null),
  logout: () => Effect.void
})

const closed = (
  token: Redacted.Redacted<string>,
  localPass: Redacted.Redacted<string>,
  sessions: LoginSessions.LoginSessions
): typeof Access.Service => {
  const failures = FailureLimit.make()
  const wrong = (request: Request): Effect.Effect<Refusal> =>
    Effect.map(
      failures.failed(Option.getOrElse(request.remoteAddress, () => "")),
      (wait) => ({ _tag: "WrongToken" as const, wait })
    )
  const verify = (request: Request, shown: string): Effect.Effect<void, Refusal> =>
    isSame(shown, token) ? Effect.void : Effect.flatMap(wrong(request), (refusal) => Effect.fail(refusal))
  const isKnown = (request: Request): Effect.Effect<boolean> => {
    const shown = bearer(request) ?? ""
    // Both are compared whatever the first says.
    const isRight = [isSame(shown, token), isSame(shown, localPass)].includes(true)
    return isRight ? Effect.succeed(true) : sessions.isKnown(request.cookies[COOKIE] ?? "")
  }
  return Access.of({
    isOpen: false,
    isKnown,
    refusal: Effect.fnUntraced(function*(request: Request) {
      if (yield* isKnown(request)) return null
      return bearer(request) === null ? { _tag: "TokenNeeded" as const } : yield* wrong(request)
    }),
    verify,
    login: (request, shown) => Effect.andThen(verify(request, shown), sessions.begin),
    logout: (request) => sessions.end(request.cookies[COOKIE] ?? "")
  })
}

/** The token that a request shows; null without one. */
export const bearer = ({ headers }: Request): string | null =>
  /^bearer +(\S+) *$/i.exec(headers["authorization"] ?? "")?.[1] ?? null

/** Takes as long whatever is different. */
const isSame = (shown: string, secret: Redacted.Redacted<string>): boolean =>
  timingSafeEqual(digest(shown), digest(Redacted.value(secret)))

const digest = (text: string) => createHash("sha256").update(text).digest()
