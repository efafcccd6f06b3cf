/**
 * What is remembered of a server's era: put to use, borne out by the first listing, and given up when it does not fit.
 */
import type { ServerConfig } from "@boocode/mcp-config"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as JsonRpc from "../base/JsonRpc.ts"
import * as Channel from "../contract/Channel.ts"
import type { Connection } from "../contract/Connection.ts"
import * as Revision from "../contract/Revision.ts"
import {
  type ConnectionLost,
  type Exited,
  HandshakeFailed,
  type McpErrorReason,
  ProtocolMismatch
} from "../errors/McpError.ts"
import { ProtocolMemory } from "../host/ProtocolMemory.ts"
import * as ServerRequests from "../host/ServerRequests.ts"
import * as HttpFailure from "../http/HttpFailure.ts"
import type { HttpChannel } from "../http/HttpSession.ts"
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
 * Whether a server that is remembered to speak 2026-07-28 may fail so because it does not any more. Who asks for
 * credentials, or cannot be reached, has said nothing about it.
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

// Asks an HTTP server which era of the protocol it speaks, before the handshake.

export type Verdict = { readonly era: "modern"; readonly discover: Revision.Discovered } | Legacy

/** The server is to be spoken to in the old way. */
export interface Legacy {
  readonly era: "legacy"
  /** It said no, it said nothing, or it may well say something else the next time. */
  readonly how: "refused" | "silent" | "stumbled"
  readonly reason: string
  /** The late answer after a silence, for as long as the scope of the question is open. */
  readonly late: Effect.Effect<Verdict, McpErrorReason> | null
}

const METHOD = "server/discover"
const PROBE_ID = "boocode-discover"
/** The code of a server that speaks none of the revisions that it was asked for (2026-07-28, Basic: Error Codes). */
const UNSUPPORTED_VERSION = -32022

export interface HttpProbeOptions {
  /** One that nobody uses for anything else. */
  readonly channel: HttpChannel
  readonly occasion: HttpFailure.Occasion
  readonly limit: Duration.Duration
}

/**
 * Sends `server/discover` (2026-07-28, Streamable HTTP: Backward Compatibility). Anything but a result or an error that
 * only servers of that era give means the old way: the fallback does not depend on one code, and a server that stumbles
 * over the question or is silent may still answer `initialize`. Fails when credentials are asked for, when the request
 * reached nobody or was sent elsewhere, and when the server speaks later revisions only (R91). A question without an
 * answer stays open as long as the scope.
 */
export const probeHttp = Effect.fnUntraced(function*(
  options: HttpProbeOptions
): Effect.fn.Return<Verdict, McpErrorReason, Scope.Scope> {
  const asking = Effect.flatMap(
    asked(options),
    (verdict) => verdict === CONTRADICTION ? asked(options) : Effect.succeed(verdict)
  )
  const answer = Fiber.join(yield* Effect.forkScoped(asking, { startImmediately: true }))
  const inTime = yield* Effect.timeoutOption(answer, options.limit)
  return Option.getOrElse(inTime, (): Verdict => legacy("silent", `it did not answer ${METHOD}`, answer))
})

const asked = Effect.fnUntraced(function*(
  { channel, occasion }: HttpProbeOptions
): Effect.fn.Return<Verdict, McpErrorReason> {
  const answer = yield* Deferred.make<JsonRpc.Message, HttpFailure.HttpFailure>()
  channel.listen((incoming) => {
    const isAnswer = incoming._tag === "Message" && incoming.message["id"] === PROBE_ID
    if (isAnswer) Deferred.doneUnsafe(answer, Effect.succeed(incoming.message))
  })
  const capabilities = ServerRequests.hostCapabilities(yield* ServerRequests.CurrentHost, "modern")
  const question = {
    jsonrpc: "2.0",
    id: PROBE_ID,
    method: METHOD,
    params: { _meta: Revision.makeEnvelope(capabilities) }
  }
  channel.ask(question, (failure) => Deferred.doneUnsafe(answer, Effect.fail(failure)))
  return yield* Effect.matchEffect(Deferred.await(answer), {
    onSuccess: ofAnswer,
    onFailure: (failure) => ofFailure(failure, occasion)
  })
})

