/** Reports how a person is signed in to the server that a fiber works for. */
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

/** Hears that a connection has become useless: its server wants authorization, and nobody can be asked. */
export const Refused = Context.Reference<(reason: AuthRequired) => Effect.Effect<void>>("mcp-client/Refused", {
  defaultValue: () => () => Effect.void
})

/** Reports a credential, without its secrets. */
export const tell = (credential: Credential | null): Effect.Effect<void> =>
  Effect.flatMap(AuthState, (listener) => listener(shown(credential)))

const shown = (credential: Credential | null): ServerAuth => {
  const { expiresAt = null, scopes = [] } = credential?.tokens ?? {}
  return {
    signedIn: (credential?.tokens ?? null) !== null,
    issuer: credential?.issuer ?? null,
    scopes,
    // A file may hold a number that is no time.
    expiresAt: Option.getOrNull(
      Option.map(Option.flatMap(Option.fromNullishOr(expiresAt), DateTime.make), DateTime.formatIso)
    )
  }
}

/** Reports that a connection has become useless. */
export const refused = (reason: AuthRequired): Effect.Effect<void> =>
  Effect.flatMap(Refused, (listener) => listener(reason))

/** How often another program's sign-in is looked for. */
const LOOK_EVERY = "5 seconds"

/**
 * Waits until a person has signed in by way of another program that shares the tokens. False at once where nobody can sign
 * in, and when the tokens cannot be read: a locked keychain must not ask a person again and again.
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
