/** The person of a request, as a proxy in front names them that signs people in itself. */
import type { User } from "@boocode/chat"
import { McpFetch } from "@boocode/mcp-registry"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { Proxy } from "../settings/people/SignInSettings.ts"
import * as PrivateAddress from "../settings/PrivateAddress.ts"
import { Settings } from "../settings/Settings.ts"
import * as UserClaims from "../users/UserClaims.ts"
import type { UsersFailed } from "../users/UserError.ts"
import { Users } from "../users/Users.ts"
import type { RequestHead as Request } from "./RequestHead.ts"

export class ProxySignIn extends Context.Service<ProxySignIn, {
  /**
   * The person of a request; null where no proxy names one, or one who is not let in. Only the addresses of the settings are
   * believed.
   */
  readonly find: (request: Request) => Effect.Effect<User | null, UsersFailed>
}>()("chat-server/ProxySignIn") {
  static readonly layer = Layer.effect(
    ProxySignIn,
    Effect.gen(function*() {
      const { proxySignIn: terms } = yield* Settings
      if (terms === null) return { find: () => Effect.succeed(null) }
      const { identified } = yield* Users
      const read = terms.jwks === null ? named(terms) : yield* signed(terms, terms.jwks, (yield* McpFetch).fetch)
      const isBelieved = PrivateAddress.isAmong(terms.addresses)
      return {
        find: Effect.fnUntraced(function*(request) {
          const shown = headerOf(request, terms.header)
          if (shown === "" || !isBelieved(Option.getOrElse(request.remoteAddress, () => ""))) return null
          const claims = yield* read(shown, request)
          const identity = claims === null ? null : UserClaims.identityOf(terms.issuer ?? "proxy", claims, terms)
          if (identity === null) return null
          return yield* Effect.catchTag(
            identified(identity),
            "UserRefused",
            ({ message }) => Effect.as(Effect.logWarning(`the proxy in front names somebody: ${message}`), null)
          )
        })
      }
    })
  )
}

const headerOf = ({ headers }: Request, name: string): string => (headers[name.toLowerCase()] ?? "").trim()

type Read = (shown: string, request: Request) => Effect.Effect<UserClaims.Claims | null>

/** The header is the name itself. */
const named = (terms: Proxy): Read => (shown, request) =>
  Effect.succeed({
    sub: shown,
    [terms.name]: shown,
    [terms.groups]: terms.groupsHeader === null ? "" : headerOf(request, terms.groupsHeader)
  })

/** The library is loaded with the first request. */
const load = Effect.promise(() => import("jose"))

/** How long the keys may take to come. */
const LIMIT = "10 seconds"

/** The header is a token that the proxy, or the service behind it, has signed. */
const signed = Effect.fnUntraced(
  function*({ audience, issuer }: Proxy, jwks: string, fetch: typeof globalThis.fetch): Effect.fn.Return<Read> {
    const keys = yield* Effect.cached(
      Effect.map(load, (library) =>
        library.createRemoteJWKSet(new URL(jwks), {
          [library.customFetch]: (url, options) => fetch(url, options)
        }))
    )
    return Effect.fnUntraced(function*(shown) {
      const library = yield* load
      const known = yield* keys
      return yield* Effect.tryPromise({
        try: () => library.jwtVerify(shown, known, { issuer: issuer ?? "", audience: audience ?? "" }),
        catch: (cause) => ({ message: cause instanceof Error ? cause.message : String(cause) })
      }).pipe(
        Effect.timeout(LIMIT),
        Effect.map(({ payload }) => payload),
        Effect.catch(({ message }) =>
          Effect.as(Effect.logWarning(`a token of the proxy in front is refused: ${message}`), null)
        )
      )
    })
  }
)
