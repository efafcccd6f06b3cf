/**
 * One generation of a server: an entry as it was when it was started, in a scope of its own.
 */
import { type ConfiguredServer, Environment, type ServerConfig } from "@boocode/mcp-config"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { McpServer, type ServerOptions } from "./McpServer.ts"
import * as EntryRoots from "./requests/EntryRoots.ts"
import type * as Connect from "./rpc/Connect.ts"
import * as ServerEnvironment from "./transport/ServerEnvironment.ts"

/** One generation of a server. @category models */
export interface Generation {
  readonly server: McpServer["Service"]
  /** Whether starting this entry would make the same server again, secrets and inherited variables included. */
  readonly isOf: (entry: ConfiguredServer) => Effect.Effect<boolean>
  /** Takes it down, once however often it is asked. Answers when nothing is left of it, 6 s at most. */
  readonly close: Effect.Effect<void>
}

/** What a generation is made with. @category models */
export interface Options extends ServerOptions {
  /** Closes it too. A scope that closes in parallel, so that no generation waits for another. */
  readonly scope: Scope.Scope
  /** Is run at every change of its status, its end included. */
  readonly onChange: (server: McpServer["Service"]) => Effect.Effect<void>
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
  const server = Context.get(yield* Layer.buildWithScope(McpServer.layer(entry, options), own), McpServer)
  const teller = yield* Effect.forkIn(
    Stream.runForEach(Stream.drop(server.changes, 1), () => options.onChange(server)),
    options.scope,
    { startImmediately: true }
  )
  const identity = yield* identityOf(entry)
  const context = yield* Effect.context<Environment>()
  let closing: Fiber.Fiber<void> | null = null
  const end = Effect.andThen(Scope.close(own, Exit.void), Fiber.interrupt(teller))
  const close = Effect.gen(function*() {
    // In a fiber of the scope above, which a scope that is closing already does not hold up any more.
    closing ??= yield* Effect.forkIn(Effect.uninterruptible(end), options.scope, { startImmediately: true })
    yield* Fiber.await(closing)
  })
  return {
    server,
    isOf: (other) =>
      Effect.map(Effect.provideContext(identityOf(other), context), (theirs) => Equal.equals(identity, theirs)),
    close: Effect.uninterruptible(close)
  }
})

/** Everything that the running server depends on. Where it is written, and what is said about it, may change. */
const identityOf = ({ config, enabled, needsApproval, transport }: ConfiguredServer) =>
  Effect.map(Environment, ({ variables }) => ({
    enabled,
    needsApproval,
    transport,
    config: Result.isSuccess(config) ? lasting(config.success) : mistakeOf(config.failure),
    inherited: inheritedBy(config, variables)
  }))

/** Without what may change while a server runs on: one that is told of folders, or of a log level, is told of others as well. */
const lasting = ({ instructions: _, logLevel: __, roots, ...config }: ServerConfig) => ({
  ...config,
  roots: EntryRoots.kindOf(roots)
})

/** A mistake without its place: one that moved is the same. */
const mistakeOf = (failure: Result.Result.Failure<ConfiguredServer["config"]>) =>
  failure._tag === "InvalidEntry" ? [failure.key, failure.detail] : [failure.key, failure.variable]

const inheritedBy = (config: ConfiguredServer["config"], variables: Readonly<Record<string, string | undefined>>) =>
  Result.isSuccess(config) && config.success.transport._tag === "stdio"
    ? [...ServerEnvironment.SAFE_LIST, ...config.success.transport.inheritEnv].map((name) => variables[name])
    : []
