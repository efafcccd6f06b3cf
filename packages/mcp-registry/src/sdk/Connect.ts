/**
 * From an entry to an open connection: which transport, which era of the protocol, one process.
 */
import type { ServerConfig, Stdio } from "@boocode/mcp-config"
import type { PriorDiscovery } from "@modelcontextprotocol/client"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import type { Connection } from "../Connection.ts"
import { HandshakeFailed, type McpErrorReason, ProtocolMismatch } from "../McpError.ts"
import type { McpFetch } from "../McpFetch.ts"
import * as ProtocolProbe from "../transport/ProtocolProbe.ts"
import * as StdioTransport from "../transport/StdioTransport.ts"
import type { Wire } from "../transport/Wire.ts"
import * as HttpConnection from "./HttpConnection.ts"
import * as RawAnswers from "./RawAnswers.ts"
import * as RememberedEra from "./RememberedEra.ts"
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

/** By what is remembered of the server, or by asking it; it is asked as well when what is remembered does not fit (R91). */
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
  const known = yield* RememberedEra.recall(config)
  if (known?.kind === "legacy") return yield* lateHandshake(config, yield* start, attempt)
  const program = yield* started(start)
  if (known === null) return yield* asked(config, program, attempt)
  return yield* Effect.catchIf(
    proven(config, program.wire, known, attempt),
    RememberedEra.misfits,
    (misfit) =>
      Effect.gen(function*() {
        yield* RememberedEra.forget(config, misfit.message)
        return yield* asked(config, misfit._tag === "Exited" ? yield* program.restart : program, attempt)
      })
  )
})

type Starting<A> = Effect.Effect<A, McpErrorReason, StdioTransport.Requirements | Scope.Scope>

/** A program that runs, and may have to be started a second time. */
interface Program {
  readonly wire: Wire
  readonly restart: Starting<Program>
}

const started = (start: Starting<Wire>): Starting<Program> =>
  Effect.gen(function*() {
    const scope = yield* Scope.fork(yield* Effect.scope)
    const wire = yield* Scope.provide(start, scope)
    return { wire, restart: Effect.andThen(Scope.close(scope, Exit.void), started(start)) }
  })

/** Asks, and remembers what came of it. */
const asked = Effect.fnUntraced(function*(
  config: ServerConfig,
  { restart, wire }: Program,
  attempt: Attempt
): Effect.fn.Return<Connection, McpErrorReason, StdioTransport.Requirements | Scope.Scope> {
  const verdict = yield* probe(config, wire, attempt)
  const isOpen = config.protocol === "auto"
  const remember = (reason: string) => RememberedEra.rememberLegacy(config, reason)
  switch (verdict.era) {
    case "modern":
      return yield* discovered(config, wire, verdict, attempt)
    case "echo":
      return yield* echoes(attempt)
    case "silent":
      if (!isOpen) return yield* noAnswer(attempt)
      return yield* Effect.tap(lateHandshake(config, wire, attempt), remember("it did not answer server/discover"))
    case "legacy":
      if (!isOpen) return yield* mismatch(verdict.supported)
      return yield* Effect.tap(
        legacy(config, wire, attempt),
        remember("it answered server/discover with no revision of ours")
      )
    case "ended":
      if (!isOpen) return yield* Effect.fail(verdict.why)
      // The only case but one that takes a second process: the first one died of the question.
      return yield* Effect.tap(
        legacy(config, (yield* restart).wire, attempt),
        remember("it ended when it was asked server/discover")
      )
  }
})

const mismatch = (supported: ReadonlyArray<string>) =>
  new ProtocolMismatch({ offered: [ProtocolProbe.MODERN_REVISION], supported })

const noAnswer = (attempt: Attempt) =>
  new HandshakeFailed({
    method: attempt.step,
    detail: "it could not read the question",
    code: null,
    stderr: attempt.stderr()
  })

/** Where nothing else is to be tried, there is no reason to stop waiting. */
const probe = (config: ServerConfig, wire: Wire, attempt: Attempt) => {
  attempt.step = "server/discover"
  const limit = config.protocol === "auto" ? RememberedEra.limit(config) : Duration.infinity
  return ProtocolProbe.run(wire, SdkConnection.CLIENT_INFO, limit)
}

const legacy = (config: ServerConfig, wire: Wire, attempt: Attempt) =>
  handshake(config, wire, { kind: "legacy" }, attempt)

/** An answer that is not what the protocol asks for does not make a server one of 2026-07-28. */
const discovered = (
  config: ServerConfig,
  wire: Wire,
  { discover }: { readonly discover: Schema.JsonObject },
  attempt: Attempt
) => {
  const known = RememberedEra.toDiscover(discover)
  return known === null
    ? legacy(config, wire, attempt)
    : Effect.tap(
      handshake(config, wire, { kind: "modern", discover: known }, attempt),
      () => RememberedEra.rememberModern(config, discover)
    )
}

/** What is remembered may be wrong until the tools are listed. */
const proven = (config: ServerConfig, wire: Wire, known: PriorDiscovery, attempt: Attempt) => {
  attempt.step = "tools/list"
  return Effect.flatMap(
    handshake(config, wire, known, attempt, true),
    (connection) => RememberedEra.borneOut(config, connection)
  )
}

/**
 * A server that was silent may only have been starting, and one that is remembered may have been upgraded: when it
 * refuses `initialize`, it is asked once more.
 */
const lateHandshake = (config: ServerConfig, wire: Wire, attempt: Attempt) =>
  Effect.catchIf(legacy(config, wire, attempt), RememberedEra.refuses, (refusal) =>
    Effect.gen(function*() {
      const verdict = yield* probe(config, wire, attempt)
      return verdict.era === "modern"
        ? yield* discovered(config, wire, verdict, attempt)
        : yield* Effect.fail(refusal)
    }))

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
  era: PriorDiscovery,
  attempt: Attempt,
  isRemembered = false
): Effect.fn.Return<Connection, McpErrorReason, Scope.Scope> {
  const answers = RawAnswers.make()
  if (era.kind === "legacy") attempt.step = "initialize"
  return yield* SdkConnection.open({
    transport: WireTransport.make(wire, answers, config.maxMessageBytes),
    answers,
    era,
    isRemembered,
    isAuthorized: false,
    scrub: wire.scrub,
    channel: wire
  })
})
