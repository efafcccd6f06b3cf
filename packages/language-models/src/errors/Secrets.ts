/** Hides a provider's key, and what is secret in its address, in errors. */

/** Hides the secrets of one provider in text that others wrote. */
export type Scrub = (text: string) => string

/** Hides nothing, for a model that has no secret. */
export const none: Scrub = (text) => text

/**
 * Hides a key and the user, the password, the long path segments and the query of a base URL, also where they are
 * written as JSON or in a URL. Secrets of less than 8 characters are not hidden: they are words such as `none`.
 */
export const make = (access: { readonly key: string | null; readonly baseUrl: string | null }): Scrub => {
  const plain = [...(access.key === null ? [] : [access.key]), ...urlSecrets(access.baseUrl)]
  const secrets = plain.flatMap((secret) => [
    secret,
    encodeURIComponent(secret.toWellFormed()),
    JSON.stringify(secret).slice(1, -1)
  ])
  // The longest first, so that none leaves the end of another.
  const hidden = [...new Set(secrets)].filter((secret) => secret.length >= SHORTEST)
    .toSorted((one, other) => other.length - one.length)
  return (text) => hidden.reduce((result, secret) => result.replaceAll(secret, HIDDEN), text)
}

const SHORTEST = 8
const SEGMENT = 16
const HIDDEN = "[hidden]"

const urlSecrets = (baseUrl: string | null): ReadonlyArray<string> => {
  if (baseUrl === null || !URL.canParse(baseUrl)) return []
  const url = new URL(baseUrl)
  const segments = url.pathname.split("/").filter((segment) => segment.length >= SEGMENT)
  return [url.username, url.password, ...segments, ...url.searchParams.values()]
}

/** The address without what may be secret in it: its origin. Other text stays as it is. */
export const place = (address: string): string => {
  const origin = URL.canParse(address) ? new URL(address).origin : "null"
  return origin === "null" ? address : origin
}
