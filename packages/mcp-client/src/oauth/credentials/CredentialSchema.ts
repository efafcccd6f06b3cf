/** An authorization as it is kept: our identity at the authorization server, and the tokens that it gave. */
import * as Schema from "effect/Schema"

const Secret = Schema.RedactedFromValue(Schema.String)

export const Client = Schema.Struct({
  id: Schema.String,
  secret: Schema.NullOr(Secret),
  /** How it is to authenticate, where the registration said so. */
  method: Schema.NullOr(Schema.String),
  /** The addresses that it was registered with; null for one that was not registered by us. */
  redirectUris: Schema.NullOr(Schema.Array(Schema.String)),
  /** The scopes that it may ask for; null for any. */
  scopes: Schema.NullOr(Schema.Array(Schema.String)),
  /** When the secret ends, in milliseconds of the clock; null for never. */
  secretExpiresAt: Schema.NullOr(Schema.Number)
})

export type Client = typeof Client.Type

export const Tokens = Schema.Struct({
  access: Secret,
  /** Bearer, or DPoP. */
  type: Schema.String,
  refresh: Schema.NullOr(Secret),
  /** The granted scopes; the requested ones, where the authorization server did not say. */
  scopes: Schema.Array(Schema.String),
  /** When the access token ends, in milliseconds of the clock; null where that was not said. */
  expiresAt: Schema.NullOr(Schema.Number)
})

export type Tokens = typeof Tokens.Type

/** The credential of one server at one URL. */
export const Credential = Schema.Struct({
  /** The one authorization server that client and tokens belong to; they are never shown to another (SEP-2352). */
  issuer: Schema.String,
  client: Schema.NullOr(Client),
  tokens: Schema.NullOr(Tokens),
  /** Scopes that the server asked for in vain: the next sign-in asks for them too. */
  wanted: Schema.Array(Schema.String)
})

export type Credential = typeof Credential.Type

/** How a person is signed in to a remote server. Holds no token. */
export const ServerAuth = Schema.Struct({
  signedIn: Schema.Boolean,
  /** The authorization server. */
  issuer: Schema.NullOr(Schema.String),
  scopes: Schema.Array(Schema.String),
  /** When the access token ends, in ISO 8601. */
  expiresAt: Schema.NullOr(Schema.String)
})

/** How a person is signed in to a remote server. */
export type ServerAuth = typeof ServerAuth.Type
