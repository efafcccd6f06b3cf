/**
 * Reports how a person is signed in to the server that a fiber works for.
 */
import type { ServerConfig } from "@boocode/mcp-config"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { AuthRequired, McpErrorReason } from "../errors/McpError.ts"
import { type Credential, isNews } from "./credentials/Credential.ts"
import { Credentials } from "./credentials/Credentials.ts"
import type { ServerAuth } from "./credentials/CredentialSchema.ts"
import * as ProtectedServer from "./ProtectedServer.ts"

/** Receives each change. */
export const AuthState = Context.Reference<(auth: ServerAuth | null) => Effect.Effect<void>>("mcp-client/AuthNews", {
  defaultValue: () => () => Effect.void
})

/**
 * Hears that a connection has become useless: its server wants authorization, and nobody can be asked.
 */
export const Refused = Context.Reference<(reason: AuthRequired) => Effect.Effect<void>>("mcp-client/Refused", {
  defaultValue: () => () => Effect.void
})

/** The part of a credential that may be shown. */
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

/** Tells it. */
export const tell = (credential: Credential | null): Effect.Effect<void> =>
  Effect.flatMap(AuthState, (listener) => listener(toAuth(credential)))

/** Tells that. */
export const refused = (reason: AuthRequired): Effect.Effect<void> =>
  Effect.flatMap(Refused, (listener) => listener(reason))

// Notices that a person has signed in to a server by way of another program that shares the tokens.

/** A person goes from one window to another meanwhile. */
export const LOOK_EVERY = "5 seconds"

/**
 * Waits for tokens other than those of now: true when they are there. False at once where nobody can sign in, and when
 * they cannot be read: a keychain that is locked must not ask a person again and again.
 */
export const waitForSignIn = Effect.fnUntraced(function*({ name, transport }: ServerConfig, reason: McpErrorReason) {
  if (reason._tag !== "AuthRequired" || reason.login === undefined || transport._tag === "stdio") return false
  const store = yield* Credentials
  const read = store.read(ProtectedServer.keyOf(name, transport))
  return yield* Effect.gen(function*() {
    const refused = (yield* read)?.tokens ?? null
    while (!isNews(yield* read, refused)) yield* Effect.sleep(LOOK_EVERY)
    return true
  }).pipe(Effect.orElseSucceed(() => false))
})
