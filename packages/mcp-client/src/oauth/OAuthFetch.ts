/**
 * A fetch that signs requests with the tokens of a server, and gets new ones when the server wants others.
 */
import type { Http, ServerConfig } from "@boocode/mcp-config"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { AuthorizationFailed, AuthRequired } from "../errors/McpError.ts"
import * as ServerLog from "../host/ServerLog.ts"
import type { HelpedFetch } from "../http/HeadersHelper.ts"
import * as HttpBody from "../http/HttpBody.ts"
import * as HttpFailure from "../http/HttpFailure.ts"
import { type Asking, Authorizer } from "./Authorizer.ts"
import * as AuthState from "./AuthState.ts"
import { type Credential, isNews, type Tokens } from "./credentials/Credential.ts"
import { Credentials } from "./credentials/Credentials.ts"
import type { CredentialStore } from "./credentials/CredentialStore.ts"
import * as Flows from "./Flows.ts"
import * as OAuthHttp from "./OAuthHttp.ts"
import * as ProtectedServer from "./ProtectedServer.ts"

/** How often in a row anybody is asked for the same trouble, however many requests are in it. @category constants */
export const MOST_AUTHORIZATIONS = 3

/** A fetch that signs. @category models */
export interface SignedFetch extends HelpedFetch {
  /** Whether requests carry credentials, of the entry or of a person. */
  readonly isAuthorized: () => boolean
  /** The name under which a person can sign in; undefined where nobody can. */
  readonly login: string | undefined
  /** Waits until no renewal is on its way; false when there was none. */
  readonly renewed: Effect.Effect<boolean>
}

/**
 * The fetch of a connection. A request that is refused is sent again with other tokens: it took no effect (Decision 8).
 * Requests that are refused at the same time share one renewal. Where nobody can be asked, it rejects with `AuthRequired`
 * at once; nothing of it ever waits for a person who is not there.
 *
 * @category constructors
 */
export const around = Effect.fnUntraced(function*(
  config: ServerConfig,
  http: Http,
  url: URL,
  helped: HelpedFetch
): Effect.fn.Return<SignedFetch> {
  const hasOwn = http.headersHelper !== undefined || ProtectedServer.hasCredentials(Object.keys(http.headers))
  if (!ProtectedServer.isOpen(http)) {
    return { ...helped, isAuthorized: () => hasOwn, login: undefined, renewed: Effect.succeed(false) }
  }
  const guarded = yield* ProtectedServer.make(config, http, url, helped.fetch)
  const session = make(guarded, yield* Credentials, yield* Authorizer)
  yield* session.begin
  const context = yield* Effect.context<never>()
  // oxlint-disable-next-line house/no-run -- a fetch is a promise
  const run = Effect.runPromiseWith(context)
  return {
    scrub: (text) => guarded.scrub(helped.scrub(text)),
    isAuthorized: () => hasOwn || session.isSignedIn(),
    login: config.name,
    renewed: session.renewed,
    post: helped.post,
    headersNow: () => {
      const headers = helped.headersNow()
      return headers === null ? null : session.headersNow(headers)
    },
    fetch: (input, init = {}) => {
      const signal = init.signal ?? null
      return run(session.answer(helped.fetch, input, init), signal === null ? {} : { signal })
    }
  }
})

type Fetch = typeof globalThis.fetch
type Trouble = AuthRequired | AuthorizationFailed

