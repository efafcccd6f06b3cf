/** From an entry with a url to an open connection: which era of the protocol, and a new session when the old one is gone. */
import type { Http, ServerConfig } from "@boocode/mcp-config"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import * as CallSpan from "../contract/CallSpan.ts"
import type { Connection } from "../contract/Connection.ts"
import * as Revision from "../contract/Revision.ts"
import { HandshakeFailed, InvalidEntry, type McpErrorReason, ProtocolMismatch } from "../errors/McpError.ts"
import * as FetchSend from "../host/FetchSend.ts"
import { McpFetch } from "../host/McpFetch.ts"
import * as ServerLog from "../host/ServerLog.ts"
import * as HeadersHelper from "../http/HeadersHelper.ts"
import * as HttpAuth from "../http/HttpAuth.ts"
import * as HttpChannel from "../http/HttpChannel.ts"
import * as HttpSender from "../http/HttpSender.ts"
import type * as HttpSession from "../http/HttpSession.ts"
import * as SseChannel from "../http/SseChannel.ts"
import * as OAuthSession from "../oauth/OAuthSession.ts"
import * as ProtectedServer from "../oauth/ProtectedServer.ts"
import * as Conversation from "../rpc/Conversation.ts"
import * as Era from "./Era.ts"
import * as HttpProbe from "./HttpProbe.ts"
import * as SessionRenewal from "./SessionRenewal.ts"
import * as SseFallback from "./SseFallback.ts"

type Requirements = HeadersHelper.Requirements | McpFetch

/** Opens a connection in the current scope, without a time limit. `onStep` hears which method is waited for. */
export const open = Effect.fnUntraced(function*(
  config: ServerConfig,
  http: Http,
  onStep: (method: string) => void
): Effect.fn.Return<Connection, McpErrorReason, Requirements | Scope.Scope> {
  const url = URL.parse(Redacted.value(http.url))
  if (url === null) {
    return yield* new InvalidEntry({ detail: "its url is no URL", try: "write it in full, with https://" })
  }
  if (http.headersHelper !== undefined) onStep("headersHelper")
  const auth = yield* authFor(config, http, url)
  const sender = yield* HttpSender.make(auth, FetchSend.sendFor(http, url, yield* McpFetch))
  const target = { config, http, url, onStep, auth, sender }
  let found: Target = target
  const onSse = (sse: Target) => {
    found = sse
  }
  return yield* SessionRenewal.open({
    first: first({ ...target, onSse }),
    // Only the old way has sessions.
    next: Effect.suspend(() => session(found, Revision.OLD)),
    limit: config.startupTimeout
  })
})

/** Credentials of the entry itself are never replaced (R81). */
const authFor = (
  config: ServerConfig,
  http: Http,
  url: URL
): Effect.Effect<HttpAuth.HttpAuth, McpErrorReason, Requirements | Scope.Scope> => {
  if (http.headersHelper !== undefined) return HeadersHelper.make(config, http)
  return ProtectedServer.isOpen(http)
    ? OAuthSession.make(config, http, url)
    : Effect.succeed(HttpAuth.none(config, http))
}

interface Target {
  readonly config: ServerConfig
  readonly http: Http
  readonly url: URL
  readonly auth: HttpAuth.HttpAuth
  readonly sender: HttpSender.HttpSender
  readonly onStep: (method: string) => void
}

/** A target of which it is not known yet how it is spoken to. */
interface Unknown extends Target {
  /** Is told when it turns out to speak HTTP+SSE. */
  readonly onSse: (sse: Target) => void
}

interface Opened extends SessionRenewal.Session {
  readonly connection: Conversation.Conversation
}

/** By what is remembered of the server; it is found out as well when that does not fit (R84, R91). */
const first = Effect.fnUntraced(
  function*(target: Unknown): Effect.fn.Return<SessionRenewal.Session, McpErrorReason, Scope.Scope> {
    const { config, http } = target
    const isSse = SseFallback.isOpen(config, http) && (yield* Era.isSse(config))
    if (!isSse) return yield* byEra(target)
    return yield* Effect.catchIf(
      abandoned(overSse(target)),
      Era.misfits,
      (misfit) => Effect.andThen(Era.forget(config, misfit.message), byEra(target))
    )
  }
)

