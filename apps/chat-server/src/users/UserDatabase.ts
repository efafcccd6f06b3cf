/** The people in a database, with their sessions and tokens. */
import * as Layer from "effect/Layer"
import * as UserMigrations from "./UserMigrations.ts"
import { Users } from "./Users.ts"
import { UserSecrets } from "./UserSecrets.ts"
import { UserSessions } from "./UserSessions.ts"
import { UserTokens } from "./UserTokens.ts"

export type UserDatabase = Users | UserSecrets | UserSessions | UserTokens

/** `database` is its name, for a sentence. */
export const layer = (database: string) =>
  Layer.mergeAll(Users.layer, UserSecrets.layer, UserSessions.layer, UserTokens.layer).pipe(
    Layer.provide(Layer.effectDiscard(UserMigrations.run(database)))
  )

/** Where nothing is kept. */
export const layerNone = Layer.mergeAll(
  Users.layerNone,
  UserSecrets.layerNone,
  UserSessions.layerNone,
  UserTokens.layerNone
)
