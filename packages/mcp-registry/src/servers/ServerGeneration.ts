/** One generation of a server: an entry as it was when it was started, in a scope of its own. */
import type * as Connect from "@boocode/mcp-client/Connect"
import { ServerEnvironment } from "@boocode/mcp-client/Host"
import { type ConfiguredServer, Environment, type ServerConfig } from "@boocode/mcp-config"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as Struct from "effect/Struct"
import { McpServer, type ServerOptions } from "../lifecycle/McpServer.ts"
import type { ServerStatus } from "../model/ServerStatus.ts"
import * as EntryRoots from "../state/EntryRoots.ts"

export interface ServerGeneration {
  readonly server: McpServer["Service"]
  /** As `McpServer.follow`, until this generation closes. */
  readonly follow: (onChange: (status: ServerStatus) => void) => Effect.Effect<void>
  /** Whether starting this entry would make the same server again, secrets and inherited variables included. */
  readonly isOf: (entry: ConfiguredServer) => boolean
  /** Takes it down, once however often it is asked. Answers when nothing is left of it, 6 s at most. */
  readonly close: Effect.Effect<void>
}

/** Starts a generation. Instant: it connects by itself. It closes with this scope, which closes in parallel. */
export const start = Effect.fnUntraced(function*(
  entry: ConfiguredServer,
  options: ServerOptions,
  scope: Scope.Scope
): Effect.fn.Return<ServerGeneration, never, Connect.Requirements> {
  const { variables } = yield* Environment
  const own = yield* Scope.fork(scope)
  const server = Context.get(yield* Layer.buildWithScope(McpServer.layer(entry, options), own), McpServer)
  const inherited = inheritedBy(entry, variables)
  // A fiber of the scope above, which does not hold up that scope when it closes by itself.
  const closing = yield* Effect.cached(
    Effect.forkIn(Effect.uninterruptible(Scope.close(own, Exit.void)), scope, { startImmediately: true })
  )
  return {
    server,
    follow: (onChange) => Scope.provide(server.follow(onChange), own),
    isOf: (other) => Equal.equals(identityOf(entry, inherited), identityOf(other, inheritedBy(other, variables))),
    close: Effect.uninterruptible(Effect.flatMap(closing, Fiber.await))
  }
})

/** Everything that the running server depends on. Where the entry is written may change. */
const identityOf = ({ config, enabled, needsApproval, transport }: ConfiguredServer, inherited: Inherited) => ({
  enabled,
  needsApproval,
  transport,
  config: Result.isSuccess(config) ? lasting(config.success) : mistakeOf(config.failure),
  inherited
})

/** Without what a server that runs can be told of. */
const lasting = ({ roots, ...config }: ServerConfig) => ({
  ...Struct.omit(config, ["classes", "instructions", "logLevel", "targets", "trustAnnotations", "writes"]),
  roots: EntryRoots.kindOf(roots)
})

/** A mistake without its place: one that moved is the same. */
const mistakeOf = (failure: Result.Result.Failure<ConfiguredServer["config"]>) =>
  failure._tag === "InvalidEntry" ? [failure.key, failure.detail] : [failure.key, failure.variable]

type Inherited = ReadonlyArray<string | undefined>

const inheritedBy = ({ config }: ConfiguredServer, variables: Environment["Service"]["variables"]): Inherited =>
  Result.isSuccess(config) && config.success.transport._tag === "stdio"
    ? [...ServerEnvironment.SAFE_LIST, ...config.success.transport.inheritEnv].map((name) => variables[name])
    : []
