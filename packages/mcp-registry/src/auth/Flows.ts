/**
 * The flows of OAuth. They are loaded when a server first wants one: most never do, and what they stand on is big.
 */
import * as Effect from "effect/Effect"
import type * as Renewal from "./Renewal.ts"
import type * as Revocation from "./Revocation.ts"
import type * as SignIn from "./SignIn.ts"

/** Signs in. @category constructors */
export const signIn: typeof SignIn.run = (...given) =>
  Effect.flatMap(Effect.promise(() => import("./SignIn.ts")), ({ run }) => run(...given))

/** Gets new tokens without a person. @category constructors */
export const renew: typeof Renewal.run = (...given) =>
  Effect.flatMap(Effect.promise(() => import("./Renewal.ts")), ({ run }) => run(...given))

/** Takes tokens back. @category constructors */
export const revoke: typeof Revocation.run = (...given) =>
  Effect.flatMap(Effect.promise(() => import("./Revocation.ts")), ({ run }) => run(...given))
