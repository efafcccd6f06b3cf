/** HTTPS as the command line speaks it: whose certificates it believes, and through which proxy it goes. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { createServer as createProxy, type Server } from "node:http"
import { createServer } from "node:https"
import { connect, type Socket } from "node:net"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Command from "./support/Command.ts"

const file = (name: string) => fileURLToPath(new URL(`fixtures/tls/${name}`, import.meta.url))
const VOUCHED = { NODE_EXTRA_CA_CERTS: file("authority.pem") }

const listening = (server: Pick<Server, "listen" | "address" | "close" | "closeAllConnections">) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const started = server.listen(0, "127.0.0.1")
      await once(started, "listening")
      const address = server.address()
      return typeof address === "object" && address !== null ? address.port : assert.fail("no port")
    }),
    () =>
      Effect.sync(() => {
        server.closeAllConnections()
        server.close()
      })
  )

const answers: Readonly<Record<string, object>> = {
  initialize: { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "tls", version: "1" } },
  "tools/list": { tools: [{ name: "echo", inputSchema: { type: "object" } }] }
}

/** An MCP server behind TLS, and the methods it was asked for. */
const secured = Effect.gen(function*() {
  const asked: Array<string> = []
  const server = createServer({ key: readFileSync(file("server.key")), cert: readFileSync(file("server.pem")) })
  server.on("request", async (request, response) => {
    let body = ""
    for await (const chunk of request) body += String(chunk)
    const { id, method = request.method } = body === "" ? {} : JSON.parse(body)
    asked.push(String(method))
    const result = answers[method]
    if (id === undefined) return response.writeHead(request.method === "POST" ? 202 : 405).end()
    const error = result === undefined ? { error: { code: -32601, message: "Method not found" } } : {}
    response.writeHead(200, { "content-type": "application/json" })
    return response.end(JSON.stringify({ jsonrpc: "2.0", id, ...(result === undefined ? error : { result }) }))
  })
  return { asked, port: yield* listening(server) }
})

/** A proxy that leads every tunnel to one port, and where each was asked to lead. */
const tunnels = (port: number) =>
  Effect.gen(function*() {
    const asked: Array<string | undefined> = []
    const open: Array<Socket> = []
    const proxy = createProxy()
    proxy.on("connect", (request, near: Socket) => {
      asked.push(request.url)
      const far = connect(port, "127.0.0.1", () => {
        near.write("HTTP/1.1 200 Connection established\r\n\r\n")
        near.pipe(far).pipe(near)
      })
      for (const socket of [near, far]) open.push(socket.on("error", () => {}))
    })
    yield* Effect.addFinalizer(() => Effect.sync(() => open.forEach((socket) => socket.destroy())))
    return { asked, port: yield* listening(proxy) }
  })

/** What the command line says of a server at this url. */
const statusOf = (url: string, env: Readonly<Record<string, string>>) =>
  Effect.gen(function*() {
    const root = yield* Command.folder({ "mcp.json": JSON.stringify({ mcpServers: { it: { url } } }) })
    const { code, stderr, stdout } = yield* Command.run(["mcp", "list", "--json", "--config", join(root, "mcp.json")], {
      cwd: root,
      env
    })
    assert.strictEqual(code, 0, stderr)
    const [status] = JSON.parse(stdout).servers
    return { state: String(status.state), message: String(status.error?.message) }
  })

describe("Certificates", () => {
  it.live(
    "refuses a server whose certificate nobody vouches for, and sends it nothing (R89)",
    () =>
      Effect.gen(function*() {
        const { asked, port } = yield* secured
        const { message, state } = yield* statusOf(`https://localhost:${port}/mcp`, {})
        assert.strictEqual(state, "failed")
        assert.match(message, /certificate|CERT|SIGNATURE|ISSUER/i)
        assert.deepStrictEqual(asked, [])
      }),
    60_000
  )

  it.live("believes the authorities that NODE_EXTRA_CA_CERTS names (R89)", () =>
    Effect.gen(function*() {
      const { asked, port } = yield* secured
      const { message, state } = yield* statusOf(`https://localhost:${port}/mcp`, VOUCHED)
      assert.strictEqual(state, "ready", message)
      assert.include(asked, "tools/list")
    }))

  it.live(
    "refuses a certificate for another name, also of an authority it believes (R89)",
    () =>
      Effect.gen(function*() {
        const { asked, port } = yield* secured
        const proxy = yield* tunnels(port)
        const env = { ...VOUCHED, HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` }
        const { state } = yield* statusOf("https://other.invalid/mcp", env)
        assert.strictEqual(state, "failed")
        assert.deepStrictEqual(asked, [])
      }),
    60_000
  )

  it.live(
    "goes through the proxy to a server elsewhere, end to end encrypted, and past it to localhost (R89)",
    () =>
      Effect.gen(function*() {
        const { port } = yield* secured
        const proxy = yield* tunnels(port)
        const env = { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`, NO_PROXY: "localhost,127.0.0.1" }
        assert.strictEqual((yield* statusOf("https://mcp.invalid/mcp", env)).state, "failed")
        const elsewhere = yield* statusOf("https://mcp.invalid/mcp", { ...env, ...VOUCHED })
        assert.strictEqual(elsewhere.state, "ready", elsewhere.message)
        assert.deepStrictEqual([...new Set(proxy.asked)], ["mcp.invalid:443"])
        const before = proxy.asked.length
        assert.strictEqual((yield* statusOf(`https://localhost:${port}/mcp`, { ...env, ...VOUCHED })).state, "ready")
        assert.strictEqual(proxy.asked.length, before)
      }),
    120_000
  )
})
