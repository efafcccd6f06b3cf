/**
 * One generation of a server: an entry as it was when it was started, in a scope of its own.
 */
import { type ConfiguredServer, Environment, type ServerConfig } from "@boocode/mcp-config"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import type { McpServer } from "./McpServer.ts"
import * as EntryRoots from "./requests/EntryRoots.ts"
import type * as Connect from "./rpc/Connect.ts"
import * as RunningServer from "./RunningServer.ts"
import * as ServerEnvironment from "./transport/ServerEnvironment.ts"

/** What a generation is made with. @category models */
export interface Options extends RunningServer.Options {
  /** Closes it too. A scope that closes in parallel, so that no generation waits for another. */
  readonly scope: Scope.Scope
}

/**
 * Starts a generation: instant, it connects by itself.
 *
 * @category constructors
 */
export const start = Effect.fnUntraced(function*(
  entry: ConfiguredServer,
  options: Options
): Effect.fn.Return<Generation, never, Connect.Requirements> {
  const own = yield* Scope.fork(options.scope)
  const server = yield* Scope.provide(RunningServer.make(entry, options), own)
  return new Generation(entry, server, yield* Environment, own, options.scope)
})

/** One generation of a server. @category models */
export class Generation {
  readonly server: McpServer
  private readonly entry: ConfiguredServer
  private readonly environment: Environment["Service"]
  /** The inherited variables as they were when it was started. */
  private readonly inherited: Inherited
  private readonly own: Scope.Closeable
  private readonly scope: Scope.Scope
  private closing: Fiber.Fiber<void> | null = null

  constructor(
    entry: ConfiguredServer,
    server: McpServer,
    environment: Environment["Service"],
    own: Scope.Closeable,
    scope: Scope.Scope
  ) {
    this.entry = entry
    this.server = server
    this.environment = environment
    this.inherited = inheritedBy(entry, environment)
    this.own = own
    this.scope = scope
  }

  /** Whether starting this entry would make the same server again, secrets and inherited variables included. */
  isOf(entry: ConfiguredServer): boolean {
    const theirs = identityOf(entry, inheritedBy(entry, this.environment))
    return Equal.equals(identityOf(this.entry, this.inherited), theirs)
  }
  /** Takes it down, once however often it is asked. Answers when nothing is left of it, 6 s at most. */
  get close(): Effect.Effect<void> {
    return Effect.uninterruptible(Effect.flatMap(this.end, Fiber.await))
  }
  /** In a fiber of the scope above, which a scope that is closing already does not hold up any more. */
  private get end(): Effect.Effect<Fiber.Fiber<void>> {
    return Effect.suspend(() =>
      this.closing !== null
        ? Effect.succeed(this.closing)
        : Effect.tap(
          Effect.forkIn(Effect.uninterruptible(Scope.close(this.own, Exit.void)), this.scope, {
            startImmediately: true
          }),
          (closing) => Effect.sync(() => void (this.closing = closing))
        )
    )
  }
}

/** Everything that the running server depends on. Where it is written, and what is said about it, may change. */
const identityOf = ({ config, enabled, needsApproval, transport }: ConfiguredServer, inherited: Inherited) => ({
  enabled,
  needsApproval,
  transport,
  config: Result.isSuccess(config) ? lasting(config.success) : mistakeOf(config.failure),
  inherited
})

/** Without what may change while a server runs on: one that is told of folders, or of a log level, is told of others as well. */
const lasting = ({ instructions: _, logLevel: __, roots, ...config }: ServerConfig) => ({
  ...config,
  roots: EntryRoots.kindOf(roots)
})

/** A mistake without its place: one that moved is the same. */
const mistakeOf = (failure: Result.Result.Failure<ConfiguredServer["config"]>) =>
  failure._tag === "InvalidEntry" ? [failure.key, failure.detail] : [failure.key, failure.variable]

type Inherited = ReadonlyArray<string | undefined>

const inheritedBy = ({ config }: ConfiguredServer, { variables }: Environment["Service"]): Inherited =>
  Result.isSuccess(config) && config.success.transport._tag === "stdio"
    ? [...ServerEnvironment.SAFE_LIST, ...config.success.transport.inheritEnv].map((name) => variables[name])
    : []
