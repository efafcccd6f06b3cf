/** Sign-in at an OpenID Connect provider, by openid-client, which is loaded when somebody first signs in there. */
import type { User } from "@boocode/chat"
import { Environment } from "@boocode/mcp-config"
import { McpFetch } from "@boocode/mcp-registry"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { Configuration } from "openid-client"
import type { Provider } from "../settings/people/SignInSettings.ts"
import * as ProviderSettings from "../settings/ProviderSettings.ts"
import { Settings } from "../settings/Settings.ts"
import { TOLD } from "../settings/ToldWords.ts"
import * as UserClaims from "../users/UserClaims.ts"
import type { UserRefused, UsersFailed } from "../users/UserError.ts"
import { Users } from "../users/Users.ts"
import type { Begun } from "./SessionCookie.ts"

/** Nobody was signed in by the provider. */
export class ProviderFailed extends Schema.TaggedError<ProviderFailed>()("ProviderFailed", TOLD) {}

/** The provider knows the person, and the settings let them not in. */
export class NotLetIn extends Schema.TaggedError<NotLetIn>()("NotAMember", TOLD) {}

export interface ProviderSignIn {
  /** The label of the button. */
  readonly label: string
  /** Where the browser goes, and what it keeps. `origin` is this server as the browser knows it. */
  readonly begin: (origin: string) => Effect.Effect<{ readonly url: string; readonly begun: Begun }, ProviderFailed>
  /** The person that a browser comes back as. */
  readonly finish: (
    origin: string,
    search: string,
    begun: Begun
  ) => Effect.Effect<User, ProviderFailed | NotLetIn | UserRefused | UsersFailed>
}

/** Where a browser begins. */
export const PATH = "/oauth/sign-in"

/** Where it comes back to. A provider wants it registered. */
export const CALLBACK = `${PATH}/callback`

/** How long the provider may take to answer. */
const LIMIT = "15 seconds"

export class IdentityProvider extends Context.Service<IdentityProvider, {
  /** Null where the settings name no provider. */
  readonly signIn: ProviderSignIn | null
}>()("chat-server/IdentityProvider") {
  static readonly layer = Layer.effect(
    IdentityProvider,
    Effect.gen(function*() {
      const { signIn: terms } = yield* Settings
      if (terms === null) return { signIn: null }
      const { variables } = yield* Environment
      const { fetch } = yield* McpFetch
      const name = terms.clientSecret === null ? null : ProviderSettings.variableOf(terms.clientSecret)
      const secret = name === null ? null : Redacted.make(variables[name] ?? "")
      return { signIn: make(terms, secret, fetch, yield* Users) }
    })
  )

  static readonly layerNone = Layer.succeed(IdentityProvider, { signIn: null })
}

const load = Effect.promise(() => import("openid-client"))

const make = (
  terms: Provider,
  secret: Redacted.Redacted<string> | null,
  fetch: typeof globalThis.fetch,
  users: Users["Service"]
): ProviderSignIn => {
  /** Read again each time: it costs one request, and keys and addresses change. */
  const discovered = Effect.gen(function*() {
    const library = yield* load
    if (secret !== null && Redacted.value(secret) === "") return yield* unset(terms)
    return yield* asked(() =>
      library.discovery(
        new URL(terms.issuer),
        terms.clientId,
        undefined,
        secret === null ? library.None() : library.ClientSecretPost(Redacted.value(secret)),
        {
          // Plain http leads to this machine alone, which the settings see to.
          execute: terms.issuer.startsWith("http:") ? [library.allowInsecureRequests] : [],
          [library.customFetch]: (url, { body, ...options }) => fetch(url, { ...options, body: body ?? null })
        }
      )
    )
  })
  const claimsOf = Effect.fnUntraced(function*(configuration: Configuration, url: URL, begun: Begun) {
    const library = yield* load
    const tokens = yield* asked(() =>
      library.authorizationCodeGrant(configuration, url, {
        pkceCodeVerifier: begun.verifier,
        expectedState: begun.state,
        expectedNonce: begun.nonce,
        idTokenExpected: true
      })
    )
    const told = tokens.claims()
    if (told === undefined) return yield* failed("it sent no ID token")
    const isWhole = terms.name in told && terms.groups in told
    if (isWhole || configuration.serverMetadata().userinfo_endpoint === undefined) return told
    return { ...yield* asked(() => library.fetchUserInfo(configuration, tokens.access_token, told.sub)), ...told }
  })
  return {
    label: terms.label,
    begin: Effect.fnUntraced(function*(origin) {
      const library = yield* load
      const configuration = yield* discovered
      const begun = {
        state: library.randomState(),
        nonce: library.randomNonce(),
        verifier: library.randomPKCECodeVerifier()
      }
      const url = library.buildAuthorizationUrl(configuration, {
        redirect_uri: `${origin}${CALLBACK}`,
        scope: terms.scope,
        state: begun.state,
        nonce: begun.nonce,
        code_challenge: yield* Effect.promise(() => library.calculatePKCECodeChallenge(begun.verifier)),
        code_challenge_method: "S256"
      })
      return { url: url.href, begun }
    }),
    finish: Effect.fnUntraced(function*(origin, search, begun) {
      const claims = yield* claimsOf(yield* discovered, new URL(`${origin}${CALLBACK}${search}`), begun)
      const identity = UserClaims.identityOf(terms.issuer, claims, terms)
      return identity === null ? yield* notLetIn : yield* users.identified(identity)
    })
  }
}

const asked = <A>(request: () => Promise<A>): Effect.Effect<A, ProviderFailed> =>
  Effect.tryPromise({ try: request, catch: (cause) => new ProviderFailed(told(wordsOf(cause))) }).pipe(
    Effect.timeoutOrElse({ duration: LIMIT, orElse: () => failed(`no answer within ${LIMIT}`) })
  )

const told = (why: string) => ({
  message: `the identity provider did not sign you in: ${why}`,
  hint: "try again; an admin finds issuer, clientId and clientSecret under signIn of settings.json"
})

const failed = (why: string) => Effect.fail(new ProviderFailed(told(why)))

/** The library says little; what the provider itself answered is the cause. */
const wordsOf = (cause: unknown): string => {
  if (!(cause instanceof Error)) return String(cause)
  const described = "error_description" in cause ? `: ${String(cause.error_description)}` : ""
  return `${cause.message}${described}`
}

const unset = ({ clientSecret }: Provider) =>
  new ProviderFailed({
    message: `the variable of ${
      clientSecret ?? "clientSecret"
    } is not set, so nobody can sign in at the identity provider`,
    hint: "set it for the server, or in .env of the data folder, and start again"
  })

const notLetIn = new NotLetIn({
  message: "the identity provider knows you, and this server does not let you in",
  hint: "an admin adds you, your group or \"*\" to members under signIn of settings.json"
})
