/** Authorizes requests with the tokens of a server, and gets new ones when the server refuses those. */
import type { Http, ServerConfig } from "@boocode/mcp-config"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { AuthorizationFailed, AuthRequired } from "../errors/McpError.ts"
import * as FetchSend from "../host/FetchSend.ts"
import { McpFetch } from "../host/McpFetch.ts"
import * as ServerLog from "../host/ServerLog.ts"
import * as HttpAuth from "../http/HttpAuth.ts"
import * as HttpFailure from "../http/HttpFailure.ts"
import type { HeaderRecord } from "../http/HttpHeaders.ts"
import * as HttpResponse from "../http/HttpResponse.ts"
import * as SharedRenewal from "../http/SharedRenewal.ts"
import { Authorizer } from "./Authorizer.ts"
import * as AuthState from "./AuthState.ts"
import * as Challenge from "./Challenge.ts"
import { type Credential, type CredentialStore, isNews, type Tokens } from "./credentials/Credential.ts"
import { Credentials } from "./credentials/Credentials.ts"
import * as EarlyRenewal from "./EarlyRenewal.ts"
import * as Flows from "./Flows.ts"
import * as ProtectedServer from "./ProtectedServer.ts"

/** How often in a row a person is asked for the same trouble, however many requests are in it. */
const MOST_AUTHORIZATIONS = 3

interface State {
  credential: Credential | null
  /** They carry its access token; the same object as long as the token is the same. */
  headers: HeaderRecord
  /** Headers with a token that was just granted and that the server has not accepted yet: a refresh brings no better one. */
  untried: HeaderRecord | null
  /** How often a person was asked since a request was last accepted. */
  authorizations: number
}

/**
 * Reads the tokens that are kept. A refused request gets others, from a refresh or from a person; requests that are refused
 * at the same time share one renewal. Where nobody can be asked, `renew` fails with `AuthRequired` at once.
 */
export const make = Effect.fnUntraced(function*(
  config: ServerConfig,
  http: Http,
  url: URL
): Effect.fn.Return<HttpAuth.HttpAuth, never, McpFetch | Scope.Scope> {
  const guarded = yield* ProtectedServer.make(config, http, url, FetchSend.fetchFor(http, yield* McpFetch))
  const store = yield* Credentials
  const asking = yield* Authorizer
  const hasOwn = HttpAuth.hasCredentials(Object.keys(http.headers))
  const isProgram = guarded.oauth.grant === "client_credentials"
  const state: State = { credential: null, headers: NOTHING, untried: null, authorizations: 0 }
  const carried = new WeakMap<HeaderRecord, Tokens>()
  // Tokens that come after a request was given up must not be lost.
  const renewal = SharedRenewal.make<void, Trouble>(Effect.forkDetach)

  const inTime = yield* EarlyRenewal.make(Effect.suspend(() => ahead))
  const adopt = Effect.fnUntraced(function*(credential: Credential | null, isFresh = false) {
    const tokens = credential?.tokens ?? null
    if (tokens === null) state.headers = NOTHING
    else {
      if (isNews(credential, carried.get(state.headers) ?? null)) {
        state.headers = { authorization: `Bearer ${Redacted.value(tokens.access)}` }
        yield* inTime(tokens)
      }
      carried.set(state.headers, tokens)
    }
    state.credential = credential
    if (isFresh) state.untried = state.headers
    guarded.hide(credential)
    yield* AuthState.tell(credential)
  })
  /** Where that comes to nothing, the server refuses the tokens when they have ended, and they are renewed then. */
  const ahead: Effect.Effect<void> = Effect.suspend(() => {
    const tokens = carried.get(state.headers) ?? null
    const renewed = Flows.renew({ guarded, store, challenge: Challenge.NONE, refused: tokens })
    return Effect.ignore(renewal.run(
      // The server may forget them before their first use: that is no reason to ask a person.
      Effect.flatMap(renewed, (own) => own === null ? Effect.void : adopt(own.credential))
    ))
  })
  /** Asks a person, or signs in as this program. */
  const authorize = Effect.fnUntraced(function*(refusal: Refused) {
    const nobody = asking === null && !isProgram
    if (nobody || state.authorizations >= MOST_AUTHORIZATIONS) return yield* required(guarded, refusal)
    state.authorizations += 1
    yield* ServerLog.event(`signing in, ${state.authorizations} of ${MOST_AUTHORIZATIONS} times in a row`)
    const stored = yield* store.read(guarded.key)
    const signed = yield* Flows.signIn({ guarded, asking, challenge: refusal.challenge, stored })
    return yield* store.change(guarded.key, () => Effect.succeed({ keep: signed, give: signed }))
  })
  const renew = Effect.fnUntraced(function*(refusal: Refused, mayRefresh: boolean): Effect.fn.Return<void, Trouble> {
    const { challenge, tokens } = refusal
    const isMore = Challenge.isStepUp(challenge)
    const own = mayRefresh && !isMore ? yield* Flows.renew({ guarded, store, challenge, refused: tokens }) : null
    if (own !== null) {
      if (own.isFresh) yield* ServerLog.event("got new tokens")
      yield* adopt(own.credential, own.isFresh)
    } else {
      if (isMore && asking === null) yield* remember(store, guarded, challenge)
      yield* adopt(yield* store.read(guarded.key))
      // The tokens stay in the store, but the server accepts them no more.
      if (!isMore && state.credential !== null) yield* AuthState.tell({ ...state.credential, tokens: null })
      // This program got a token a moment ago, and would get the same.
      if (isProgram && !isMore) return yield* required(guarded, refusal)
      yield* adopt(yield* authorize(refusal), true)
    }
    if (state.headers === NOTHING) return yield* required(guarded, refusal)
  })

  const kept = yield* Effect.orElseSucceed(store.read(guarded.key), () => null)
  // A store that cannot be read now is read again, and complained of, when it is needed.
  yield* kept === null ? Effect.flatMap(AuthState.AuthState, (tell) => tell(null)) : adopt(kept)
  /** Tokens go to their server only, wherever a redirect leads. */
  const isOurs = (target: URL) => target === url || target.origin === url.origin
  const accepted = (used: HeaderRecord, isRetry: boolean) => {
    if (used === state.untried) state.untried = null
    if (isRetry) state.authorizations = 0
  }
  return {
    headers: (target) => isOurs(target) ? state.headers : NOTHING,
    accepted,
    renew: Effect.fnUntraced(function*({ count, headers, method, status, text, url: target, used }) {
      const challenge = Challenge.read(status, HttpResponse.header(headers, "www-authenticate") ?? "")
      if (status !== 401 && !Challenge.isStepUp(challenge)) accepted(used, false)
      else if (isOurs(target) && method !== "DELETE") {
        const tokens = carried.get(used) ?? null
        const refusal = { challenge, text, tokens }
        if (count > MOST_AUTHORIZATIONS || isRepeated(refusal)) return yield* given(required(guarded, refusal), method)
        if (isNews(state.credential, tokens)) return true
        const mayRefresh = tokens === null || used !== state.untried
        return yield* given(renewal.run(renew(refusal, mayRefresh)), method)
      }
      return false
    }),
    scrub: guarded.scrub,
    isAuthorized: () => hasOwn || state.headers !== NOTHING,
    login: config.name,
    renewed: renewal.settled
  }
})

