/** From an entry to an open connection: which transport, which era of the protocol, one process. */
import type { Http, ServerConfig, Stdio } from "@boocode/mcp-config"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as CallSpan from "../contract/CallSpan.ts"
import type { Channel } from "../contract/Channel.ts"
import type { Connection } from "../contract/Connection.ts"
import * as Revision from "../contract/Revision.ts"
import {
  type ConnectionLost,
  type Exited,
  HandshakeFailed,
  type McpErrorReason,
  ProtocolMismatch
} from "../errors/McpError.ts"
import { explainsEnd } from "../errors/StandardError.ts"
import type { McpFetch } from "../host/McpFetch.ts"
import * as Conversation from "../rpc/Conversation.ts"
import * as StdioChannel from "../stdio/StdioChannel.ts"
import * as Era from "./Era.ts"
import * as StdioProbe from "./StdioProbe.ts"

/** How far an attempt got; it is read when the attempt takes too long. */
export interface Attempt {
  /** The method that is waited for. */
  step: string
  /** Milliseconds since it began. */
  readonly elapsed: () => number
  stderr: () => string
  /** The output that is no message. */
  said: () => ReadonlyArray<string>
  /** How a program under `auto` is greeted. Default: `first`. */
  readonly greeting?: Greeting
}

/**
 * How a program is asked for its era. Some programs end when they get `server/discover`. `first` asks, and starts a second
 * process without the question if the first one ends. After such an end the next attempts take one process each, in turn
 * `unasked`, without the question, and `asked`, with it.
 */
export type Greeting = "first" | "unasked" | "asked"

/** How the next attempt greets when this one ended by its program's end at that step. */
export const nextGreeting = (greeting: Greeting, step: string): Greeting =>
  step === QUESTION || step === "initialize" ? (greeting === "unasked" ? "asked" : "unasked") : "first"

const QUESTION = "server/discover"

/** Everything a connection asks the host for. */
export type Requirements = StdioChannel.Requirements | McpFetch

/** Opens a connection in the current scope. Has no time limit of its own. */
export const open = (
  config: ServerConfig,
  searchAfterPath: ReadonlyArray<string>,
  attempt: Attempt
): Effect.Effect<Connection, McpErrorReason, Requirements | Scope.Scope> =>
  config.transport._tag === "stdio"
    ? openStdio(config, config.transport, searchAfterPath, attempt)
    : openHttp(config, config.transport, (method) => {
      attempt.step = method
    })

/** Loaded when the first server has a URL: this takes longer than all the rest. */
const openHttp = Effect.fnUntraced(function*(
  config: ServerConfig,
  http: Http,
  onStep: (method: string) => void
): Effect.fn.Return<Connection, McpErrorReason, Requirements | Scope.Scope> {
  const HttpConnection = yield* Effect.promise(() => import("./HttpConnect.ts"))
  return yield* HttpConnection.open(config, http, onStep)
})

/** By what is remembered of the server, or by asking it; it is asked as well when what is remembered does not fit (R91). */
const openStdio = Effect.fnUntraced(function*(
  config: ServerConfig,
  stdio: Stdio,
  searchAfterPath: ReadonlyArray<string>,
  attempt: Attempt
): Effect.fn.Return<Connection, McpErrorReason, StdioChannel.Requirements | Scope.Scope> {
  const start = Effect.tap(
    StdioChannel.open(config, stdio, searchAfterPath),
    (channel) => Effect.sync(() => hear(channel, attempt))
  )
  if (config.protocol === "legacy") return yield* legacy(config, yield* start, attempt)
  // Not remembered: why the last try ended is not known.
  if (attempt.greeting === "unasked" && config.protocol === "auto") {
    return yield* lateHandshake(config, yield* start, attempt)
  }
  const known = yield* Era.recall(config)
  if (known?.kind === "legacy") return yield* lateHandshake(config, yield* start, attempt)
  const program = yield* started(start)
  if (known === null) return yield* asked(config, program, attempt)
  return yield* Effect.catchIf(
    proven(config, program.channel, known, attempt),
    Era.misfits,
    (misfit) =>
      Effect.gen(function*() {
        yield* Era.forget(config, misfit.message)
        return yield* asked(config, misfit._tag === "Exited" ? yield* program.restart : program, attempt)
      })
  )
})

/** A function of its own: these closures live as long as the connection, and must not keep the rest of the attempt alive. */
const hear = (channel: Channel, attempt: Attempt) => {
  attempt.stderr = () => channel.stderr()
  attempt.said = () => channel.diagnostics()
}

type Starting<A> = Effect.Effect<A, McpErrorReason, StdioChannel.Requirements | Scope.Scope>

/** A program that runs, and may have to be started a second time. */
interface RestartableProgram {
  readonly channel: Channel
  readonly restart: Starting<RestartableProgram>
}

