/** Resolves `oauth`: expands its variables and wraps its secrets. */
import * as Redacted from "effect/Redacted"
import type { Http, OAuth } from "../model/ServerConfig.ts"
import type { HttpEntry, OAuthText } from "../model/ServerEntry.ts"
import type { Written } from "../text/Field.ts"

/** Gives the text with its variables; null when that cannot be told, which is noted. */
export type Expand = (written: Written) => string | null

/** Notes what is wrong. */
export type Blame = (written: Written, detail: string, hint: string) => void

/** A value that expands to nothing counts as not written, as a header does. */
export const build = (oauth: HttpEntry["oauth"], expand: Expand, blame: Blame): Pick<Http, "oauth"> => {
  if (oauth === undefined) return {}
  if (oauth === false) return { oauth }
  const texts = new Map<OAuthText, string>()
  for (const [key, written] of oauth.texts) {
    const text = expand(written)?.trim() ?? ""
    if (ADDRESSES.has(key) && text !== "" && !isSafeAddress(text)) blame(written, ...UNSAFE)
    if (text !== "") texts.set(key, text)
  }
  const text = (key: OAuthText) => texts.get(key) ?? null
  return {
    oauth: {
      clientId: text("clientId"),
      clientSecret: secret(text("clientSecret")),
      clientMetadataUrl: text("clientMetadataUrl"),
      scopes: oauth.scopes === null ? null : scopesOf(oauth.scopes.map((written) => expand(written) ?? "")),
      callbackPort: oauth.callbackPort,
      redirectUri: text("redirectUri"),
      resource: text("resource"),
      issuer: text("issuer"),
      grant: oauth.grant,
      ...oauth.login === undefined ? {} : { login: oauth.login },
      privateKey: secret(text("privateKey")),
      algorithm: text("algorithm") ?? "RS256"
    } satisfies OAuth
  }
}

const scopesOf = (texts: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...new Set(texts.flatMap((text) => text.split(/\s+/)).filter((scope) => scope !== ""))
]

const secret = (text: string | null) => text === null ? null : Redacted.make(text)

/** Addresses that receive a person or a secret. */
const ADDRESSES: ReadonlySet<OAuthText> = new Set(["clientMetadataUrl", "issuer"])

const UNSAFE = ["this is not an address that starts with https://", "write the whole address"] as const

const isSafeAddress = (text: string): boolean =>
  URL.canParse(text) && /^(https:\/\/|http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?(\/|$))/i.test(text)

/** All that it says as keys and texts, before variables are filled in. */
export const written = (oauth: HttpEntry["oauth"]): ReadonlyArray<readonly [string, string]> => {
  if (oauth === undefined) return []
  if (oauth === false) return [["enabled", "false"]]
  return [
    ...oauth.texts.map(([key, { text }]) => [key, text] as const),
    ...(oauth.scopes === null ? [] : [["scopes", oauth.scopes.map(({ text }) => text).join(" ")] as const]),
    ...(oauth.callbackPort === null ? [] : [["callbackPort", String(oauth.callbackPort)] as const]),
    ["grant", oauth.grant],
    ...(oauth.login === undefined ? [] : [["login", oauth.login] as const])
  ]
}
