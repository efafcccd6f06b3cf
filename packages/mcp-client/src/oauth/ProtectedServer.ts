/** A server that may be guarded by OAuth, with all that signing in to it takes. */
import type { Http, OAuth, ServerConfig } from "@boocode/mcp-config"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Redaction from "../base/Redaction.ts"
import { hasCredentials } from "../http/HttpAuth.ts"
import { type Credential, type CredentialKey, secretsOf } from "./credentials/Credential.ts"
import * as OAuthHttp from "./OAuthHttp.ts"

export interface ProtectedServer {
  readonly name: string
  readonly url: URL
  readonly key: CredentialKey
  readonly oauth: OAuth
  /** For requests of the flow. */
  readonly fetch: typeof globalThis.fetch
  /** Hides the secrets of the entry, and all that `hide` was given. */
  readonly scrub: (text: string) => string
  readonly hide: (credential: Credential | null) => void
  readonly hideText: (text: string) => void
}

/** The meaning of an entry without `oauth`. */
export const PLAIN: OAuth = {
  clientId: null,
  clientSecret: null,
  clientMetadataUrl: null,
  scopes: null,
  callbackPort: null,
  redirectUri: null,
  resource: null,
  issuer: null,
  grant: "authorization_code",
  privateKey: null,
  algorithm: "RS256"
}

/** How many secrets are remembered, the last ones: a token may be good for a minute. */
const MAX_SECRETS = 500

export const make = Effect.fnUntraced(function*(
  config: ServerConfig,
  http: Http,
  url: URL,
  fetch: typeof globalThis.fetch
): Effect.fn.Return<ProtectedServer> {
  const secrets = new Set<string>()
  let scrub = Redaction.scrubber(config)
  const hideText = (text: string) => {
    if (secrets.has(text)) return
    secrets.add(text)
    for (const old of [...secrets].slice(0, -MAX_SECRETS)) secrets.delete(old)
    scrub = Redaction.scrubber(config, [...secrets])
  }
  const scrubNow = (text: string) => scrub(text)
  const oauth = http.oauth === undefined || http.oauth === false ? PLAIN : http.oauth
  const named = [url, ...(oauth.issuer === null ? [] : [oauth.issuer])]
  return {
    name: config.name,
    url,
    key: keyOf(config.name, http),
    oauth,
    fetch: yield* OAuthHttp.make({ fetch, scrub: scrubNow, named }),
    scrub: scrubNow,
    hide: (credential) => {
      if (credential !== null) secretsOf(credential).forEach(hideText)
    },
    hideText
  }
})

/** The key of its credentials. */
export const keyOf = (server: string, { url }: Http): CredentialKey => ({ server, url: Redacted.value(url) })

/**
 * Whether signing in is a way to this server. Credentials of the entry itself are never replaced (R81): an Authorization
 * header, whatever a helper prints, and, unless the entry has an `oauth` of its own, any header that looks like a key.
 */
export const isOpen = ({ headers, headersHelper, oauth }: Http): boolean => {
  if (oauth === false || headersHelper !== undefined) return false
  const names = Object.keys(headers)
  if (names.some((name) => /^(proxy-)?authorization$/i.test(name))) return false
  return oauth !== undefined || !hasCredentials(names)
}
