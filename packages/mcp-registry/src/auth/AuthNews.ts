/**
 * Where it is told how a person is signed in to the server that a fiber works for.
 */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { AuthRequired } from "../McpError.ts"
import type { ServerAuth } from "../shapes/ServerStatus.ts"
import type { Credential } from "./Credential.ts"

/** Takes it; nobody does where none is given. @category references */
export const AuthNews = Context.Reference<(auth: ServerAuth | null) => Effect.Effect<void>>("mcp-registry/AuthNews", {
  defaultValue: () => () => Effect.void
})

/**
 * Is told that a connection is of no use any more: its server wants authorization, and nobody can be asked. Nobody is
 * told where none is given.
 *
 * @category references
 */
export const Refused = Context.Reference<(reason: AuthRequired) => Effect.Effect<void>>("mcp-registry/Refused", {
  defaultValue: () => () => Effect.void
})

/** What may be told of it. @category getters */
export const toAuth = (credential: Credential | null): ServerAuth => {
  const tokens = credential?.tokens ?? null
  return {
    signedIn: tokens !== null,
    issuer: credential?.issuer ?? null,
    scopes: tokens?.scopes ?? [],
    expiresAt: tokens === null || tokens.expiresAt === null ? null : timeOf(tokens.expiresAt)
  }
}

/** A file may hold a number that is no time. */
const timeOf = (millis: number): string | null =>
  Option.getOrNull(Option.map(DateTime.make(millis), DateTime.formatIso))

/** Tells it. @category combinators */
export const tell = (credential: Credential | null): Effect.Effect<void> =>
  Effect.flatMap(AuthNews, (listener) => listener(toAuth(credential)))

/** Tells that. @category combinators */
export const refused = (reason: AuthRequired): Effect.Effect<void> =>
  Effect.flatMap(Refused, (listener) => listener(reason))