const byEra = Effect.fnUntraced(
  function*(target: Unknown): Effect.fn.Return<SessionRenewal.Session, McpErrorReason, Scope.Scope> {
    const { config, http } = target
    if (config.protocol === "legacy") return yield* orSse(target, session(target, Revision.OLD))
    // That transport is older than any question for the era.
    if (http._tag === "sse") {
      return config.protocol === "auto"
        ? yield* session(target, Revision.OLD)
        : yield* mismatch(["2024-11-05"])
    }
    const known = yield* Era.recall(config)
    if (known === null) return yield* asked(target)
    return known.kind === "legacy"
      ? yield* Effect.catchIf(
        abandoned(session(target, Revision.OLD)),
        Era.refuses,
        (refusal) => Effect.andThen(Era.forget(config, refusal.message), asked(target, refusal))
      )
      : yield* Effect.catchIf(
        abandoned(proven(target, known.discover)),
        Era.misfits,
        (misfit) => Effect.andThen(Era.forget(config, misfit.message), asked(target))
      )
  }
)

/** Asks, and goes on by the answer. The question stays open until then: some servers take long over their first answer. */
const asked = (target: Unknown, refused: McpErrorReason | null = null) =>
  Effect.scopedWith((question) =>
    Effect.flatMap(Scope.provide(probe(target), question), (verdict) => decided(target, verdict, refused))
  )

/** Remembers what came of the question. A server that has `refused` the old way is not greeted in it again. */
const decided = Effect.fnUntraced(function*(
  target: Unknown,
  verdict: HttpProbe.Verdict,
  refused: McpErrorReason | null
): Effect.fn.Return<SessionRenewal.Session, McpErrorReason, Scope.Scope> {
  const { config } = target
  if (verdict.era === "modern") return yield* discovered(target, verdict.discover)
  if (refused !== null) return yield* orSse(target, Effect.fail(refused))
  if (config.protocol !== "auto") return yield* notModern(verdict)
  const remember = Era.rememberLegacy(config, verdict.reason)
  const greeted = Effect.tap(
    session(target, Revision.OLD),
    ({ connection }) => verdict.how === "stumbled" ? Effect.void : remember(connection)
  )
  return yield* orSse(target, orLate(target, verdict, greeted))
})

const discovered = (target: Target, discover: Revision.Discovered) =>
  Effect.andThen(
    Era.remember(target.config, "modern", Era.ANSWERED, discover),
    session(target, { kind: "modern", discover })
  )

/** A server that refuses `initialize` may be one that is only slow to say that it does not know it any more. */
const orLate = (
  target: Target,
  { late }: HttpProbe.Legacy,
  greeted: Effect.Effect<SessionRenewal.Session, McpErrorReason, Scope.Scope>
) =>
  late === null ?
    greeted :
    Effect.catchIf(abandoned(greeted), isAnswered, (refusal) =>
      Effect.suspend(() => {
        target.onStep("server/discover")
        const limit = Duration.times(target.config.startupTimeout, LATE)
        return Effect.flatMap(
          Effect.timeoutOrElse(late, { duration: limit, orElse: () => Effect.fail(refusal) }),
          (verdict) => verdict.era === "modern" ? discovered(target, verdict.discover) : Effect.fail(refusal)
        )
      }))

/** Whether it answered `initialize` with a refusal, or with something that is no answer to it. */
const isAnswered = (reason: McpErrorReason) => reason._tag === "HandshakeFailed" || Era.refuses(reason)

/** The share of `startupTimeout`: another way may need the rest. */
const LATE = 1 / 2

