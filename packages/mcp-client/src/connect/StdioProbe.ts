/** Asks a server program which era of the protocol it speaks, on the process that will serve, before the handshake. */
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import * as JsonRpc from "../base/JsonRpc.ts"
import * as Channel from "../contract/Channel.ts"
import * as Revision from "../contract/Revision.ts"
import type { ConnectionLost, Exited } from "../errors/McpError.ts"
import * as ServerRequests from "../host/ServerRequests.ts"
import * as Era from "./Era.ts"

export type Verdict =
  | { readonly era: "modern"; readonly discover: Schema.JsonObject }
  /** It does not speak our revision; `supported` is what it says that it speaks, empty when it does not say. */
  | { readonly era: "legacy"; readonly supported: ReadonlyArray<string> }
  /** No answer in time, or only that it could not read the question. */
  | { readonly era: "silent" }
  /** The process ended instead of answering: some servers do at anything but `initialize`. */
  | { readonly era: "ended"; readonly why: Exited | ConnectionLost }
  /** Our own question came back, as from a terminal or `cat`: this is no MCP server. */
  | { readonly era: "echo" }

const METHOD = "server/discover"
const PROBE_ID = "boocode-discover"
const PING_ID = "boocode-ping"
/** The share of the limit after which a silent server gets a ping; after its answer it has so long again for the other. */
const PAUSE = 1 / 5

/**
 * Sends `server/discover` (2026-07-28, Basic: Versioning). Any answer that is not a result which names our revision
 * means the old way: the fallback does not depend on one error code.
 *
 * A silent server may not know the question, or may not have read it yet. One that speaks both eras mostly follows an
 * `initialize` that waits in its pipe behind the question. So a silent server gets a `ping` first, which is allowed before
 * `initialize` (2025-11-25, Lifecycle). A server that answers the ping and then not the question counts as silent before
 * the limit. The ping names our revision: by that the official SDK chooses it, and refuses an `initialize` behind it.
 */
export const ask = Effect.fnUntraced(
  function*(channel: Channel.Channel, clientInfo: Schema.JsonObject, limit = Era.LIMIT) {
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
    // A break of the channel shows in `closed` as well.
    const send = (id: string, method: string) => Effect.sync(() => channel.send({ jsonrpc: "2.0", id, method, params }))
    yield* send(PROBE_ID, METHOD)
    const pause = Effect.sleep(Duration.times(limit, PAUSE))
    const ignored = Effect.andThen(pause, send(PING_ID, "ping")).pipe(
      Effect.andThen(Deferred.await(pong)),
      Effect.andThen(pause)
    )
    const silence = Effect.as(Effect.timeoutOption(ignored, limit), SILENT)
    const answered = Effect.raceFirst(Effect.map(Deferred.await(answer), verdictOf), silence)
    return yield* Effect.raceFirst(answered, Effect.flatMap(Channel.closed(channel), ended))
  }
)

const SILENT: Verdict = { era: "silent" }

/** A connection that we dropped ourselves would have to be dropped again. */
const ended = (why: Exited | ConnectionLost): Effect.Effect<Verdict, ConnectionLost> =>
  why._tag === "ConnectionLost" && why.happened !== undefined ? Effect.fail(why) : Effect.succeed({ era: "ended", why })

const verdictOf = (message: JsonRpc.Message): Verdict => {
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
