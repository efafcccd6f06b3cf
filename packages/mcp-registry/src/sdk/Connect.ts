/**
 * From an entry to an open connection: which transport, which era of the protocol, one process.
 */
import type { ServerConfig, Stdio } from "@boocode/mcp-config"
import { isSpecType, type PriorDiscovery } from "@modelcontextprotocol/client"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import type { Connection } from "../Connection.ts"
import { HandshakeFailed, type McpErrorReason, ProtocolMismatch } from "../McpError.ts"
import type { McpFetch } from "../McpFetch.ts"
import { ProtocolMemory } from "../ProtocolMemory.ts"
import * as Redaction from "../Redaction.ts"
import * as ProtocolProbe from "../transport/ProtocolProbe.ts"
import * as StdioTransport from "../transport/StdioTransport.ts"
import type { Wire } from "../transport/Wire.ts"
import * as HttpConnection from "./HttpConnection.ts"
import * as RawAnswers from "./RawAnswers.ts"
import * as SdkConnection from "./SdkConnection.ts"
import * as WireTransport from "./WireTransport.ts"

/** How far an attempt got; it is read when the attempt takes too long. @category models */
export interface Attempt {
  /** The method that is waited for. */
  step: string
  /** Milliseconds since it began. */
  readonly elapsed: () => number
  stderr: () => string
  /** What it wrote that is no message. */
  said: () => ReadonlyArray<string>
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
    : HttpConnection.open(config, config.transport, (method) => {
      attempt.step = method
    })

const openStdio = Effect.fnUntraced(function*(
  config: ServerConfig,
  stdio: Stdio,
  searchAfterPath: ReadonlyArray<string>,
  attempt: Attempt
): Effect.fn.Return<Connection, McpErrorReason, StdioTransport.Requirements | Scope.Scope> {
  const start = Effect.tap(StdioTransport.open(config, stdio, searchAfterPath), (wire) =>
    Effect.sync(() => {
      attempt.stderr = wire.stderr
      attempt.said = wire.diagnostics
    }))
  if (config.protocol === "legacy") return yield* legacy(config, yield* start, attempt)
  const memory = yield* ProtocolMemory
  const known = config.protocol === "auto" ? yield* memory.recall(config) : null
  if (known?.era === "legacy") return yield* lateHandshake(config, yield* start, attempt)
  if (known?.era === "modern") return yield* modern(config, yield* start, known.discover, attempt)
  const scope = yield* Scope.fork(yield* Effect.scope)
  const wire = yield* Scope.provide(start, scope)
  const verdict = yield* probe(config, wire, attempt)
  /** A late answer may have turned the verdict round, and is remembered by then. */
  const remember = (reason: string) => ({ protocolVersion }: Connection) =>
    protocolVersion === ProtocolProbe.MODERN_REVISION
      ? Effect.void
      : memory.remember(config, { era: "legacy", reason, discover: null })
  switch (verdict.era) {
    case "modern":
      return yield* Effect.tap(modern(config, wire, verdict.discover, attempt), () => rememberModern(config, verdict))
    case "echo":
      return yield* echoes(attempt)
    case "silent":
      if (config.protocol !== "auto") return yield* mismatch
      return yield* Effect.tap(
        lateHandshake(config, wire, attempt),
        remember("it did not answer server/discover")
      )
    case "legacy":
      if (config.protocol !== "auto") return yield* mismatch
      return yield* Effect.tap(
        legacy(config, wire, attempt),
        remember("it answered server/discover with no revision of ours")
      )
    case "ended":
      if (config.protocol !== "auto") return yield* mismatch
      // The only case that takes a second process: the first one died of the question.
      yield* Scope.close(scope, Exit.void)
      return yield* Effect.tap(
        legacy(config, yield* start, attempt),
        remember("it ended when it was asked server/discover")
      )
  }
})

const mismatch = new ProtocolMismatch({ offered: [ProtocolProbe.MODERN_REVISION], supported: [] })

/** At most a third of the time there is, so that a server that is silent to the question can still be greeted. */
const probe = (config: ServerConfig, wire: Wire, attempt: Attempt) => {
  attempt.step = "server/discover"
  const limit = Duration.min(ProtocolProbe.LIMIT, Duration.times(config.startupTimeout, 1 / 3))
  return ProtocolProbe.run(wire, SdkConnection.CLIENT_INFO, limit)
}

const rememberModern = (config: ServerConfig, { discover }: { readonly discover: Schema.JsonObject }) =>
  Effect.flatMap(
    ProtocolMemory,
    (memory) => memory.remember(config, { era: "modern", reason: "it answered server/discover", discover })
  )

const legacy = (config: ServerConfig, wire: Wire, attempt: Attempt) =>
  handshake(config, wire, { kind: "legacy" }, attempt)

/** What was discovered before, or kept since, is decoded once more: a file may hold anything. */
const modern = (config: ServerConfig, wire: Wire, discover: Schema.JsonObject | null, attempt: Attempt) =>
  isSpecType.DiscoverResult(discover)
    ? handshake(config, wire, { kind: "modern", discover }, attempt)
    : legacy(config, wire, attempt)

/**
 * A server that was silent may only have been starting, and one that is remembered may have been upgraded: when it
 * refuses `initialize`, it is asked once more.
 */
const lateHandshake = (config: ServerConfig, wire: Wire, attempt: Attempt) =>
  Effect.catchIf(legacy(config, wire, attempt), isRefusal, (refusal) =>
    Effect.gen(function*() {
      const verdict = yield* probe(config, wire, attempt)
      if (verdict.era !== "modern") return yield* refusal
      return yield* Effect.tap(modern(config, wire, verdict.discover, attempt), () => rememberModern(config, verdict))
    }))

const isRefusal = (reason: McpErrorReason): reason is HandshakeFailed =>
  reason._tag === "HandshakeFailed" && reason.code !== null

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
