/** The flows of OAuth. The first server that wants one loads them: most never do, and the SDK beneath is big. */
import * as Effect from "effect/Effect"
import type * as SignIn from "./SignIn.ts"
import type * as TokenRenewal from "./TokenRenewal.ts"
import type * as TokenRevocation from "./TokenRevocation.ts"

/** Signs in. */
export const signIn: typeof SignIn.run = (...given) =>
  Effect.flatMap(Effect.promise(() => import("./SignIn.ts")), ({ run }) => run(...given))

/** Gets new tokens without a person. */
export const renew: typeof TokenRenewal.run = (...given) =>
  Effect.flatMap(Effect.promise(() => import("./TokenRenewal.ts")), ({ run }) => run(...given))

/** Revokes tokens. */
export const revoke: typeof TokenRevocation.run = (...given) =>
  Effect.flatMap(Effect.promise(() => import("./TokenRevocation.ts")), ({ run }) => run(...given))
