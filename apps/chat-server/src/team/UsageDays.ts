/** The use of models by people and days, in the database. */
import type { SpentBy, Usage } from "@boocode/chat"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import type { UsersFailed } from "../users/UserError.ts"
import * as UserRows from "../users/UserRows.ts"

/** Requests to models, their tokens, and what is known of their cost in US dollars. */
export interface Used {
  readonly requests: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cost: number
}

export const NOTHING: Used = { requests: 0, inputTokens: 0, outputTokens: 0, cost: 0 }

export type UsageColumn = "day" | "owner" | "model" | "agent"

/** The name is empty where a request had none. */
export type NamedUse = Used & { readonly name: string }

type Stored<A> = Effect.Effect<A, UsersFailed>

export class UsageDays extends Context.Service<UsageDays, {
  /** Adds what one request used to the day of now; nothing for somebody who is gone. */
  readonly add: (owner: string, usage: typeof Usage.Type, by: SpentBy) => Stored<void>
  /** The use of a person in this day and this month of UTC. */
  readonly now: (owner: string) => Stored<Readonly<Record<"day" | "month", Used>>>
  /** The use of each person in a month such as `2026-11`, by their id. */
  readonly month: (month: string) => Stored<ReadonlyMap<string, Used>>
  /** The use since a day, by day, by owner, by model or by agent, the most expensive first; null is that of everybody. */
  readonly by: (column: UsageColumn, since: string, owner: string | null) => Stored<ReadonlyArray<NamedUse>>
  /** Removes what somebody used who is gone. */
  readonly forget: (owner: string) => Stored<void>
}>()("chat-server/UsageDays") {
  static readonly layer: Layer.Layer<UsageDays, never, SqlClient.SqlClient> = Layer.effect(
    UsageDays,
    Effect.map(SqlClient.SqlClient, (sql) => make(sql))
  )

  static readonly layerNone = Layer.succeed(UsageDays, {
    add: () => Effect.void,
    now: () => Effect.succeed({ day: NOTHING, month: NOTHING }),
    month: () => Effect.succeed(new Map<string, Used>()),
    by: () => Effect.succeed([]),
    forget: () => Effect.void
  })
}

/** Now in UTC, such as `2026-11-24`. */
export const today: Effect.Effect<string> = Effect.map(DateTime.now, (now) => DateTime.formatIso(now).slice(0, 10))

const make = (sql: SqlClient.SqlClient) => {
  const sums = sql.literal(
    `COALESCE(SUM(requests), 0) AS requests, COALESCE(SUM(input_tokens), 0) AS "inputTokens",
     COALESCE(SUM(output_tokens), 0) AS "outputTokens", COALESCE(SUM(cost), 0) AS cost`
  )
  // Days sort as texts, and none is behind the last one.
  const since = (owner: string, day: string) =>
    Effect.map(
      sql<Used>`SELECT ${sums} FROM usage_days WHERE owner = ${owner} AND day >= ${day}`,
      ([row]) => row ?? NOTHING
    )
  return UsageDays.of({
    add: (owner, { cost, inputTokens, outputTokens }, { agent, model }) =>
      UserRows.asked(
        "count",
        sql.withTransaction(Effect.gen(function*() {
          if (!(yield* UserRows.present(sql, [owner])).has(owner)) return
          const day = yield* today
          yield* sql`
            INSERT INTO usage_days ${
            sql.insert({
              owner,
              day,
              model,
              agent: agent ?? "",
              requests: 1,
              input_tokens: inputTokens ?? 0,
              output_tokens: outputTokens ?? 0,
              cost: cost ?? 0
            })
          } ON CONFLICT (owner, day, model, agent) DO UPDATE SET
              requests = usage_days.requests + excluded.requests,
              input_tokens = usage_days.input_tokens + excluded.input_tokens,
              output_tokens = usage_days.output_tokens + excluded.output_tokens,
              cost = usage_days.cost + excluded.cost`
        }))
      ),
    now: (owner) =>
      UserRows.asked(
        "sum up",
        Effect.gen(function*() {
          const day = yield* today
          return { day: yield* since(owner, day), month: yield* since(owner, day.slice(0, 7)) }
        })
      ),
    month: (month) =>
      UserRows.asked(
        "sum up",
        Effect.map(
          sql<Used & { owner: string }>`
            SELECT owner, ${sums} FROM usage_days WHERE day > ${month} AND day < ${`${month}~`} GROUP BY owner`,
          (rows) => new Map(rows.map(({ owner, ...used }) => [owner, used]))
        )
      ),
    by: (column, since, owner) =>
      UserRows.asked(
        "sum up",
        sql<NamedUse>`
          SELECT ${sql(column)} AS name, ${sums} FROM usage_days
          WHERE day >= ${since} ${owner === null ? sql.literal("") : sql`AND owner = ${owner}`}
          GROUP BY ${sql(column)} ORDER BY cost DESC, requests DESC`
      ),
    forget: (owner) => Effect.asVoid(UserRows.asked("forget", sql`DELETE FROM usage_days WHERE owner = ${owner}`))
  })
}
