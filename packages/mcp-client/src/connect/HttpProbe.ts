/** Asks an HTTP server which era of the protocol it speaks, before the handshake. */
import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as JsonRpc from "../base/JsonRpc.ts"
import * as Revision from "../contract/Revision.ts"
import { type McpErrorReason, ProtocolMismatch } from "../errors/McpError.ts"
import * as ServerRequests from "../host/ServerRequests.ts"
import * as HttpFailure from "../http/HttpFailure.ts"
import type { SessionChannel } from "../http/HttpSession.ts"

export type Verdict = { readonly era: "modern"; readonly discover: Revision.Discovered } | Legacy

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

export interface Options {
  /** One that nobody uses for anything else. */
  readonly channel: SessionChannel
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
export const ask = Effect.fnUntraced(function*(
  options: Options
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
  { channel, occasion }: Options
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
