/**
 * Asks an HTTP server which era of the protocol it speaks, before the handshake. The SDK could ask as well, but waits by a
 * timer of its own, which no clock of ours sees, and does not tell when it goes on to `initialize`.
 */
import {
  type DiscoverResult,
  isSpecType,
  type JSONRPCRequest,
  SdkHttpError,
  SUPPORTED_PROTOCOL_VERSIONS,
  type Transport
} from "@modelcontextprotocol/client"
import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { ConnectionLost, type McpErrorReason, MessageTooLarge, ProtocolMismatch } from "../McpError.ts"
import * as ServerHost from "../requests/ServerHost.ts"
import * as JsonRpc from "../transport/JsonRpc.ts"
import * as ProtocolProbe from "../transport/ProtocolProbe.ts"
import * as SdkErrors from "./SdkErrors.ts"

/** What a probe found. @category models */
export type Verdict = { readonly era: "modern"; readonly discover: Schema.JsonObject & DiscoverResult } | Legacy

/** The server is to be spoken to in the old way. @category models */
export interface Legacy {
  readonly era: "legacy"
  /** It said no, it said nothing, or it may well say something else the next time. */
  readonly how: "refused" | "silent" | "stumbled"
  readonly reason: string
}

const METHOD = "server/discover"
const PROBE_ID = "boocode-discover"
/** The code of a server that speaks none of the revisions that it was asked for (2026-07-28, Basic: Error Codes). */
const UNSUPPORTED_VERSION = -32022

/** @category models */
export interface Options {
  /** One that nobody uses for anything else. */
  readonly transport: Transport
  readonly clientInfo: JsonRpc.Message
  readonly occasion: SdkErrors.Occasion
  readonly limit: Duration.Duration
}

/**
 * Sends `server/discover` (2026-07-28, Streamable HTTP: Backward Compatibility). Anything but a result or an error that
 * only servers of that era give means the old way: the fallback does not depend on one code, and a server that stumbles
 * over the question or is silent may still answer `initialize`. Fails when credentials are asked for, when the request
 * reached nobody or was sent elsewhere, and when the server speaks later revisions only (R91).
 *
 * @category constructors
 */
export const run = Effect.fnUntraced(function*(options: Options): Effect.fn.Return<Verdict, McpErrorReason> {
  const { limit, transport } = options
  yield* Effect.promise(() => transport.start())
  return yield* asked(options).pipe(
    Effect.flatMap((verdict) => verdict === CONTRADICTION ? asked(options) : Effect.succeed(verdict)),
    Effect.timeoutOption(limit),
    Effect.map(Option.getOrElse((): Verdict => legacy("silent", `it did not answer ${METHOD}`)))
  )
})

const asked = Effect.fnUntraced(function*({ clientInfo, occasion, transport }: Options) {
  const answer = yield* Deferred.make<JsonRpc.Message>()
  transport.onmessage = (message) => {
    if (JsonRpc.isMessage(message) && message["id"] === PROBE_ID) Deferred.doneUnsafe(answer, Effect.succeed(message))
  }
  const sent = request(clientInfo, ServerHost.capabilities(yield* ServerHost.Current, "modern"))
  // @effect-diagnostics-next-line unknownInEffectCatch:off -- what was thrown is judged below
  const ask = Effect.tryPromise({ try: () => transport.send(sent), catch: (error) => error })
  return yield* Effect.matchEffect(Effect.andThen(ask, Deferred.await(answer)), {
    onSuccess: ofAnswer,
    onFailure: (error) => ofRefusal(error, occasion)
  })
})

const request = (clientInfo: JsonRpc.Message, capabilities: JsonRpc.Message): JSONRPCRequest => ({
  jsonrpc: "2.0",
  id: PROBE_ID,
  method: METHOD,
  params: {
    _meta: {
      "io.modelcontextprotocol/protocolVersion": ProtocolProbe.MODERN_REVISION,
      "io.modelcontextprotocol/clientInfo": clientInfo,
      "io.modelcontextprotocol/clientCapabilities": capabilities
    }
  }
})

const legacy = (how: Legacy["how"], reason: string): Verdict => ({ era: "legacy", how, reason })

const ofAnswer = ({ error, result }: JsonRpc.Message): Effect.Effect<Verdict, ProtocolMismatch> => {
  if (JsonRpc.isObject(result) && isSpecType.DiscoverResult(result) && isOurs(result)) {
    return Effect.succeed({ era: "modern", discover: result })
  }
  if (isLocal(error)) return Effect.succeed(UNREADABLE)
  const others = isUnsupported(error) ? error.data.supported : []
  if (others.includes(ProtocolProbe.MODERN_REVISION)) return Effect.succeed(CONTRADICTION)
  // Falling back would only hide what it said.
  return others.length > 0 && others.every((version) => version > ProtocolProbe.MODERN_REVISION)
    ? Effect.fail(new ProtocolMismatch({ offered: OURS, supported: others }))
    : Effect.succeed(legacy("refused", `it answered ${METHOD} with no revision of ours`))
}

const isOurs = ({ supportedVersions }: DiscoverResult) => supportedVersions.includes(ProtocolProbe.MODERN_REVISION)

const UNREADABLE = legacy("stumbled", `its answer to ${METHOD} could not be read`)

/** It is asked once more: a client goes on with a revision that both speak. */
const CONTRADICTION = legacy("stumbled", "it refuses the revision that it says it speaks")

const OURS = [ProtocolProbe.MODERN_REVISION, ...SUPPORTED_PROTOCOL_VERSIONS]

const isUnsupported = Schema.is(Schema.Struct({
  code: Schema.Literal(UNSUPPORTED_VERSION),
  data: Schema.Struct({ supported: Schema.Array(Schema.String) })
}))

const isLocal = (error: unknown): boolean => isLocalReason(Reflect.get(Object(error), "data"))

const isLocalReason = Schema.is(Schema.Union([ConnectionLost, MessageTooLarge]))

/** A status is an answer too, unless it is about something else than the question. */
const ofRefusal = (error: unknown, occasion: SdkErrors.Occasion): Effect.Effect<Verdict, McpErrorReason> => {
  const reason = SdkErrors.toReason(error, occasion)
  switch (reason._tag) {
    case "HttpStatus":
      if (reason.code >= 500) {
        return Effect.succeed(legacy("stumbled", `it answered ${METHOD} with HTTP ${reason.code}`))
      }
      return reason.code < 400 || reason.code === TOO_MANY ? Effect.fail(reason) : ofAnswer(bodyOf(error))
    case "ConnectionLost":
      return error instanceof TypeError && !BROKEN_OFF.test(reason.detail)
        ? Effect.fail(reason)
        : Effect.succeed(UNREADABLE)
    case "MessageTooLarge":
      return Effect.succeed(UNREADABLE)
    default:
      return Effect.fail(reason)
  }
}

const TOO_MANY = 429

/** What fetch says of a server that was reached and then hung up, as a few do at a question they do not know. */
const BROKEN_OFF = /ECONNRESET|EPIPE|UND_ERR_SOCKET|other side closed|terminated/

const bodyOf = (error: unknown): JsonRpc.Message => {
  const text = error instanceof SdkHttpError ? error.data?.text : null
  const body = Result.getOrNull(Result.try((): unknown => JSON.parse(String(text))))
  return JsonRpc.isObject(body) ? body : {}
}