const legacy = (how: Legacy["how"], reason: string, late: Legacy["late"] = null): Verdict => ({
  era: "legacy",
  how,
  reason,
  late
})

const ofAnswer = ({ error, result }: JsonRpc.Message): Effect.Effect<Verdict, ProtocolMismatch> => {
  if (Revision.isDiscovered(result) && result.supportedVersions.includes(Revision.MODERN)) {
    return Effect.succeed({ era: "modern", discover: result })
  }
  const others = isUnsupported(error) ? error.data.supported : []
  if (others.includes(Revision.MODERN)) return Effect.succeed(CONTRADICTION)
  // Falling back would only hide what it said.
  return others.length > 0 && others.every((version) => version > Revision.MODERN)
    ? Effect.fail(new ProtocolMismatch({ offered: Revision.ALL, supported: others }))
    : Effect.succeed(legacy("refused", `it answered ${METHOD} with no revision of ours`))
}

const UNREADABLE = legacy("stumbled", `its answer to ${METHOD} could not be read`)

/** It is asked once more: a client goes on with a revision that both speak. */
const CONTRADICTION = legacy("stumbled", "it refuses the revision that it says it speaks")

const isUnsupported = (error: unknown): error is { readonly data: { readonly supported: ReadonlyArray<string> } } =>
  JsonRpc.isObject(error) && error["code"] === UNSUPPORTED_VERSION && Revision.isSupport(error["data"])

/** A status is an answer too, unless it is about something else than the question. */
const ofFailure = (
  failure: HttpFailure.HttpFailure,
  occasion: HttpFailure.Occasion
): Effect.Effect<Verdict, McpErrorReason> => {
  const reason = HttpFailure.toReason(failure, occasion)
  switch (reason._tag) {
    case "HttpStatus":
      if (reason.code >= 500) {
        return Effect.succeed(legacy("stumbled", `it answered ${METHOD} with HTTP ${reason.code}`))
      }
      return reason.code < 400 || failure._tag !== "Refused" ? Effect.fail(reason) : ofAnswer(bodyOf(failure.text))
    case "ConnectionLost":
      return failure._tag === "Thrown" && failure.error instanceof TypeError && !BROKEN_OFF.test(reason.detail)
        ? Effect.fail(reason)
        : Effect.succeed(UNREADABLE)
    case "MessageTooLarge":
      return Effect.succeed(UNREADABLE)
    default:
      return Effect.fail(reason)
  }
}

/** Words of fetch for a server that hung up, as a few do at a question they do not know. */
const BROKEN_OFF = /ECONNRESET|EPIPE|UND_ERR_SOCKET|other side closed|terminated/

const bodyOf = (text: string): JsonRpc.Message => {
  const body = JsonRpc.decode(text)
  return JsonRpc.isObject(body) ? body : {}
}

// Asks a server program which era of the protocol it speaks, on the process that will serve, before the handshake.

/**
 * A server that is silent for so long is spoken to in the old way: it may not know the question, or still be starting,
 * and then it answers `initialize` when it is up.
 */
export const LIMIT = Duration.seconds(5)

export type ProbeVerdict =
  | { readonly era: "modern"; readonly discover: Schema.JsonObject }
  /** It does not speak our revision; `supported` is what it says that it speaks, empty when it does not say. */
  | { readonly era: "legacy"; readonly supported: ReadonlyArray<string> }
  /** No answer in time, or only that it could not read the question. */
  | { readonly era: "silent" }
  /** The process ended instead of answering: some servers do at anything but `initialize`. */
  | { readonly era: "ended"; readonly why: Exited | ConnectionLost }
  /** Our own question came back, as from a terminal or `cat`: this is no MCP server. */
  | { readonly era: "echo" }
