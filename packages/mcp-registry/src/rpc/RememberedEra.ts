/**
 * What is remembered of a server's era: put to use, borne out by the first listing, and given up when it does not fit.
 */
import type { ServerConfig } from "@boocode/mcp-config"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { Connection } from "../Connection.ts"
import { HandshakeFailed, type McpErrorReason } from "../McpError.ts"
import { ProtocolMemory } from "../ProtocolMemory.ts"
import * as ProtocolProbe from "../transport/ProtocolProbe.ts"
import * as Offers from "./Offers.ts"
import * as Revision from "./Revision.ts"
import type { Conversation } from "./RpcConnection.ts"

/**
 * The era that an earlier start found out; null when it has to be asked for. A file may hold anything, and a server that
 * declared no tools has nothing by which it could be borne out.
 *
 * @category getters
 */
export const recall = Effect.fnUntraced(function*(config: ServerConfig): Effect.fn.Return<Revision.Era | null> {
  if (config.protocol !== "auto") return null
  const verdict = yield* Effect.flatMap(ProtocolMemory, ({ recall }) => recall(config))
  if (verdict === null || verdict.era === "sse") return null
  if (verdict.era === "legacy") return Revision.OLD
  const { discover } = verdict
  return Revision.isDiscovered(discover) && Offers.isDeclared(discover.capabilities, "tools")
    ? { kind: "modern", discover }
    : null
})

/** Keeps that a server speaks 2026-07-28, by its answer to `server/discover`. @category combinators */
export const rememberModern = (config: ServerConfig, discover: Schema.JsonObject): Effect.Effect<void> =>
  Effect.flatMap(
    ProtocolMemory,
    ({ remember }) => remember(config, { era: "modern", reason: "it answered server/discover", discover })
  )

/**
 * Keeps that a server is to be spoken to in the old way, and why. A late answer may have turned the verdict round, which
 * the connection shows, and is remembered by then.
 *
 * @category combinators
 */
export const rememberLegacy =
  (config: ServerConfig, reason: string) => ({ protocolVersion }: Connection): Effect.Effect<void> =>
    protocolVersion === Revision.MODERN
      ? Effect.void
      : Effect.flatMap(ProtocolMemory, ({ remember }) => remember(config, { era: "legacy", reason, discover: null }))

/** Whether a server whose entry does not say so is known to speak HTTP+SSE (R84). @category getters */
export const isSse = (config: ServerConfig): Effect.Effect<boolean> =>
  Effect.flatMap(ProtocolMemory, ({ recall }) => Effect.map(recall(config), (verdict) => verdict?.era === "sse"))

/** Keeps that a server speaks HTTP+SSE, and why it was thought so. @category combinators */
export const rememberSse = (config: ServerConfig, reason: string): Effect.Effect<void> =>
  Effect.flatMap(ProtocolMemory, ({ remember }) => remember(config, { era: "sse", reason, discover: null }))

/** Forgets what does not fit, in so many words. @category combinators */
export const forget = (config: ServerConfig, why: string): Effect.Effect<void> =>
  Effect.andThen(
    Effect.logDebug(`${config.name}: speaks another revision than it did: ${why}`),
    Effect.flatMap(ProtocolMemory, ({ forget }) => forget(config))
  )

/**
 * How long a server may leave a question about its era unanswered: a third of all the time there is at most, so that one
 * that is silent can still be asked in another way.
 *
 * @category getters
 */
export const limit = (config: ServerConfig): Duration.Duration =>
  Duration.min(ProtocolProbe.LIMIT, Duration.times(config.startupTimeout, 1 / 3))

/**
 * Lists the tools at once, because nothing else tells whether a server still speaks 2026-07-28. What came is kept for
 * whoever asks first.
 *
 * @category combinators
 */
export const borneOut = Effect.fnUntraced(function*(
  config: ServerConfig,
  connection: Conversation
): Effect.fn.Return<Conversation, McpErrorReason> {
  connection.keep(
    yield* connection.listTools.pipe(
      Effect.timeoutOrElse({ duration: limit(config), orElse: () => Effect.fail(SILENCE) })
    )
  )
  return connection
})

const SILENCE = new HandshakeFailed({ method: "tools/list", detail: "no answer in time", code: null, stderr: "" })

/**
 * Whether a server that is remembered to speak 2026-07-28 may fail so because it does not any more. Who asks for
 * credentials, or cannot be reached, has said nothing about it.
 *
 * @category predicates
 */
export const misfits = (reason: McpErrorReason): boolean => {
  switch (reason._tag) {
    case "HandshakeFailed":
    case "RequestFailed":
    case "Exited":
      return true
    case "HttpStatus":
      return reason.code < 500 && reason.code !== 429
    case "ConnectionLost":
      return reason.unsent !== true
    default:
      return false
  }
}

/**
 * Whether a server has refused `initialize`, so that it may be one that does not know it any more.
 *
 * @category predicates
 */
export const refuses = (reason: McpErrorReason): boolean =>
  (reason._tag === "HandshakeFailed" && reason.code !== null) ||
  reason._tag === "ProtocolMismatch" ||
  (reason._tag === "HttpStatus" && reason.code < 500 && reason.code !== 429)
