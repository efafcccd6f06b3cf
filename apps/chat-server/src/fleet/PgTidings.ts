/** The tidings of nodes about chats, by NOTIFY and LISTEN of PostgreSQL. */
import { ChatTidings, Tiding } from "@boocode/chat/ChatTidings"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { randomUUID } from "node:crypto"
import { FleetSettings } from "./FleetSettings.ts"

const CHANNEL = "boocode_chats"

/** PostgreSQL takes less than 8,000 bytes at once. */
const MOST_TOLD = 40
/** Tidings beyond this number are not told: the nodes look by themselves each second. */
const MOST_WAITING = 10_000

const Told = Schema.Struct({ node: Schema.String, tidings: Schema.Array(Tiding) })
const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Told))

/** One connection listens, another one tells; all that waits meanwhile is told at once. */
export const layer = Layer.effect(
  ChatTidings,
  Effect.gen(function*() {
    const sql = yield* PgClient.PgClient
    const node = randomUUID()
    const outbox = yield* Queue.sliding<Tiding>(MOST_WAITING)
    const send = Effect.flatMap(Queue.takeBetween(outbox, 1, MOST_TOLD), (all) => {
      const tidings = new Map(all.map((tiding) => [`${tiding.chat} ${tiding.owner}`, tiding]))
      return Effect.catch(
        sql.notify(CHANNEL, JSON.stringify({ node, tidings: [...tidings.values()] })),
        ({ message }) => Effect.logDebug(`the other nodes are not told of chats: ${message}`)
      )
    })
    yield* Effect.forkScoped(Effect.forever(send))
    const listened = Stream.unwrap(Effect.map(sql.listen(CHANNEL), Stream.fromQueue))
    const heard = listened.pipe(
      Stream.retry(Schedule.spaced("1 second")),
      Stream.orDie,
      Stream.flatMap(({ payload }) => {
        const told = decode(payload)
        return Stream.fromIterable(Option.isSome(told) && told.value.node !== node ? told.value.tidings : [])
      })
    )
    return { tell: (tiding) => void Queue.offerUnsafe(outbox, tiding), heard }
  })
).pipe(
  Layer.provide(
    Layer.unwrap(
      Effect.map(
        FleetSettings,
        ({ database: url }) =>
          PgClient.layer({ url, applicationName: "boocode", maxConnections: 2, keepAlive: "30 seconds" })
      )
    )
  )
)