const make = (guarded: ProtectedServer.ProtectedServer, store: CredentialStore, asking: Asking | null) => {
  let current: Credential | null = null
  let authorizations = 0
  /** Got just now, and not taken by the server yet: if it never is, another renewal would bring nothing better. */
  let untried: Tokens | null = null
  let renewal: Deferred.Deferred<Tokens, Trouble> | null = null
  const tokensNow = () => current?.tokens ?? null

  const adopt = Effect.fnUntraced(function*(credential: Credential | null) {
    current = credential
    guarded.hide(credential)
    yield* AuthState.tell(credential)
  })
  const begin = Effect.flatMap(
    // What cannot be read now is asked for again, and complained of, when it is needed.
    Effect.orElseSucceed(store.read(guarded.key), () => null),
    (kept) => kept === null ? Effect.flatMap(AuthState.AuthState, (tell) => tell(null)) : adopt(kept)
  )
  /** A person, or this program itself, within the limit. */
  const authorize = Effect.fnUntraced(function*(trouble: Refusal) {
    const { challenge } = trouble
    const nobody = asking === null && guarded.oauth.grant !== "client_credentials"
    if (nobody || authorizations >= MOST_AUTHORIZATIONS) return yield* required(guarded, trouble)
    authorizations += 1
    yield* ServerLog.event(`signing in, ${authorizations} of ${MOST_AUTHORIZATIONS} times in a row`)
    const signed = yield* Flows.signIn({ guarded, asking, challenge, stored: yield* store.read(guarded.key) })
    return yield* store.change(guarded.key, () => Effect.succeed({ keep: signed, give: signed }))
  })
  const renew = Effect.fnUntraced(function*(trouble: Refusal, refused: Tokens | null, mayRefresh: boolean) {
    const { challenge } = trouble
    const isMore = OAuthHttp.isStepUp(challenge)
    const own = mayRefresh && !isMore ? yield* Flows.renew({ guarded, store, challenge, refused }) : null
    if (own !== null) {
      if (own.isFresh) {
        untried = own.credential.tokens
        yield* ServerLog.event("got new tokens")
      }
      yield* adopt(own.credential)
      return
    }
    if (isMore && asking === null) yield* remember(store, guarded, challenge)
    yield* adopt(yield* store.read(guarded.key))
    // They may be kept, for all that is known here they are of no use.
    if (!isMore && current !== null) yield* AuthState.tell({ ...current, tokens: null })
    // This program got a token a moment ago, and would get the same.
    if (guarded.oauth.grant === "client_credentials" && !isMore) return yield* required(guarded, trouble)
    const signed = yield* authorize(trouble)
    untried = signed.tokens
    yield* adopt(signed)
  })
  /** In a fiber of its own: whoever asked first may not want it any more, and tokens that came must not be lost. */
  const renewed = (trouble: Refusal, refused: Tokens | null, mayRefresh: boolean): Effect.Effect<Tokens, Trouble> =>
    Effect.suspend(() => {
      const now = tokensNow()
      if (now !== null && isNews(current, refused)) return Effect.succeed(now)
      if (renewal !== null) return Deferred.await(renewal)
      const begun = Deferred.makeUnsafe<Tokens, Trouble>()
      renewal = begun
      const run = renew(trouble, refused, mayRefresh).pipe(
        Effect.andThen(
          Effect.suspend(() => {
            const tokens = tokensNow()
            return tokens === null ? required(guarded, trouble) : Effect.succeed(tokens)
          })
        ),
        Effect.ensuring(Effect.sync(() => void (renewal = null))),
        Deferred.into(begun)
      )
      return Effect.andThen(Effect.forkDetach(run), Deferred.await(begun))
    })
  const answer = Effect.fnUntraced(function*(fetch: Fetch, input: Parameters<Fetch>[0], init: RequestInit) {
    // Wherever a server may lead, its tokens stay with it.
    if (originOf(input) !== guarded.url.origin) return yield* send(fetch, input, init, null)
    let used = tokensNow()
    for (let sent = 1;; sent += 1) {
      const response = yield* send(fetch, input, init, used)
      const challenge = OAuthHttp.challengeOf(response)
      if (response.status !== 401 && !OAuthHttp.isStepUp(challenge)) {
        if (used === untried) untried = null
        // Whatever it was about is over.
        if (response.ok && sent > 1) authorizations = 0
        return response
      }
      if (init.method === "DELETE") return response
      const trouble = { challenge, words: yield* HttpBody.words(response) }
      const isHopeless = sent > MOST_AUTHORIZATIONS || !isRepeatable(init) || isRepeated(challenge, used)
      const next = Effect.tapError(
        isHopeless ? required(guarded, trouble) : renewed(trouble, used, used === null || used !== untried),
        (reason) => reason._tag === "AuthRequired" && reason.isStepUp !== true ? AuthState.refused(reason) : Effect.void
      )
      // What listens hears a status, and nothing of what a fetch rejects with.
      const isListening = (init.method ?? "GET") === "GET"
      const given = yield* isListening ? Effect.catchTag(next, "AuthRequired", () => Effect.succeed(null)) : next
      if (given === null) return new Response(trouble.words, { status: response.status })
      used = given
    }
  })
  const signing = makeSigning()
  return {
    begin,
    answer,
    /** Tokens that no answer has proven yet take the way that notes when one does. */
    headersNow: (headers: Headers) => {
      const tokens = tokensNow()
      return tokens === null ? headers : tokens === untried ? null : signing(headers, tokens)
    },
    isSignedIn: () => tokensNow() !== null,
    renewed: Effect.suspend(() =>
      renewal === null ? Effect.succeed(false) : Effect.as(Effect.exit(Deferred.await(renewal)), true)
    )
  }
}

