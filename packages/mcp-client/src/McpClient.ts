/** Connects to one server by its command or its URL. */
import { DEFAULTS, type ServerConfig } from "@boocode/mcp-config"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import * as Connect from "./connect/Connect.ts"
import type { Connection } from "./contract/Connection.ts"
import { HandshakeTimeout, type McpErrorReason } from "./errors/McpError.ts"

/** Options of both transports. */
export interface Options {
  /** The name under which errors and logs show the server. Default: `server`. */
  readonly name?: string
  /** How long starting and the handshake may last. Default: 30 s. */
  readonly startupTimeout?: Duration.Input
  /** The cap on one message, in bytes; a larger one fails its request alone. Default: 16 MiB. */
  readonly maxMessageBytes?: number
  /** Default: `auto`, which asks the server. */
  readonly protocol?: ServerConfig["protocol"]
}

/** A program that speaks MCP over its standard input and output. */
export interface StdioServer extends Options {
  readonly command: string
  readonly args?: ReadonlyArray<string>
  /** Added to a safe list of the host's variables. The values are hidden in logs and errors. */
  readonly env?: Readonly<Record<string, string>>
  /** Default: the working directory of the host. */
  readonly cwd?: string
}

/** A server that speaks Streamable HTTP, or HTTP+SSE of revision 2024-11-05. */
export interface HttpServer extends Options {
  readonly url: string
  /** Sent with every request. The values are hidden in logs and errors. */
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * Connects in the current scope, whose close ends the connection, and a program with everything it started. Fails with the
 * reason where the server cannot be reached, refuses the handshake or takes longer than `startupTimeout`.
 *
 * **Example** (A server at an address)
 *
 * ```ts
 * import { McpClient } from "@boocode/mcp-client"
 * import { Environment } from "@boocode/mcp-config"
 * import { NodeMcp } from "@boocode/mcp-node"
 * import { Effect, Layer } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const server = yield* McpClient.connect({ url: "http://127.0.0.1:3000/mcp" })
 *   return yield* server.call({ tool: "echo", args: { text: "Hello" } })
 * })
 *
 * const Host = Layer.provideMerge(NodeMcp.layer, Environment.layer(process.env))
 * const result = await Effect.runPromise(Effect.scoped(program).pipe(Effect.provide(Host)))
 * console.log(result["content"]) // [ { type: 'text', text: 'Hello' } ]
 * ```
 */
export const connect = Effect.fnUntraced(function*(
  server: StdioServer | HttpServer
): Effect.fn.Return<Connection, McpErrorReason, Connect.Requirements | Scope.Scope> {
  const clock = yield* Clock.Clock
  const began = clock.currentTimeMillisUnsafe()
  const attempt: Connect.Attempt = {
    step: "",
    elapsed: () => clock.currentTimeMillisUnsafe() - began,
    stderr: () => "",
    said: () => []
  }
  const config = configOf(server)
  // A failed attempt closes by itself what it opened, so that a caller can try again.
  const scope = yield* Scope.fork(yield* Effect.scope)
  const opened = Effect.timeoutOrElse(Connect.open(config, [], attempt), {
    duration: config.startupTimeout,
    orElse: () =>
      Effect.fail(
        new HandshakeTimeout({
          method: attempt.step,
          limitMillis: Duration.toMillis(config.startupTimeout),
          stderr: attempt.stderr(),
          said: attempt.said()
        })
      )
  })
  return yield* Effect.onError(Scope.provide(opened, scope), (cause) => Scope.close(scope, Exit.failCause(cause)))
})

const hidden = (values: Readonly<Record<string, string>> = {}) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Redacted.make(value)]))

const configOf = (server: StdioServer | HttpServer): ServerConfig => ({
  // Most of it is for callers that restart, limit and filter.
  ...DEFAULTS,
  name: server.name ?? "server",
  transport: "command" in server
    ? {
      _tag: "stdio",
      command: server.command,
      args: (server.args ?? []).map((arg) => Redacted.make(arg)),
      env: hidden(server.env),
      cwd: server.cwd ?? ".",
      inheritEnv: []
    }
    : { _tag: "streamableHttp", url: Redacted.make(server.url), headers: hidden(server.headers), mayBeSse: true },
  protocol: server.protocol ?? DEFAULTS.protocol,
  startupTimeout: server.startupTimeout === undefined
    ? DEFAULTS.startupTimeout
    : Duration.fromInputUnsafe(server.startupTimeout),
  maxMessageBytes: server.maxMessageBytes ?? DEFAULTS.maxMessageBytes,
  roots: null,
  pin: "off"
})