const NOTHING: HeaderRecord = {}

type Trouble = AuthRequired | AuthorizationFailed

interface Refused {
  readonly challenge: Challenge.Challenge
  readonly text: string
  /** Null where the request carried none. */
  readonly tokens: Tokens | null
}

/** Reports that nobody can be asked. A GET gets the status instead: a refused stream may be no loss. */
const given = (renewed: Effect.Effect<void, Trouble>, method: HttpAuth.Refusal["method"]) => {
  const told = Effect.tapError(
    Effect.as(renewed, true),
    (reason) => reason._tag === "AuthRequired" && reason.isStepUp !== true ? AuthState.refused(reason) : Effect.void
  )
  return method === "GET" ? Effect.catchTag(told, "AuthRequired", () => Effect.succeed(false)) : told
}

/** Whether the server wants rights that the request has shown: to ask for them again changes nothing. */
const isRepeated = ({ challenge, tokens }: Refused): boolean =>
  Challenge.isStepUp(challenge) && tokens !== null && challenge.scopes.every((scope) => tokens.scopes.includes(scope))

/** The next sign-in, perhaps of another program, asks for these too. */
const remember = (store: CredentialStore, { key }: ProtectedServer.ProtectedServer, { scopes }: Challenge.Challenge) =>
  store.change(key, (now) => {
    const wanted = Challenge.union(now?.wanted ?? [], scopes)
    const isKnown = now === null || wanted.length === now.wanted.length
    return Effect.succeed({ keep: isKnown ? now : { ...now, wanted }, give: null })
  })

const required = (
  { name, oauth, scrub }: ProtectedServer.ProtectedServer,
  { challenge, text }: Refused
): Effect.Effect<never, Trouble> =>
  Effect.fail(
    oauth.grant === "client_credentials"
      ? new AuthorizationFailed({
        detail: `the server does not take the token that its authorization server gave (HTTP ${challenge.status})`
      })
      : new AuthRequired({
        code: challenge.status,
        login: name,
        isStepUp: Challenge.isStepUp(challenge),
        ...(challenge.scopes.length === 0 ? {} : { scopes: challenge.scopes }),
        ...HttpFailure.detailOf(text, scrub)
      })
  )