const started = (start: Starting<Channel>): Starting<RestartableProgram> =>
  Effect.gen(function*() {
    const scope = yield* Scope.fork(yield* Effect.scope)
    const channel = yield* Scope.provide(start, scope)
    return { channel, restart: Effect.andThen(Scope.close(scope, Exit.void), started(start)) }
  })

/** Asks, and remembers what came of it. */
const asked = Effect.fnUntraced(function*(
  config: ServerConfig,
  { channel, restart }: RestartableProgram,
  attempt: Attempt
): Effect.fn.Return<Connection, McpErrorReason, StdioChannel.Requirements | Scope.Scope> {
  const verdict = yield* probe(config, channel, attempt)
  const isOpen = config.protocol === "auto"
  const remember = (reason: string) => Era.rememberLegacy(config, reason)
  switch (verdict.era) {
    case "modern":
      return yield* discovered(config, channel, verdict, attempt)
    case "echo":
      return yield* echoes(attempt)
    case "silent":
      if (!isOpen) return yield* noAnswer(attempt)
      return yield* Effect.tap(lateHandshake(config, channel, attempt), remember("it did not answer server/discover"))
    case "legacy":
      if (!isOpen) return yield* mismatch(verdict.supported)
      return yield* Effect.tap(
        legacy(config, channel, attempt),
        remember("it answered server/discover with no revision of ours")
      )
    case "ended":
      if (!isOpen || attempt.greeting === "asked" || endsAnyway(verdict.why)) return yield* Effect.fail(verdict.why)
      // The program ended because of the question, so another process starts without it.
      return yield* Effect.tap(
        legacy(config, (yield* restart).channel, attempt),
        remember(DIED)
      )
  }
})

const DIED = "it ended when it was asked server/discover"

const endsAnyway = (why: Exited | ConnectionLost): boolean => why._tag === "Exited" && explainsEnd(why.stderr)

const mismatch = (supported: ReadonlyArray<string>) => new ProtocolMismatch({ offered: [Revision.MODERN], supported })

const noAnswer = (attempt: Attempt) =>
  new HandshakeFailed({
    method: attempt.step,
    detail: "it could not read the question",
    code: null,
    stderr: attempt.stderr()
  })

/** Where nothing else is to be tried, there is no reason to stop waiting. */
const probe = (config: ServerConfig, channel: Channel, attempt: Attempt) => {
  attempt.step = QUESTION
  const limit = config.protocol === "auto" ? Era.limit(config) : Duration.infinity
  return StdioProbe.ask(channel, Revision.CLIENT_INFO, limit)
}

const legacy = (config: ServerConfig, channel: Channel, attempt: Attempt) =>
  handshake(config, channel, Revision.OLD, attempt)

/** An answer that is not what the protocol asks for does not make a server one of 2026-07-28. */
const discovered = (
  config: ServerConfig,
  channel: Channel,
  { discover }: { readonly discover: Schema.JsonObject },
  attempt: Attempt
) =>
  Revision.isDiscovered(discover)
    ? Effect.tap(
      handshake(config, channel, { kind: "modern", discover }, attempt),
      () => Era.remember(config, "modern", Era.ANSWERED, discover)
    )
    : legacy(config, channel, attempt)

/** A remembered era may be wrong until the tools are listed. */
const proven = (config: ServerConfig, channel: Channel, known: Revision.Era, attempt: Attempt) => {
  attempt.step = "tools/list"
  return Effect.flatMap(
    handshake(config, channel, known, attempt, true),
    (connection) => Era.borneOut(config, connection)
  )
}

/**
 * A server that was silent may only have been starting, and one that is remembered may have been upgraded: when it
 * refuses `initialize`, it is asked once more.
 */
const lateHandshake = (config: ServerConfig, channel: Channel, attempt: Attempt) =>
  Effect.catchIf(legacy(config, channel, attempt), Era.refuses, (refusal) =>
    Effect.gen(function*() {
      const verdict = yield* probe(config, channel, attempt)
      return verdict.era === "modern"
        ? yield* discovered(config, channel, verdict, attempt)
        : yield* Effect.fail(refusal)
    }))

const echoes = (attempt: Attempt) =>
  new HandshakeFailed({
    method: attempt.step,
    detail: "it sends back what it is sent, so it is no MCP server",
    code: null,
    stderr: attempt.stderr()
  })

const handshake = (
  config: ServerConfig,
  channel: Channel,
  era: Revision.Era,
  attempt: Attempt,
  isRemembered = false
): Effect.Effect<Conversation.Conversation, McpErrorReason, Scope.Scope> =>
  Effect.suspend(() => {
    if (era.kind === "legacy") attempt.step = "initialize"
    const { maxMessageBytes } = config
    const factsOf = CallSpan.factsFor(config)
    // Standard error from just before the refusal may not have been read yet.
    return Effect.tapError(
      Conversation.open({ channel, era, isRemembered, maxMessageBytes, factsOf }),
      () => Effect.yieldNow
    )
  })
