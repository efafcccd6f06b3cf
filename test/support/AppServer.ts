/**
 * The real chat server in the process of the test, which has its modules already: to start one of its own takes half a second
 * of a processor. For tests that look at nothing of the server's process; `ChatServer` has the same for the others.
 */
import { App, Signals } from "@boocode/chat-server"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert } from "@effect/vitest"
import * as Console from "effect/Console"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Scope from "effect/Scope"
import { join } from "node:path"
import { format } from "node:util"
import * as ChatServer from "./ChatServer.ts"

/** Starts it as `boocode serve` does. It ends when it is told to, in good order, or when the scope closes. */
export const start = (
  data: string,
  env: Readonly<Record<string, string>> = {},
  { host = "127.0.0.1", model = null, port = 0 }: {
    readonly host?: string
    readonly model?: string | null
    readonly port?: number
  } = {}
): Effect.Effect<ChatServer.ChatServer, never, Scope.Scope> =>
  Effect.gen(function*() {
    const seen = { stdout: "", stderr: "" }
    const print = (stream: keyof typeof seen) => (...words: ReadonlyArray<unknown>) => {
      seen[stream] += `${format(...words)}\n`
    }
    const scope = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
    const app = yield* App.layer({
      host,
      port,
      dataDir: data,
      configFile: null,
      model,
      logLevel: null,
      variables: { PATH: process.env["PATH"], HOME: data, BOOCODE_STATE_DIR: join(data, "..", "state"), ...env }
    }).pipe(
      Layer.provideMerge(Signals.layerNone),
      Layer.provide(NodeServices.layer),
      Layer.provide(Layer.succeed(Logger.LogToStderr, true)),
      Layer.provide(Layer.succeed(Console.Console, { ...console, log: print("stdout"), error: print("stderr") })),
      Layer.buildWithScope(scope),
      Effect.orDie
    )
    const url = HttpServer.formatAddress(Context.get(app, HttpServer.HttpServer).address)
    return {
      ...ChatServer.requests(url),
      url,
      pid: process.pid,
      stdout: () => seen.stdout,
      stderr: () => seen.stderr,
      end: (signal) => {
        assert.strictEqual(signal, "SIGTERM", "another signal needs a process")
        return Effect.as(Scope.close(scope, Exit.void), 0)
      }
    }
  })
