/** What people used, in a database in which the chats and the people are. */
import * as Layer from "effect/Layer"
import * as TeamMigrations from "./TeamMigrations.ts"
import { UsageDays } from "./UsageDays.ts"

export type TeamDatabase = UsageDays

/** `database` is its name, for a sentence. */
export const layer = (database: string) =>
  UsageDays.layer.pipe(Layer.provide(Layer.effectDiscard(TeamMigrations.run(database))))

/** Where nothing is kept. */
export const layerNone = UsageDays.layerNone
