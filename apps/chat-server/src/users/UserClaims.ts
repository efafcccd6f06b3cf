/** Reads a person from the claims of an identity provider or a proxy. */
import type { Identity } from "./Users.ts"

export type Claims = Readonly<Record<string, unknown>>

/** Names of claims, and who is what. */
export interface Terms {
  readonly name: string
  readonly groups: string
  readonly admins: ReadonlyArray<string>
  readonly members: ReadonlyArray<string>
}

/** Null for somebody who is neither an admin nor a member. */
export const identityOf = (source: string, claims: Claims, terms: Terms): Identity | null => {
  const subject = textOf(claims["sub"])
  const name = [claims[terms.name], claims["email"], claims["name"], claims["sub"]].map(textOf).find((one) =>
    one !== ""
  )
  if (subject === "" || name === undefined) return null
  const groups = listOf(claims[terms.groups])
  // Anybody could give an address that no provider has verified.
  const email = claims["email_verified"] === false ? "" : textOf(claims["email"])
  const isAmong = (rules: ReadonlyArray<string>): boolean =>
    rules.some((rule) =>
      rule === "*" || (rule.startsWith("group:") ? groups.includes(rule.slice(6)) : isOne(rule, name, email))
    )
  const role = isAmong(terms.admins) ? "admin" : isAmong(terms.members) ? "member" : null
  return role === null ? null : { subject: `${source} ${subject}`, name, role, groups }
}

const isOne = (rule: string, ...names: ReadonlyArray<string>): boolean =>
  names.some((name) => name !== "" && name.toLowerCase() === rule.toLowerCase())

const textOf = (claim: unknown): string => typeof claim === "string" ? claim.trim() : ""

/** Providers send a list, proxies a text with commas. */
const listOf = (claim: unknown): ReadonlyArray<string> =>
  (Array.isArray(claim) ? claim.map(textOf) : textOf(claim).split(",").map(textOf)).filter((group) => group !== "")
