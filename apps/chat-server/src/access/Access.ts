/**
 * Decides which requests are let in, and which person they act for. Without people: all of this machine where only it can reach the
 * server, else those with the token, for the one person there is. With people: those who are signed in.
 */
import { FIRST, type User } from "@boocode/chat"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as Redacted from "effect/Redacted"
import { createHash, timingSafeEqual } from "node:crypto"
import { DataFolder } from "../settings/DataFolder.ts"
import { Settings } from "../settings/Settings.ts"
import type { UsersFailed } from "../users/UserError.ts"
import { Users } from "../users/Users.ts"
import { UserSessions } from "../users/UserSessions.ts"
import { UserTokens } from "../users/UserTokens.ts"
import { AccessToken } from "./AccessToken.ts"
import * as FailureLimit from "./FailureLimit.ts"
import { InstanceSecret, pass } from "./InstanceSecret.ts"
import * as LoginSessions from "./LoginSessions.ts"
import { ProxySignIn } from "./ProxySignIn.ts"
import type { Requester } from "./Requester.ts"
import type { RequestHead as Request } from "./RequestHead.ts"
import * as SessionCookie from "./SessionCookie.ts"

export const COOKIE = "boocode_session"

/** The reason to refuse a request. `wait` is in seconds; null for a peer that was not wrong too often. */
export type Refusal =
  | { readonly _tag: "TokenNeeded" }
  | { readonly _tag: "SignInNeeded" }
  | UsersFailed
  | { readonly _tag: "WrongToken"; readonly wait: number | null }

export class Access extends Context.Service<Access, {
  /** True when only this machine reaches the server. */
  readonly isOpen: boolean
  /** True when people sign in as themselves. */
  readonly hasUsers: Effect.Effect<boolean, UsersFailed>
  /**
   * The person who makes a request: by their session or token; the first admin by the server's token, its cookie, or
   * the pass of a command of this machine. Fails with a refusal. A right secret is never slowed down; a peer that is
   * wrong more than 10 times a minute is told to wait.
   */
  readonly requester: (request: Request) => Effect.Effect<Requester, Refusal>
  /** The person that the server's own token acts for: the first admin, or the one person there is. */
  readonly owner: Effect.Effect<User, UsersFailed>
  /** The person who has an id, such as the owner of something; null for nobody. */
  readonly person: (id: string) => Effect.Effect<User | null, UsersFailed>
  /** The requester as `requester` gives it, or null. Counts nothing. */
  readonly known: (request: Request) => Effect.Effect<Requester | null, UsersFailed>
  /** Fails with a refusal for a text that is not the token. It counts as a failure of the request's peer. */
  readonly verify: (request: Request, token: string) => Effect.Effect<void, Refusal>
  /** Begins a session for a right token; null where nobody needs one. Fails with a refusal. */
  readonly login: (request: Request, token: string) => Effect.Effect<Redacted.Redacted<string> | null, Refusal>
  /** Ends the session of a request, and takes a person's token back that it shows; without them it does nothing. */
  readonly logout: (request: Request) => Effect.Effect<void, UsersFailed>
}>()("chat-server/Access") {
  static readonly layer = Layer.effect(
    Access,
    Effect.gen(function*() {
      const { token } = yield* AccessToken
      const path = yield* Path.Path
      const { secret } = yield* InstanceSecret
      const people = {
        users: yield* Users,
        sessions: yield* UserSessions,
        tokens: yield* UserTokens,
        proxy: yield* ProxySignIn
      }
      const logins = token === null
        ? null
        : yield* LoginSessions.make(path.join((yield* DataFolder).state, "sessions.json"), token)
      const { proxySignIn, signIn } = yield* Settings
      const isSignIn = proxySignIn !== null || signIn !== null
      return make(token, pass(secret), logins, people, isSignIn)
    })
  )
}

interface People {
  readonly users: Users["Service"]
  readonly sessions: UserSessions["Service"]
  readonly tokens: UserTokens["Service"]
  readonly proxy: ProxySignIn["Service"]
}

