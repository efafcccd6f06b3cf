/** Histories of people who leave something of each kind in a database and are removed, over any database. */
import { ChatStore, NO_USAGE, SqlChatStore } from "@boocode/chat"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"
import * as StoreSuite from "../../../../packages/chat/test/support/StoreSuite.ts"
import { AuditCalls } from "../../src/team/AuditCalls.ts"
import { ChatShares } from "../../src/team/ChatShares.ts"
import * as TeamDatabase from "../../src/team/TeamDatabase.ts"
import { today, UsageDays } from "../../src/team/UsageDays.ts"
import { SecretKey } from "../../src/users/SecretKey.ts"
import * as UserDatabase from "../../src/users/UserDatabase.ts"
import { Users } from "../../src/users/Users.ts"
import { UserSecrets } from "../../src/users/UserSecrets.ts"
import { UserSessions } from "../../src/users/UserSessions.ts"
import { UserTokens } from "../../src/users/UserTokens.ts"
import { cheap } from "./People.ts"

export const KINDS = [
  "add",
  "remove",
  "invite",
  "accept",
  "role",
  "session",
  "token",
  "secret",
  "chat",
  "share",
  "usage",
  "audit"
] as const

export const Step = Schema.Struct({ who: Schema.Literals(["Bob", "Cid", "Dan"]), does: Schema.Literals(KINDS) })

/** Everything about people in a database. */
export const layer = Layer.mergeAll(TeamDatabase.layer("test"), UserDatabase.layer("test")).pipe(
  Layer.provideMerge(SqlChatStore.layer("test")),
  Layer.provide([SecretKey.layerOf("the key of a test"), cheap])
)

