/** The keys of settings.json about who says who people are: an identity provider, and a proxy in front. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as PrivateAddress from "../PrivateAddress.ts"

const or = <S extends Schema.Constraint>(schema: S, otherwise: S["Encoded"]) =>
  Schema.withDecodingDefaultKey<S>(Effect.succeed(otherwise))(schema)

const isSecure = (text: string): boolean => {
  const url = URL.parse(text)
  return url !== null && (url.protocol === "https:" || PrivateAddress.isThisMachine(url.hostname))
}

/** Keys and passwords go there. */
const Url = Schema.String.check(Schema.makeFilter(isSecure))

/** Names of claims, and who is what: a person by their name or e-mail, `group:NAME`, or `*` for everyone. */
const who = {
  name: or(Schema.NonEmptyString, "preferred_username"),
  groups: or(Schema.NonEmptyString, "groups"),
  admins: or(Schema.Array(Schema.NonEmptyString), []),
  members: or(Schema.Array(Schema.NonEmptyString), [])
}

/** OpenID Connect. */
export const Provider = Schema.Struct({
  issuer: Url,
  clientId: Schema.NonEmptyString,
  clientSecret: or(Schema.NullOr(Schema.String.check(Schema.isPattern(/^\$\{[A-Za-z_]\w*\}$/))), null),
  label: or(Schema.NonEmptyString, "Sign in with your organization"),
  scope: or(Schema.NonEmptyString, "openid profile email"),
  ...who
})
export type Provider = typeof Provider.Type

/** A proxy that lets only people through that it knows, and says in a header who it is. */
export const Proxy = Schema.Struct({
  addresses: Schema.NonEmptyArray(Schema.String.check(Schema.makeFilter(PrivateAddress.isRule))),
  header: Schema.NonEmptyString,
  groupsHeader: or(Schema.NullOr(Schema.NonEmptyString), null),
  /** Where the keys are with which it signs; null where the header is the name itself. */
  jwks: or(Schema.NullOr(Url), null),
  issuer: or(Schema.NullOr(Schema.NonEmptyString), null),
  audience: or(Schema.NullOr(Schema.NonEmptyString), null),
  ...who
}).check(Schema.makeFilter(({ audience, issuer, jwks }) => jwks === null || issuer !== null && audience !== null))
export type Proxy = typeof Proxy.Type