const make = (
  token: Redacted.Redacted<string> | null,
  localPass: Redacted.Redacted<string>,
  logins: LoginSessions.LoginSessions | null,
  { proxy, sessions, tokens, users }: People,
  isSignIn: boolean
): typeof Access.Service => {
  const failures = FailureLimit.make()
  const hasUsers = isSignIn ? Effect.succeed(true) : users.areThere
  const secrets = token === null ? [localPass] : [token, localPass]
  const wrong = (request: Request): Effect.Effect<Refusal> =>
    Effect.map(
      failures.failed(Option.getOrElse(request.remoteAddress, () => "")),
      (wait) => ({ _tag: "WrongToken" as const, wait })
    )
  const verify = (request: Request, shown: string): Effect.Effect<void, Refusal> =>
    token === null || isSame(shown, token)
      ? Effect.void
      : Effect.flatMap(wrong(request), (refusal) => Effect.fail(refusal))
  /** Whether a request is of somebody who has this machine or the server's token. */
  const isOwner = (request: Request): Effect.Effect<boolean> => {
    const shown = bearer(request) ?? ""
    // All are compared whatever the first says.
    const isRight = secrets.map((secret) => isSame(shown, secret)).includes(true)
    return isRight || logins === null ? Effect.succeed(isRight) : logins.isKnown(request.cookies[COOKIE] ?? "")
  }
  const owner = Effect.flatMap(hasUsers, (areThere) => areThere ? users.first : Effect.succeed(FIRST))
  const signedIn = Effect.fnUntraced(function*(request: Request) {
    const shown = bearer(request)
    if (shown !== null) {
      const found = yield* tokens.find(shown)
      return found === null ? null : { ...found, session: null }
    }
    const found = yield* sessions.find(SessionCookie.read(request))
    if (found !== null) return { user: found.user, scopes: null, session: found.id }
    const user = yield* proxy.find(request)
    return user === null ? null : { user, scopes: null, session: null }
  })
  const known = Effect.fnUntraced(function*(request: Request): Effect.fn.Return<Requester | null, UsersFailed> {
    const areThere = yield* hasUsers
    const found = areThere ? yield* signedIn(request) : null
    if (found !== null) return found
    const isLetIn = !areThere && token === null || (yield* isOwner(request))
    return isLetIn ? { user: yield* owner, scopes: null, session: null } : null
  })
  return Access.of({
    isOpen: token === null,
    hasUsers,
    owner,
    person: (id) =>
      Effect.flatMap(
        hasUsers,
        (areThere) => areThere ? users.withId(id) : Effect.succeed(id === FIRST.id ? FIRST : null)
      ),
    known,
    requester: Effect.fnUntraced(function*(request: Request) {
      const found = yield* known(request)
      if (found !== null) return found
      if (bearer(request) !== null) return yield* Effect.fail(yield* wrong(request))
      return yield* Effect.fail((yield* hasUsers) ? SIGN_IN : TOKEN)
    }),
    verify,
    login: (request, shown) =>
      logins === null ? Effect.succeed(null) : Effect.andThen(verify(request, shown), logins.begin),
    logout: Effect.fnUntraced(function*(request) {
      const shown = bearer(request)
      if (shown !== null) yield* tokens.end(shown)
      if (logins !== null) yield* logins.end(request.cookies[COOKIE] ?? "")
      const found = yield* sessions.find(SessionCookie.read(request))
      if (found !== null) yield* Effect.ignore(sessions.end(found.user.id, found.id))
    })
  })
}

const SIGN_IN: Refusal = { _tag: "SignInNeeded" }
const TOKEN: Refusal = { _tag: "TokenNeeded" }

/** The token that a request shows; null without one. */
export const bearer = ({ headers }: Request): string | null =>
  /^bearer +(\S+) *$/i.exec(headers["authorization"] ?? "")?.[1] ?? null

/** Takes as long whatever is different. */
const isSame = (shown: string, secret: Redacted.Redacted<string>): boolean =>
  timingSafeEqual(digest(shown), digest(Redacted.value(secret)))

const digest = (text: string) => createHash("sha256").update(text).digest()
