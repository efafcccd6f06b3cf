/**
 * From an entry to an open connection: which transport, which era of the protocol, one process.
 */
import type { Http, ServerConfig, Stdio } from "@boocode/mcp-config"
import { isSpecType, type PriorDiscovery, type VersionNegotiationOptions } from "@modelcontextprotocol/client"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import type { Connection } from "../Connection.ts"
import { HandshakeFailed, InvalidEntry, type McpErrorReason, ProtocolMismatch } from "../McpError.ts"
import { McpFetch } from "../McpFetch.ts"
import * as Redaction from "../Redaction.ts"
import * as ProtocolProbe from "../transport/ProtocolProbe.ts"
import * as StdioTransport from "../transport/StdioTransport.ts"
import type { Wire } from "../transport/Wire.ts"
import * as HttpTransport from "./HttpTransport.ts"
import * as RawAnswers from "./RawAnswers.ts"
import * as SdkConnection from "./SdkConnection.ts"
import * as WireTransport from "./WireTransport.ts"

/** How far an attempt got; it is read when the attempt takes too long. @category models */
export interface Attempt {
  /** The method that is waited for. */
  step: string
  pid: number | null
  stderr: () => string
}

/** Everything a connection asks the host for. @category services */
export type Requirements = StdioTransport.Requirements | McpFetch

/**
 * Opens a connection in the current scope. Has no time limit of its own.
 *
 * @category constructors
 */
export const open = (
  config: ServerConfig,
  searchAfterPath: ReadonlyArray<string>,
  attempt: Attempt
): Effect.Effect<Connection, McpErrorReason, Requirements | Scope.Scope> =>
  config.transport._tag === "stdio"
    ? openStdio(config, config.transport, searchAfterPath, attempt)
    : openHttp(config, config.transport, attempt)

const openStdio = Effect.fnUntraced(function*(
  config: ServerConfig,
  stdio: Stdio,
  searchAfterPath: ReadonlyArray<string>,
  attempt: Attempt
): Effect.fn.Return<Connection, McpErrorReason, StdioTransport.Requirements | Scope.Scope> {
  const start = Effect.tap(StdioTransport.open(config, stdio, searchAfterPath), (wire) =>
    Effect.sync(() => {
      attempt.pid = wire.pid
      attempt.stderr = wire.stderr
    }))
  if (config.protocol === "legacy") return yield* handshake(config, yield* start, { kind: "legacy" }, attempt)
  const scope = yield* Scope.fork(yield* Effect.scope)
  const wire = yield* Scope.provide(start, scope)
  attempt.step = "server/discover"
  const verdict = yield* ProtocolProbe.run(wire, SdkConnection.CLIENT_INFO)
  if (verdict.era === "modern" && isSpecType.DiscoverResult(verdict.discover)) {
    return yield* handshake(config, wire, { kind: "modern", discover: verdict.discover }, attempt)
  }
  if (verdict.era === "echo") return yield* echoes(attempt)
  if (config.protocol === "2026-07-28") {
    return yield* new ProtocolMismatch({ offered: [ProtocolProbe.MODERN_REVISION], supported: [] })
  }
  if (verdict.era !== "ended") return yield* handshake(config, wire, { kind: "legacy" }, attempt)
  // The only case that takes a second process: the first one died of the question.
  yield* Scope.close(scope, Exit.void)
  return yield* handshake(config, yield* start, { kind: "legacy" }, attempt)
})

const echoes = (attempt: Attempt) =>
  new HandshakeFailed({
    method: attempt.step,
    detail: "it sends back what it is sent, so it is no MCP server",
    code: null,
    stderr: attempt.stderr()
  })

const handshake = Effect.fnUntraced(function*(
  config: ServerConfig,
  wire: Wire,
  prior: PriorDiscovery,
  attempt: Attempt
): Effect.fn.Return<Connection, McpErrorReason, Scope.Scope> {
  const answers = RawAnswers.make()
  if (prior.kind === "legacy") attempt.step = "initialize"
  return yield* SdkConnection.open({
    transport: WireTransport.make(wire, answers, config.maxMessageBytes),
    answers,
    prior,
    negotiation: { mode: "legacy" },
    isAuthorized: false,
    scrub: Redaction.scrubber(config),
    channel: wire
  })
})

const openHttp = Effect.fnUntraced(function*(
  config: ServerConfig,
  http: Http,
  attempt: Attempt
): Effect.fn.Return<Connection, McpErrorReason, McpFetch | Scope.Scope> {
  const url = URL.parse(Redacted.value(http.url))
  if (url === null) {
    return yield* new InvalidEntry({ detail: "its url is no URL", try: "write it in full, with https://" })
  }
  const { fetch } = yield* McpFetch
  const connect = Effect.fnUntraced(function*(prior: PriorDiscovery | null) {
    const answers = RawAnswers.make()
    attempt.step = prior === null ? "server/discover" : "initialize"
    return yield* SdkConnection.open({
      transport: yield* HttpTransport.make(http, url, fetch, answers),
      answers,
      prior,
      negotiation: negotiation(config),
      isAuthorized: Object.keys(http.headers).some((name) => name.toLowerCase() === "authorization"),
      scrub: Redaction.scrubber(config),
      channel: { pid: null, closed: Effect.never, diagnostics: () => [], stderr: () => "" }
    })
  })
  if (config.protocol !== "auto") return yield* connect(null)
  return yield* Effect.catchIf(connect(null), stumbled, () => connect({ kind: "legacy" }))
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
