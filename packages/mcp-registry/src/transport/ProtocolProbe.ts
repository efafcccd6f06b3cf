/**
 * Asks a server program which era of the protocol it speaks, on the process that will serve, before the handshake.
 */
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import * as JsonRpc from "./JsonRpc.ts"
import type { Wire } from "./Wire.ts"

/** The revision that is asked for by `server/discover`. @category constants */
export const MODERN_REVISION = "2026-07-28"

/**
 * A server that is silent for so long is spoken to in the old way: it may not know the question, or still be starting,
 * and then it answers `initialize` when it is up. @category constants
 */
export const LIMIT = Duration.seconds(5)

/** What a probe found. @category models */
export type Verdict =
  | { readonly era: "modern"; readonly discover: Schema.JsonObject }
  | { readonly era: "legacy" }
  /** No answer in time. */
  | { readonly era: "silent" }
  /** The process ended instead of answering: some servers do at anything but `initialize`. */
  | { readonly era: "ended" }
  /** Our own question came back, as from a terminal or `cat`: this is no MCP server. */
  | { readonly era: "echo" }

const METHOD = "server/discover"
const PROBE_ID = "boocode-discover"

/**
 * Sends `server/discover` (2026-07-28, Basic: Versioning). Any answer that is not a result which names our revision
 * means the old way: the fallback does not depend on one error code.
 *
 * @category constructors
 */
export const run = Effect.fnUntraced(function*(wire: Wire, clientInfo: Schema.JsonObject, limit = LIMIT) {
  const answer = yield* Deferred.make<Schema.JsonObject>()
  wire.listen((incoming) => {
    if (incoming._tag !== "Message" || incoming.message["id"] !== PROBE_ID) return
    Deferred.doneUnsafe(answer, Effect.succeed(incoming.message))
  })
  const ask = wire.send(request(clientInfo)).pipe(
    Effect.andThen(Deferred.await(answer)),
    Effect.map(verdict),
    // Whatever broke the channel shows in `closed` as well.
    Effect.catch(() => Effect.never),
    Effect.timeoutOption(limit),
    Effect.map(Option.getOrElse((): Verdict => ({ era: "silent" })))
  )
  return yield* Effect.raceFirst(ask, Effect.as(wire.closed, { era: "ended" } satisfies Verdict))
})

const request = (clientInfo: Schema.JsonObject): JsonRpc.Message => ({
  jsonrpc: "2.0",
  id: PROBE_ID,
  method: METHOD,
  params: {
    _meta: {
      "io.modelcontextprotocol/protocolVersion": MODERN_REVISION,
      "io.modelcontextprotocol/clientInfo": clientInfo,
      "io.modelcontextprotocol/clientCapabilities": {}
    }
  }
})

const verdict = (message: JsonRpc.Message): Verdict => {
  if (message["method"] === METHOD) return { era: "echo" }
  const result = message["result"]
  const versions = JsonRpc.isObject(result) ? result["supportedVersions"] : undefined
  return JsonRpc.isObject(result) && Array.isArray(versions) && versions.includes(MODERN_REVISION)
    ? { era: "modern", discover: result }
    : { era: "legacy" }
}