/** A refusal with the server's words. */
interface Refusal {
  readonly challenge: OAuthHttp.Challenge
  readonly words: string
}

const originOf = (input: Parameters<Fetch>[0]): string | undefined =>
  URL.parse(input instanceof Request ? input.url : String(input))?.origin

const send = (fetch: Fetch, input: Parameters<Fetch>[0], init: RequestInit, tokens: Tokens | null) =>
  // @effect-diagnostics-next-line unknownInEffectCatch:off -- whoever asked gets what fetch threw as it is
  Effect.tryPromise({ try: () => fetch(input, tokens === null ? init : signed(init, tokens)), catch: (error) => error })

const signed = (init: RequestInit, { access }: Tokens): RequestInit => {
  const headers = new globalThis.Headers(init.headers)
  headers.set("authorization", `Bearer ${Redacted.value(access)}`)
  return { ...init, headers }
}

type Headers = Readonly<Record<string, string>>

/** The same object for as long as nothing changes. */
const makeSigning = () => {
  let made: { readonly of: Headers; readonly tokens: Tokens; readonly headers: Headers } | null = null
  return (of: Headers, tokens: Tokens): Headers => {
    if (made?.of === of && made.tokens === tokens) return made.headers
    made = { of, tokens, headers: { ...of, authorization: `Bearer ${Redacted.value(tokens.access)}` } }
    return made.headers
  }
}

/** A body that streams is gone when it was sent. */
const isRepeatable = ({ body }: RequestInit): boolean => body === undefined || body === null || typeof body === "string"

/** Whether the server wants rights that it just was shown: to ask for them again changes nothing. */
const isRepeated = (challenge: OAuthHttp.Challenge, used: Tokens | null): boolean =>
  OAuthHttp.isStepUp(challenge) && used !== null && challenge.scopes.every((scope) => used.scopes.includes(scope))

/** The next sign-in, perhaps of another program, asks for these too. */
const remember = (store: CredentialStore, { key }: ProtectedServer.ProtectedServer, { scopes }: OAuthHttp.Challenge) =>
  store.change(key, (now) => {
    const wanted = OAuthHttp.unionOfChallenges(now?.wanted ?? [], scopes)
    const isKnown = now === null || wanted.length === now.wanted.length
    return Effect.succeed({ keep: isKnown ? now : { ...now, wanted }, give: null })
  })

const required = ({ name, oauth, scrub }: ProtectedServer.ProtectedServer, { challenge, words }: Refusal) =>
  Effect.fail(
    oauth.grant === "client_credentials"
      ? new AuthorizationFailed({
        detail: `the server does not take the token that its authorization server gave (HTTP ${challenge.status})`
      })
      : new AuthRequired({
        code: challenge.status,
        login: name,
        isStepUp: OAuthHttp.isStepUp(challenge),
        ...(challenge.scopes.length === 0 ? {} : { scopes: challenge.scopes }),
        ...HttpFailure.detailOf(words, scrub)
      })
  )
