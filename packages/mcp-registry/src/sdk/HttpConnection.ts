/**
 * From an entry with a url to an open connection: which era of the protocol, and a new session when the old one is gone.
 */
import type { Http, ServerConfig } from "@boocode/mcp-config"
import type { DiscoverResult, PriorDiscovery } from "@modelcontextprotocol/client"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import type { Connection } from "../Connection.ts"
import { HandshakeFailed, InvalidEntry, type McpErrorReason, ProtocolMismatch } from "../McpError.ts"
import * as ProtocolProbe from "../transport/ProtocolProbe.ts"
import * as HeadersHelper from "./HeadersHelper.ts"
import * as HttpProbe from "./HttpProbe.ts"
import * as HttpTransport from "./HttpTransport.ts"
import * as RawAnswers from "./RawAnswers.ts"
import * as RememberedEra from "./RememberedEra.ts"
import * as SdkConnection from "./SdkConnection.ts"
import * as SessionRenewal from "./SessionRenewal.ts"

/**
 * Opens a connection in the current scope. Has no time limit of its own. `onStep` is told which method is waited for.
 *
 * @category constructors
 */
export const open = Effect.fnUntraced(function*(
  config: ServerConfig,
  http: Http,
  onStep: (method: string) => void
): Effect.fn.Return<Connection, McpErrorReason, HeadersHelper.Requirements | Scope.Scope> {
  const url = URL.parse(Redacted.value(http.url))
  if (url === null) {
    return yield* new InvalidEntry({ detail: "its url is no URL", try: "write it in full, with https://" })
  }
  const helped = yield* HeadersHelper.around(config, http, onStep)
  const target = { config, http, url, onStep, ...helped }
  return yield* SessionRenewal.open({
    first: first(target),
    // Only the old way has sessions.
    next: session(target, LEGACY),
    limit: config.startupTimeout
  })
})

interface Target extends HeadersHelper.HelpedFetch {
  readonly config: ServerConfig
  readonly http: Http
  readonly url: URL
  readonly onStep: (method: string) => void
}

const LEGACY: PriorDiscovery = { kind: "legacy" }

/** By what is remembered of the server, or by asking it; it is asked as well when what is remembered does not fit (R91). */
const first = Effect.fnUntraced(
  function*(target: Target): Effect.fn.Return<SessionRenewal.Session, McpErrorReason, Scope.Scope> {
    const { config, http } = target
    if (config.protocol === "legacy") return yield* session(target, LEGACY)
    // That transport is older than any question for the era.
    if (http._tag === "sse") {
      return config.protocol === "auto"
        ? yield* session(target, LEGACY)
        : yield* mismatch(["2024-11-05"])
    }
    const known = yield* RememberedEra.recall(config)
    if (known === null) return yield* asked(target)
    return known.kind === "legacy"
      ? yield* Effect.catchIf(
        abandoned(session(target, LEGACY)),
        RememberedEra.refuses,
        (refusal) => Effect.andThen(RememberedEra.forget(config, refusal.message), asked(target, refusal))
      )
      : yield* Effect.catchIf(
        abandoned(proven(target, known.discover)),
        RememberedEra.misfits,
        (misfit) => Effect.andThen(RememberedEra.forget(config, misfit.message), asked(target))
      )
  }
)

/** Asks, and remembers what came of it. A server that has `refused` the old way is not greeted in it again. */
const asked = Effect.fnUntraced(function*(
  target: Target,
  refused: McpErrorReason | null = null
): Effect.fn.Return<SessionRenewal.Session, McpErrorReason, Scope.Scope> {
  const { config } = target
  const verdict = yield* probe(target)
  if (verdict.era === "modern") {
    yield* RememberedEra.rememberModern(config, verdict.discover)
    return yield* session(target, { kind: "modern", discover: verdict.discover })
  }
  if (refused !== null) return yield* Effect.fail(refused)
  if (config.protocol !== "auto") return yield* notModern(verdict)
  const opened = yield* session(target, LEGACY)
  if (verdict.how !== "stumbled") yield* RememberedEra.rememberLegacy(config, verdict.reason)(opened.connection)
  return opened
})

const probe = Effect.fnUntraced(function*(target: Target) {
  const { config, onStep } = target
  onStep("server/discover")
  const { transport } = yield* transportOf(target, RawAnswers.make())
  return yield* HttpProbe.run({
    transport,
    clientInfo: SdkConnection.CLIENT_INFO,
    occasion: { method: "server/discover", isAuthorized: isAuthorized(target), scrub: target.scrub },
    limit: RememberedEra.limit(config)
  })
}, Effect.scoped)

const mismatch = (supported: ReadonlyArray<string>) =>
  new ProtocolMismatch({ offered: [ProtocolProbe.MODERN_REVISION], supported })

/** Only a server that said no is one that trying again cannot help. */
const notModern = ({ how, reason }: HttpProbe.Legacy): ProtocolMismatch | HandshakeFailed =>
  how === "refused"
    ? mismatch([])
    : new HandshakeFailed({ method: "server/discover", detail: reason, code: null, stderr: "" })

/** What is remembered may be wrong until the tools are listed. */
const proven = Effect.fnUntraced(function*(target: Target, discover: DiscoverResult) {
  target.onStep("tools/list")
  const opened = yield* session(target, { kind: "modern", discover }, true)
  return { ...opened, connection: yield* RememberedEra.borneOut(target.config, opened.connection) }
})

const session = Effect.fnUntraced(function*(
  target: Target,
  era: PriorDiscovery,
  isRemembered = false
): Effect.fn.Return<SessionRenewal.Session, McpErrorReason, Scope.Scope> {
  const { config, onStep } = target
  if (era.kind === "legacy") onStep("initialize")
  const answers = RawAnswers.make()
  const { endsSession, isLost, transport } = yield* transportOf(target, answers)
  const connection = yield* SdkConnection.open({
    transport,
    answers,
    era,
    isRemembered,
    isAuthorized: isAuthorized(target),
    scrub: target.scrub,
    channel: { pid: null, closed: Effect.never, diagnostics: () => [], stderr: () => "" }
  })
  return { connection, endsSession, isLost }
})

const transportOf = ({ config: { maxMessageBytes }, fetch, http, url }: Target, answers: RawAnswers.RawAnswers) =>
  HttpTransport.make({ http, url, fetch, answers, maxMessageBytes })

const isAuthorized = ({ http }: Target): boolean =>
  http.headersHelper !== undefined ||
  Object.keys(http.headers).some((name) => /auth|key|token|secret|cookie/i.test(name))

/** Leaves nothing of a failed attempt behind for the next one to meet. */
const abandoned = <A, E>(attempt: Effect.Effect<A, E, Scope.Scope>): Effect.Effect<A, E, Scope.Scope> =>
  Effect.gen(function*() {
    const scope = yield* Scope.fork(yield* Effect.scope)
    return yield* Scope.provide(attempt, scope).pipe(
      Effect.onExit((exit) => Exit.isSuccess(exit) ? Effect.void : Scope.close(scope, exit))
    )
  })
