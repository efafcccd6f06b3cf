import { ProtocolMemory } from "@boocode/mcp-registry"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { connect, createServer } from "node:net"
import { join } from "node:path"
import * as Command from "./support/Command.ts"
import * as Deadline from "./support/Deadline.ts"
import * as Zoo from "./support/Zoo.ts"

const EVERYTHING = join(Command.CHECKOUT, "test/node_modules/.bin/mcp-server-everything")

const freePort = Effect.promise(async () => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  server.close()
  return typeof address === "object" && address !== null ? address.port : assert.fail("no port")
})

const connected = (port: number) =>
  Effect.tryPromise(async () => {
    const socket = connect(port, "127.0.0.1")
    await once(socket, "connect")
    socket.destroy()
  })

/** The published server over HTTP+SSE, until the scope closes. */
const everything = Effect.gen(function*() {
  const port = yield* freePort
  yield* Effect.acquireRelease(
    Effect.promise(async () => {
      const child = spawn(EVERYTHING, ["sse"], {
        env: { ...process.env, PORT: String(port) },
        stdio: ["ignore", "ignore", "pipe"]
      })
      await once(child.stderr, "data")
      return child
    }),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )
  // What it says at its start comes before it listens.
  yield* Effect.retry(
    connected(port),
    Schedule.spaced("50 millis").pipe(Schedule.upTo({ duration: `${Deadline.WAIT_MILLIS} millis` }))
  )
  return `http://127.0.0.1:${port}/sse`
})

const used = (registry: Zoo.Registry) =>
  Effect.gen(function*() {
    yield* registry.settled
    const status = yield* registry.server("it")
    assert.strictEqual(status.state, "ready", status.error?.message)
    assert.isAbove(status.tools, 5)
    const { content } = yield* registry.call("it_echo", { message: "over the stream" })
    assert.include(JSON.stringify(content), "over the stream")
    return status.steps.map(({ step }) => step)
  })

describe("A published server of revision 2024-11-05", Deadline.TEST, () => {
  it.live("is reached by an entry that says so", () =>
    Effect.gen(function*() {
      const url = yield* everything
      const steps = yield* Zoo.withRegistry({ it: { url, type: "sse" } }, ({ registry }) => used(registry))
      assert.deepStrictEqual(steps, ["start", "initialize", "tools/list"])
    }))

  it.live("is reached by an entry that has only its url, and remembered for the next time (R84)", () =>
    Effect.gen(function*() {
      const url = yield* everything
      const file = join(yield* Command.folder({}), "protocols.json")
      const remembering = ProtocolMemory.layerFile(file).pipe(Layer.provide(NodeServices.layer))
      const steps = Zoo.withRegistry({ it: { url } }, ({ registry }) => used(registry)).pipe(
        Effect.provide(remembering)
      )
      assert.deepStrictEqual(yield* steps, [
        "start",
        "server/discover",
        "initialize",
        "initialize over HTTP+SSE",
        "tools/list"
      ])
      assert.include(readFileSync(file, "utf8"), `"era":"sse"`)
      assert.deepStrictEqual(yield* steps, ["start", "initialize over HTTP+SSE", "tools/list"])
    }))

  it.live("is not reached by an entry that names another transport (R84)", () =>
    Effect.gen(function*() {
      const url = yield* everything
      yield* Zoo.withRegistry({ it: { url, type: "streamableHttp" } }, ({ registry }) =>
        Effect.gen(function*() {
          yield* registry.settled
          assert.strictEqual((yield* registry.server("it")).error?._tag, "HttpStatus")
        }))
    }))
})
