/**
 * From an entry with a url to an open connection: which era of the protocol, and a new session when the old one is gone.
 */
import type { Http, ServerConfig } from "@boocode/mcp-config"
import type { PriorDiscovery, VersionNegotiationOptions } from "@modelcontextprotocol/client"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import type { Connection } from "../Connection.ts"
import { InvalidEntry, type McpErrorReason } from "../McpError.ts"
import { McpFetch } from "../McpFetch.ts"
import * as Redaction from "../Redaction.ts"
import * as ProtocolProbe from "../transport/ProtocolProbe.ts"
import * as HttpTransport from "./HttpTransport.ts"
import * as RawAnswers from "./RawAnswers.ts"
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
): Effect.fn.Return<Connection, McpErrorReason, McpFetch | Scope.Scope> {
  const url = URL.parse(Redacted.value(http.url))
  if (url === null) {
    return yield* new InvalidEntry({ detail: "its url is no URL", try: "write it in full, with https://" })
  }
  const { fetch } = yield* McpFetch
  const connect = (prior: PriorDiscovery | null) => session(config, http, url, fetch, prior)
  const asks = Effect.suspend(() => {
    onStep(config.protocol === "legacy" ? "initialize" : "server/discover")
    return connect(null)
  })
  const legacy = Effect.suspend(() => {
    onStep("initialize")
    return connect({ kind: "legacy" })
  })
  return yield* SessionRenewal.open({
    first: config.protocol === "auto" ? Effect.catchIf(abandoned(asks), stumbled, () => legacy) : asks,
    // Only the old way has sessions.
    next: connect({ kind: "legacy" }),
    limit: config.startupTimeout
  })
})

const session = Effect.fnUntraced(function*(
  config: ServerConfig,
  http: Http,
  url: URL,
  fetch: typeof globalThis.fetch,
  prior: PriorDiscovery | null
): Effect.fn.Return<SessionRenewal.Session, McpErrorReason, Scope.Scope> {
  const answers = RawAnswers.make()
  const { maxMessageBytes } = config
  const { endsSession, isLost, transport } = yield* HttpTransport.make({ http, url, fetch, answers, maxMessageBytes })
  const connection = yield* SdkConnection.open({
    transport,
    answers,
    prior,
    negotiation: negotiation(config),
    isAuthorized: Object.keys(http.headers).some((name) => /auth|key|token|secret|cookie/i.test(name)),
    scrub: Redaction.scrubber(config),
    channel: { pid: null, closed: Effect.never, diagnostics: () => [], stderr: () => "" }
  })
  return { connection, endsSession, isLost }
})

/** Leaves nothing of a failed attempt behind for the next one to meet. */
const abandoned = <A, E>(attempt: Effect.Effect<A, E, Scope.Scope>): Effect.Effect<A, E, Scope.Scope> =>
  Effect.gen(function*() {
    const scope = yield* Scope.fork(yield* Effect.scope)
    return yield* Scope.provide(attempt, scope).pipe(
      Effect.onExit((exit) => Exit.isSuccess(exit) ? Effect.void : Scope.close(scope, exit))
    )
  })

/**
 * A server that stumbles over the question for its era may still answer `initialize`. One that asks for credentials has
 * answered, and one that cannot be reached cannot be reached in the old way either (R91).
 */
const stumbled = (reason: McpErrorReason): boolean =>
  reason._tag === "HandshakeFailed" || (reason._tag === "HttpStatus" && reason.code >= 500)

const negotiation = (config: ServerConfig): VersionNegotiationOptions => {
  if (config.protocol === "legacy") return { mode: "legacy" }
  if (config.protocol === "2026-07-28") return { mode: { pin: ProtocolProbe.MODERN_REVISION } }
  return { mode: "auto", probe: { timeoutMs: 5000 } }
}