const PING_ID = "boocode-ping"
/**
 * Of the limit: a server that is silent for so long gets a ping, and after its answer has so long again for the other.
 */
const PAUSE = 1 / 5

/**
 * Sends `server/discover` (2026-07-28, Basic: Versioning). Any answer that is not a result which names our revision
 * means the old way: the fallback does not depend on one error code.
 *
 * A silent server may not know the question, or may not have read it yet. Who speaks both eras mostly follows an
 * `initialize` that waits in its pipe behind the question. So a silent server gets a `ping` first, which is allowed before
 * `initialize` (2025-11-25, Lifecycle). A server that answers the ping and then not the question counts as silent before
 * the limit. The ping names our revision: by that the official SDK chooses it, and refuses an `initialize` behind it.
 */
export const probeProtocol = Effect.fnUntraced(
  function*(channel: Channel.Channel, clientInfo: Schema.JsonObject, limit = LIMIT) {
    const answer = yield* Deferred.make<Schema.JsonObject>()
    const pong = yield* Deferred.make<void>()
    channel.listen((incoming) => {
      if (incoming._tag !== "Message") return
      const { id, method } = incoming.message
      // It has read nothing else of us yet.
      const isAnswer = id === PROBE_ID || JsonRpc.isComplaint(incoming.message)
      if (isAnswer) Deferred.doneUnsafe(answer, Effect.succeed(incoming.message))
      else if (id === PING_ID && method === undefined) Deferred.doneUnsafe(pong, Effect.void)
    })
    const params = {
      _meta: Revision.makeEnvelope(
        ServerRequests.hostCapabilities(yield* ServerRequests.CurrentHost, "modern"),
        clientInfo
      )
    }
    // Whatever breaks the channel shows in `closed` as well.
    const ask = (id: string, method: string) => Effect.sync(() => channel.send({ jsonrpc: "2.0", id, method, params }))
    yield* ask(PROBE_ID, METHOD)
    const pause = Effect.sleep(Duration.times(limit, PAUSE))
    const ignored = Effect.andThen(pause, ask(PING_ID, "ping")).pipe(
      Effect.andThen(Deferred.await(pong)),
      Effect.andThen(pause)
    )
    const silence = Effect.as(Effect.timeoutOption(ignored, limit), SILENT)
    const answered = Effect.raceFirst(Effect.map(Deferred.await(answer), verdict), silence)
    return yield* Effect.raceFirst(answered, Effect.flatMap(Channel.closed(channel), ended))
  }
)

const SILENT: ProbeVerdict = { era: "silent" }

/** A connection that we dropped ourselves would have to be dropped again. */
const ended = (why: Exited | ConnectionLost): Effect.Effect<ProbeVerdict, ConnectionLost> =>
  why._tag === "ConnectionLost" && why.happened !== undefined ? Effect.fail(why) : Effect.succeed({ era: "ended", why })

const verdict = (message: JsonRpc.Message): ProbeVerdict => {
  if (message["method"] === METHOD) return { era: "echo" }
  if (JsonRpc.isComplaint(message)) return SILENT
  const result = message["result"]
  const versions = JsonRpc.isObject(result) ? textsOf(result["supportedVersions"]) : []
  return JsonRpc.isObject(result) && versions.includes(Revision.MODERN)
    ? { era: "modern", discover: result }
    : { era: "legacy", supported: versions.length > 0 ? versions : supportedOf(message["error"]) }
}

/** The data of the error for an unsupported revision (2026-07-28, Basic: Error Codes). */
const supportedOf = (error: Schema.Json | undefined): ReadonlyArray<string> => {
  const data = JsonRpc.isObject(error) ? error["data"] : undefined
  return JsonRpc.isObject(data) ? textsOf(data["supported"]) : []
}

const textsOf = (value: Schema.Json | undefined): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter((text) => typeof text === "string") : []
