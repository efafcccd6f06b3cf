/**
 * Notices that a person has signed in to a server by way of another program that shares the tokens.
 */
import type { ServerConfig } from "@boocode/mcp-config"
import * as Effect from "effect/Effect"
import type { McpErrorReason } from "../McpError.ts"
import { isNews } from "./Credential.ts"
import { Credentials } from "./Credentials.ts"
import * as Guarded from "./Guarded.ts"

/** A person goes from one window to another meanwhile. @category constants */
export const LOOK_EVERY = "5 seconds"

/**
 * Waits for tokens other than those of now: true when they are there. False at once where nobody can sign in, and when
 * they cannot be read: a keychain that is locked must not ask a person again and again.
 *
 * @category constructors
 */
export const wait = Effect.fnUntraced(function*({ name, transport }: ServerConfig, reason: McpErrorReason) {
  if (reason._tag !== "AuthRequired" || reason.login === undefined || transport._tag === "stdio") return false
  const store = yield* Credentials
  const read = store.read(Guarded.keyOf(name, transport))
  return yield* Effect.gen(function*() {
    const refused = (yield* read)?.tokens ?? null
    while (!isNews(yield* read, refused)) yield* Effect.sleep(LOOK_EVERY)
    return true
  }).pipe(Effect.orElseSucceed(() => false))
})
