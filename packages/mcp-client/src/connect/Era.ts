/**
 * The era of a server as an earlier start found it out: a connection uses it, the first listing proves it, and it is
 * forgotten when it does not fit.
 */
import type { ServerConfig } from "@boocode/mcp-config"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { Connection } from "../contract/Connection.ts"
import * as Revision from "../contract/Revision.ts"
import { HandshakeFailed, type McpErrorReason } from "../errors/McpError.ts"
import { ProtocolMemory } from "../host/ProtocolMemory.ts"
import type { Conversation } from "../rpc/Conversation.ts"
import * as Listings from "../rpc/Listings.ts"

/**
 * The era that an earlier start found out; null when it has to be asked for. A file may hold anything, and a server that
 * declared no tools has nothing by which it could be borne out.
 */
export const recall = Effect.fnUntraced(function*(config: ServerConfig): Effect.fn.Return<Revision.Era | null> {
  if (config.protocol !== "auto") return null
  const verdict = yield* Effect.flatMap(ProtocolMemory, ({ recall }) => recall(config))
  if (verdict === null || verdict.era === "sse") return null
  if (verdict.era === "legacy") return Revision.OLD
  const { discover } = verdict
  return Revision.isDiscovered(discover) && Listings.isDeclared(discover.capabilities, "tools")
    ? { kind: "modern", discover }
    : null
})

/**
 * Keeps that a server is to be spoken to in the old way, and why. A late answer may have turned the verdict round, which
 * the connection shows, and is remembered by then.
 */
export const rememberLegacy =
  (config: ServerConfig, reason: string) => ({ protocolVersion }: Connection): Effect.Effect<void> =>
    protocolVersion === Revision.MODERN
      ? Effect.void
      : remember(config, "legacy", reason)

/** Whether a server whose entry does not say so is known to speak HTTP+SSE (R84). */
export const isSse = (config: ServerConfig): Effect.Effect<boolean> =>
  Effect.flatMap(ProtocolMemory, ({ recall }) => Effect.map(recall(config), (verdict) => verdict?.era === "sse"))

/** Why a server is thought to speak 2026-07-28. */
export const ANSWERED = "it answered server/discover"

/** Remembers how a server is spoken to, and why; `discover` is its answer to `server/discover`. */
export const remember = (
  config: ServerConfig,
  era: "legacy" | "modern" | "sse",
  reason: string,
  discover: Schema.JsonObject | null = null
): Effect.Effect<void> => Effect.flatMap(ProtocolMemory, ({ remember }) => remember(config, { era, reason, discover }))

/** Forgets what does not fit, in so many words. */
export const forget = (config: ServerConfig, why: string): Effect.Effect<void> =>
  Effect.andThen(
    Effect.logDebug(`${config.name}: speaks another revision than it did: ${why}`),
    Effect.flatMap(ProtocolMemory, ({ forget }) => forget(config))
  )

/**
 * A server that is silent for so long is spoken to in the old way: it may not know the question, or still be starting,
 * and then it answers `initialize` when it is up.
 */
export const LIMIT = Duration.seconds(5)

/**
 * How long a server may leave a question about its era unanswered: a third of all the time there is at most, so that one
 * that is silent can still be asked in another way.
 */
export const limit = (config: ServerConfig): Duration.Duration =>
  Duration.min(LIMIT, Duration.times(config.startupTimeout, 1 / 3))

/**
 * Lists the tools at once, because nothing else tells whether a server still speaks 2026-07-28. The list is kept for the
 * first caller that asks for it.
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
 * Whether a server that is remembered to speak 2026-07-28 may fail so because it does not any more. A server that asks
 * for credentials, or cannot be reached, has said nothing about it.
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

/** Whether a server has refused `initialize`, so that it may be one that does not know it any more. */
export const refuses = (reason: McpErrorReason): boolean =>
  (reason._tag === "HandshakeFailed" && reason.code !== null) ||
  reason._tag === "ProtocolMismatch" ||
  (reason._tag === "HttpStatus" && reason.code < 500 && reason.code !== 429)