/** Tables of this schema with a text in any column of texts. */
const tablesWith = Effect.fnUntraced(function*(text: string) {
  const sql = yield* SqlClient.SqlClient
  const columns = yield* sql<{ table: string; column: string }>`${
    sql.literal(sql.onDialectOrElse({
      pg: () =>
        `SELECT table_name AS "table", column_name AS "column" FROM information_schema.columns
         WHERE table_schema = current_schema() AND data_type = 'text'`,
      orElse: () =>
        `SELECT tables.name AS "table", columns.name AS "column"
         FROM sqlite_master AS tables, pragma_table_info(tables.name) AS columns
         WHERE tables.type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' AND columns.type = 'TEXT'`
    }))
  }`
  const found = yield* Effect.forEach(columns, ({ column, table }) =>
    Effect.map(
      sql`SELECT 1 FROM ${sql(table)} WHERE ${sql(column)} LIKE ${`%${text}%`} LIMIT 1`,
      (rows) => rows.length > 0 ? [table] : []
    ))
  return [...new Set(found.flat())].toSorted()
})

/** Runs the steps beside Ann, the only admin at first; nothing is left of anybody who was removed, whatever comes later. */
export const run = Effect.fnUntraced(function*(steps: ReadonlyArray<typeof Step.Type>) {
  const users = yield* Users
  const sessions = yield* UserSessions
  const tokens = yield* UserTokens
  const secrets = yield* UserSecrets
  const chats = yield* ChatStore
  const shares = yield* ChatShares
  const usage = yield* UsageDays
  const audit = yield* AuditCalls
  yield* Effect.ignore(users.add({ name: "Ann", role: "admin", groups: [] }))
  /** The newest id of each name, also of one who is gone, as a request may have it that is under way. */
  const ids = new Map<string, string>()
  const invitations = new Map<string, string>()
  const removed: Array<string> = []
  const call = (owner: string) => ({
    ...{ at: "2026-11-24T10:00:00.000Z", owner, tool: "t", server: null, class: "reads", origin: "chat" } as const,
    ...{ place: null, outcome: "done", permission: { by: "default", source: "" }, millis: 1 } as const
  })
  const chatsOf = (id: string) => Effect.map(chats.list(id), (all) => all.map((chat) => chat.id))
  let count = 0
  const forgotten = Effect.fnUntraced(function*(id: string) {
    yield* Effect.forEach(yield* chatsOf(id), chats.remove)
    yield* usage.forget(id)
    yield* audit.forget(id)
    removed.push(id)
  })
  const step = Effect.fnUntraced(function*({ does, who }: typeof Step.Type) {
    const id = ids.get(who)
    if (does === "add") {
      const { token, user } = yield* users.add({ name: who, role: "member", groups: ["dev"] })
      ids.set(who, user.id)
      return void invitations.set(who, Redacted.value(token))
    }
    if (id === undefined) return
    const isGone = removed.includes(id)
    switch (does) {
      case "remove":
        return yield* forgotten((yield* users.remove(id)).id)
      case "invite":
        return void invitations.set(who, Redacted.value((yield* users.invite(id)).token))
      case "accept":
        return yield* users.accept(invitations.get(who) ?? "", Redacted.make("correct horse battery"))
      case "role":
        return yield* users.change(id, { role: "admin" })
      case "session":
        return yield* sessions.begin(id, "a browser")
      case "token":
        return yield* tokens.add(id, `token ${++count}`, ["chat"])
      case "secret":
        return yield* secrets.set(id, "TOKEN", Redacted.make("a secret"))
      case "chat":
        // A request of somebody who is gone is refused before.
        return isGone ? undefined : yield* chats.put(StoreSuite.record(`chat ${++count} of ${id}`, { owner: id }))
      case "share":
        return yield* Effect.forEach(yield* chatsOf(id), shares.share)
      case "usage":
        return yield* usage.add(id, { ...NO_USAGE, inputTokens: 5, cost: 0.5 }, { model: "m", agent: null })
      case "audit":
        return yield* audit.add([call(id), call("first")])
    }
  })
  for (const one of steps) {
    // What cannot be done is refused, and changes nothing.
    yield* Effect.exit(step(one))
    for (const id of removed) assert.deepStrictEqual(yield* tablesWith(id), [], `${JSON.stringify(one)} ${id}`)
  }
  return { ids, tablesWith }
})

/** Somebody leaves something of each kind, which is in each table then. */
export const whole = Effect.gen(function*() {
  const bob = (does: (typeof KINDS)[number]) => ({ who: "Bob", does }) as const
  const kinds = KINDS.filter((kind) => kind !== "remove" && kind !== "role")
  const { ids, tablesWith } = yield* run([bob("add"), ...kinds.map(bob), bob("invite")])
  assert.includeMembers(yield* tablesWith(ids.get("Bob") ?? "nobody"), [
    ...["audit_calls", "chat_shares", "chats", "usage_days", "user_invitations", "user_secrets", "user_sessions"],
    ...["user_tokens", "users"]
  ])
})

const AFTER = ["session", "token", "secret", "chat", "share", "usage", "audit", "invite", "accept", "role"] as const

/** Somebody is removed while requests of theirs are under way; what others have is read as before. */
export const afterwards = Effect.gen(function*() {
  const cid = (does: (typeof KINDS)[number]) => ({ who: "Cid", does }) as const
  const { ids } = yield* run([...KINDS.filter((kind) => kind !== "remove").map(cid), cid("remove"), ...AFTER.map(cid)])
  const id = ids.get("Cid") ?? "nobody"
  const audit = yield* AuditCalls
  const shares = yield* ChatShares
  const usage = yield* UsageDays
  const secrets = yield* UserSecrets
  assert.isAbove((yield* audit.list({}, 10)).length, 0)
  assert.deepStrictEqual(yield* audit.list({ owner: id, since: "2026-01-01", until: "2027-01-01", before: 99 }, 10), [])
  assert.deepStrictEqual(yield* shares.all(id), [])
  assert.strictEqual((yield* usage.now(id)).month.requests, 0)
  assert.isFalse((yield* usage.month((yield* today).slice(0, 7))).has(id))
  assert.deepStrictEqual(yield* secrets.values(id), {})
})
