/** The use, the calls and the shared chats of people, in the database that has the chats and the people. */
import * as Layer from "effect/Layer"
import { AuditCalls } from "./AuditCalls.ts"
import { ChatShares } from "./ChatShares.ts"
import { ServerEvents } from "./ServerEvents.ts"
import * as TeamMigrations from "./TeamMigrations.ts"
import { UsageDays } from "./UsageDays.ts"

export type TeamDatabase = AuditCalls | ChatShares | ServerEvents | UsageDays

/** `database` is its name, for a sentence. */
export const layer = (database: string) =>
  Layer.mergeAll(UsageDays.layer, AuditCalls.layer, ChatShares.layer, ServerEvents.layer).pipe(
    Layer.provide(Layer.effectDiscard(TeamMigrations.run(database)))
  )

/** Where nothing is kept. */
export const layerNone = Layer.mergeAll(
  UsageDays.layerNone,
  AuditCalls.layerNone,
  ChatShares.layerNone,
  ServerEvents.layerNone
)
