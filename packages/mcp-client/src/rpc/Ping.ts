/** Asks a quiet server now and then whether it is still there, and gives its connection up when it is not (R88). */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Connection } from "../contract/Connection.ts"
import { ConnectionLost, type McpErrorReason, Unresponsive } from "../errors/McpError.ts"

/** How long an answer may take; no longer than the interval, where that is shorter. */
export const LIMIT = Duration.seconds(10)
/** After so many pings in a row without an answer the connection counts as lost. */
export const MOST_MISSED = 2
/** A shorter interval counts as this one. */
export const SHORTEST_INTERVAL = Duration.seconds(1)

export interface Options {
  readonly connection: Pick<Connection, "ping" | "traffic">
  /** How long there may be no traffic before a ping is due. */
  readonly interval: Duration.Duration
  /** Is told how many pings in a row had no answer, whenever that changes. */
  readonly onMissed: (missed: number) => Effect.Effect<void>
}

/** Pings until two in a row had no answer, and says so. A server that answers with an error is there. */
export const run = Effect.fnUntraced(function*(options: Options): Effect.fn.Return<ConnectionLost> {
  const interval = Duration.max(options.interval, SHORTEST_INTERVAL)
  const limit = Duration.min(interval, LIMIT)
  let askedAt = yield* Clock.currentTimeMillis
  let missed = 0
  for (;;) {
    yield* quiet(options.connection, Duration.toMillis(interval), askedAt)
    // The answer to a ping may have come too late for it, and is a sign of life all the same.
    const before = options.connection.traffic().heardAt > askedAt ? 0 : missed
    askedAt = yield* Clock.currentTimeMillis
    const now = (yield* isAnswered(options.connection, limit)) ? 0 : before + 1
    if (now === MOST_MISSED) return lost(interval)
    if (now !== missed) yield* options.onMissed(now)
    missed = now
  }
})

/**
 * Asks once, `LIMIT` at most, and gives how many milliseconds the answer took. Fails with `Unresponsive`, and with why it
 * cannot be asked.
 */
export const once = Effect.fnUntraced(function*({ ping }: Pick<Connection, "ping">) {
  const since = yield* Clock.currentTimeMillis
  yield* ping.pipe(
    Effect.catchIf(isSign, () => Effect.void),
    Effect.timeoutOrElse({
      duration: LIMIT,
      orElse: () => Effect.fail(new Unresponsive({ limitMillis: Duration.toMillis(LIMIT) }))
    })
  )
  return (yield* Clock.currentTimeMillis) - since
})

/**
 * Asks once, `LIMIT` at most. Any message of the server meanwhile shows that it is there, and so does a refusal of the request,
 * by the server or by a proxy before it. Silence does not, nor does a connection that broke.
 */
export const isThere = Effect.fnUntraced(function*(connection: Options["connection"]) {
  const since = connection.traffic().heardAt
  return (yield* isAnswered(connection, LIMIT, isRefusal)) || connection.traffic().heardAt > since
})

export interface DoubtOptions extends Pick<Connection, "ping" | "traffic"> {
  readonly run: (asking: Effect.Effect<void>) => unknown
  readonly giveUp: (why: ConnectionLost) => void
}

/**
 * Asks once whether the server is there, after a request took too long, and gives the connection up when it is not: a
 * frozen server would stay ready otherwise while each of its calls times out. Asks nothing while such a question is open.
 */
export const makeDoubt = (options: DoubtOptions): () => void => {
  let isAsking = false
  /** When the server was last heard before a ping that it did not answer while it worked on another call. */
  let silentSince: number | null = null
  const asked = Effect.map(isThere(options), (isThere) => {
    isAsking = false
    if (isThere) return
    const { heardAt, waiting } = options.traffic()
    // It may do one thing at a time, so one ping passes; a second one that finds it as silent as before does not.
    if (waiting === 0 || heardAt === silentSince) return options.giveUp(GONE)
    silentSince = heardAt
  })
  return () => {
    if (isAsking) return
    isAsking = true
    options.run(asked)
  }
}

const GONE = new ConnectionLost({
  detail: `a call took too long, and it did not answer within ${Duration.format(LIMIT)} whether it is there`
})

const lost = (interval: Duration.Duration) =>
  new ConnectionLost({ detail: `it answered none of ${MOST_MISSED} pings, ${Duration.format(interval)} apart` })

/**
 * Waits until there was no traffic for an interval. A server at work is left alone: it may do one thing at a time, and
 * the call it works on has limits of its own.
 */
const quiet = Effect.fnUntraced(function*(
  connection: Options["connection"],
  intervalMillis: number,
  since: number
) {
  let last = since
  for (;;) {
    const { heardAt, waiting } = connection.traffic()
    const now = yield* Clock.currentTimeMillis
    last = waiting > 0 ? now : Math.max(last, heardAt)
    const left = last + intervalMillis - now
    if (left <= 0) return
    yield* Effect.sleep(left)
  }
})

const isAnswered = (
  connection: Options["connection"],
  limit: Duration.Duration,
  isAnswer = isSign
): Effect.Effect<boolean> =>
  connection.ping.pipe(
    Effect.match({ onSuccess: () => true, onFailure: isAnswer }),
    Effect.timeoutOption(limit),
    Effect.map(Option.getOrElse(() => false))
  )

/** Whether the server itself said it: "method not found" does, a gateway that finds no server behind it does not. */
const isSign = (reason: McpErrorReason): boolean =>
  reason._tag === "RequestFailed" || reason._tag === "MessageTooLarge" ||
  (reason._tag === "HttpStatus" && reason.code < 500)

/** Whether there was an answer at all. */
const isRefusal = (reason: McpErrorReason): boolean =>
  isSign(reason) || reason._tag === "HttpStatus" || reason._tag === "AuthRequired" || reason._tag === "AuthRejected"
