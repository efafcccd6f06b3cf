import { Environment } from "@boocode/mcp-config"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Scope from "effect/Scope"
import { TestClock } from "effect/testing"
import * as JsonRpc from "../src/base/JsonRpc.ts"
import { McpClient, McpFetch, ProcessTree, type Program, type ProgramListener, Programs } from "../src/index.ts"
import "../src/connect/HttpConnect.ts"

/** A host with one program and one web, and everything that happened to them, in order. */
const host = (answer: (message: JsonRpc.Message) => object | null) => {
  const log: Array<string> = []
  let listener: ProgramListener | null = null
  let isRunning = false
  const exit = (exitCode = 0) => {
    isRunning = false
    listener?.ended("output")
    listener?.ended("errors")
    listener?.exited({ exitCode, signal: null })
  }
  const program: Program = {
    pid: 7,
    listen: (next) =>
      Effect.sync(() => {
        listener = next
      }),
    write: (text) => {
      for (const line of text.trimEnd().split("\n")) {
        const message = JsonRpc.parse(line)
        const reply = message === null ? null : answer(message)
        if (reply !== null) listener?.wrote("output", new TextEncoder().encode(`${JSON.stringify(reply)}\n`))
      }
      return true
    },
    isWritable: () => isRunning,
    end: () => {
      log.push("end of input")
      queueMicrotask(() => exit())
    },
    pause: () => {},
    resume: () => {},
    soon: (work) => queueMicrotask(work)
  }
  const started = Effect.sync(() => {
    isRunning = true
    log.push("start")
    return program
  })
  const fetch: typeof globalThis.fetch = (_, init) => {
    const message = typeof init?.body === "string" ? JsonRpc.parse(init.body) : null
    const reply = message === null ? null : answer(message)
    log.push(String(message?.["method"] ?? init?.method))
    if (message !== null && reply === null) {
      init?.signal?.addEventListener("abort", () => void log.push("hung up"))
      return new Promise(() => {})
    }
    const headers = { "content-type": "application/json", "mcp-session-id": "s" }
    return Promise.resolve(new Response(reply === null ? null : JSON.stringify(reply), { headers }))
  }
  const layer = Layer.mergeAll(
    Layer.succeed(Programs, {
      start: () => Effect.acquireRelease(started, () => Effect.sync(() => void log.push("released")))
    }),
    Layer.succeed(ProcessTree, {
      mark: Effect.succeed("mark"),
      watch: () => Effect.void,
      note: () => Effect.void,
      alive: () => Effect.sync(() => isRunning ? 1 : 0),
      signal: (_, signal) => Effect.sync(() => void log.push(signal))
    }),
    McpFetch.layer(fetch),
    Layer.succeed(Environment, { variables: {}, files: [], refresh: Effect.void }),
    FileSystem.layerNoop({ exists: () => Effect.succeed(true) }),
    Path.layer
  )
  return { layer, log, exit }
}

const STDIO: McpClient.StdioServer = { command: "/bin/server", protocol: "legacy" }
const HTTP: McpClient.HttpServer = { url: "https://mcp.example/mcp", protocol: "legacy" }

/** What connecting fails with, and what happened until then, while the scope of the caller is still open. */
const failed = Effect.fnUntraced(
  function*(server: McpClient.StdioServer | McpClient.HttpServer, answer: Parameters<typeof host>[0]) {
    const { layer, log } = host(answer)
    const scope = yield* Scope.make()
    const connecting = yield* Effect.forkChild(
      McpClient.connect(server).pipe(Scope.provide(scope), Effect.provide(layer), Effect.flip)
    )
    // HTTP is loaded with the first server that has a URL.
    while (log.length === 0) yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
    yield* TestClock.adjust("30 seconds")
    const { _tag } = yield* Fiber.join(connecting)
    const before = [...log]
    yield* Scope.close(scope, Exit.void)
    assert.deepStrictEqual(log, before, "the scope of the caller had something left to close")
    return { _tag, log }
  }
)

const refusing = ({ id, method }: JsonRpc.Message) =>
  method === "initialize" ? { jsonrpc: "2.0", id, error: { code: -32000, message: "no" } } : null

describe("McpClient.connect", () => {
  it.effect("ends the program whose handshake failed, before it fails", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* failed(STDIO, refusing), {
        _tag: "HandshakeFailed",
        log: ["start", "end of input", "released"]
      })
    }))

  it.effect("ends the program that says nothing within startupTimeout, before it fails", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* failed(STDIO, () => null), {
        _tag: "HandshakeTimeout",
        log: ["start", "end of input", "released"]
      })
    }))

  it.effect("ends the session of a server whose revision is unknown, before it fails", () =>
    Effect.gen(function*() {
      const result = { protocolVersion: "1999-01-01", capabilities: {}, serverInfo: { name: "old", version: "1" } }
      const answer = ({ id, method }: JsonRpc.Message) =>
        method === "initialize" ? { jsonrpc: "2.0", id, result } : null
      assert.deepStrictEqual(yield* failed(HTTP, answer), {
        _tag: "ProtocolMismatch",
        log: ["initialize", "DELETE"]
      })
    }))

  it.effect("hangs up on a server that does not answer within startupTimeout, before it fails", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* failed(HTTP, () => null), {
        _tag: "HandshakeTimeout",
        log: ["initialize", "hung up"]
      })
    }))

  it.effect("says how the program ended that died during a call, and of a later call that it was not sent", () =>
    Effect.gen(function*() {
      const result = { protocolVersion: "2025-11-25", capabilities: {}, serverInfo: { name: "s", version: "1" } }
      const machine = host(({ id, method }) => {
        if (method === "tools/call") queueMicrotask(() => machine.exit(3))
        return method === "initialize" ? { jsonrpc: "2.0", id, result } : null
      })
      const { after, during } = yield* Effect.gen(function*() {
        const client = yield* McpClient.connect(STDIO)
        const call = Effect.flip(client.call({ tool: "crash", args: {} }))
        const during = yield* call
        return { during, after: yield* call }
      }).pipe(Effect.scoped, Effect.provide(machine.layer))
      assert.strictEqual(during._tag, "Exited")
      assert.include(during.message, "the server exited with code 3")
      assert.deepInclude(after, { _tag: "ConnectionLost", unsent: true })
      assert.include(after.message, "the server exited with code 3")
    }))
})