/** Tries the transport of revision 2024-11-05, once, where a refusal may come from a server that knows no other (R84). */
const orSse = (
  target: Unknown,
  greeted: Effect.Effect<SessionRenewal.Session, McpErrorReason, Scope.Scope>
): Effect.Effect<SessionRenewal.Session, McpErrorReason, Scope.Scope> =>
  Effect.catch(abandoned(greeted), (refusal) => {
    const { config, http } = target
    if (!SseFallback.isOpen(config, http) || !SseFallback.isCalledFor(refusal)) return Effect.fail(refusal)
    return Effect.gen(function*() {
      yield* ServerLog.event(`${refusal.message}; it may be a server of revision 2024-11-05, so a GET is tried`)
      const opened = yield* abandoned(overSse(target)).pipe(
        Effect.timeoutOrElse({ duration: Era.limit(config), orElse: () => Effect.fail(refusal) }),
        Effect.mapError((reason) => SseFallback.moreTelling(refusal, reason))
      )
      yield* Era.remember(config, "sse", `${refusal.message}, and a stream of events to a GET`)
      return opened
    })
  })

const overSse = (target: Unknown) => {
  const onStep = (method: string) => target.onStep(`${method} over HTTP+SSE`)
  const sse: Target = { ...target, http: { ...target.http, _tag: "sse" }, onStep }
  return Effect.tap(session(sse, Revision.OLD), () => Effect.sync(() => target.onSse(sse)))
}

/** A server whose user signs in meanwhile is not silent. */
const probe = (target: Target): Effect.Effect<HttpProbe.Verdict, McpErrorReason, Scope.Scope> =>
  Effect.flatMap(probeOnce(target), (verdict) =>
    verdict.era === "legacy" && verdict.how === "silent"
      ? Effect.flatMap(target.auth.renewed, (isNews) => isNews ? probe(target) : Effect.succeed(verdict))
      : Effect.succeed(verdict))

const probeOnce = Effect.fnUntraced(function*(target: Target) {
  const { config, onStep } = target
  onStep("server/discover")
  const channel = yield* HttpChannel.make(channelOptions(target))
  const occasion = HttpAuth.occasionOf(target.auth, "server/discover")
  return yield* HttpProbe.ask({ channel, occasion, limit: Era.limit(config) })
})

const mismatch = (supported: ReadonlyArray<string>) => new ProtocolMismatch({ offered: [Revision.MODERN], supported })

/** Only a server that said no is one that trying again cannot help. */
const notModern = ({ how, reason }: HttpProbe.Legacy): ProtocolMismatch | HandshakeFailed =>
  how === "refused"
    ? mismatch([])
    : new HandshakeFailed({ method: "server/discover", detail: reason, code: null, stderr: "" })

/** A remembered era may be wrong until the tools are listed. */
const proven = Effect.fnUntraced(function*(target: Target, discover: Revision.Discovered) {
  target.onStep("tools/list")
  const opened = yield* session(target, { kind: "modern", discover }, true)
  yield* Era.borneOut(target.config, opened.connection)
  return opened
})

const session = Effect.fnUntraced(function*(
  target: Target,
  era: Revision.Era,
  isRemembered = false
): Effect.fn.Return<Opened, McpErrorReason, Scope.Scope> {
  const { onStep } = target
  if (era.kind === "legacy") onStep("initialize")
  const { config: { maxMessageBytes }, http } = target
  const options = channelOptions(target)
  const channel = yield* http._tag === "sse" ? SseChannel.make(options) : HttpChannel.make(options)
  const { endsSession, isLost } = channel
  const factsOf = CallSpan.factsFor(target.config)
  const connection = yield* Conversation.open({ channel, era, isRemembered, maxMessageBytes, factsOf })
  return { connection, endsSession, isLost }
})

const channelOptions = ({ auth, config: { maxMessageBytes }, http, sender, url }: Target): HttpSession.Options => ({
  http,
  url,
  auth,
  sender,
  maxMessageBytes
})

/** Leaves nothing of a failed attempt behind for the next one to meet. */
const abandoned = <A, E>(attempt: Effect.Effect<A, E, Scope.Scope>): Effect.Effect<A, E, Scope.Scope> =>
  Effect.gen(function*() {
    const scope = yield* Scope.fork(yield* Effect.scope)
    return yield* Scope.provide(attempt, scope).pipe(
      Effect.onExit((exit) => Exit.isSuccess(exit) ? Effect.void : Scope.close(scope, exit))
    )
  })
