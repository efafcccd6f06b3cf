import { assert, describe, it } from "@effect/vitest"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import * as Effect from "effect/Effect"
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import { once } from "node:events"
import { createInterface } from "node:readline"
import * as Deadline from "./support/Deadline.ts"
import * as FixtureServer from "./support/FixtureServer.ts"
import * as Processes from "./support/Processes.ts"

interface Answer {
  readonly id?: number
  readonly method?: string
  readonly result?: Record<string, unknown>
  readonly error?: { readonly code: number }
}

const MARK = "BOOCODE_FIXTURE_TEST"

/** A fixture server as a bare process; it is killed when the scope closes. */
const started = (name: FixtureServer.FixtureName, ...args: ReadonlyArray<string>) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const { command, args: all } = FixtureServer.entry(name, ...args)
      return spawn(command, all)
    }),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )

const ask = (child: ChildProcessWithoutNullStreams, id: number, method: string, params: object = {}) =>
  child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`)

const callTool = (child: ChildProcessWithoutNullStreams, id: number, name: string, args: object, _meta: object = {}) =>
  ask(child, id, "tools/call", { name, arguments: args, _meta })

const isJsonRpc = (value: unknown): value is Answer => typeof value === "object" && value !== null && "jsonrpc" in value

/** Ends the input, once `last` is answered if it is given, and gives every line that is JSON-RPC, sorted by id. */
const answers = (child: ChildProcessWithoutNullStreams, last: number | null = null) =>
  Effect.promise(async () => {
    const found: Array<Answer> = []
    if (last === null) child.stdin.end()
    for await (const line of createInterface({ input: child.stdout })) {
      const value: unknown = line.startsWith("{") && line.endsWith("}") ? JSON.parse(line) : null
      if (isJsonRpc(value)) found.push(value)
      if (last !== null && found.at(-1)?.id === last) child.stdin.end()
    }
    return found.sort((one, other) => (one.id ?? 0) - (other.id ?? 0))
  })

const textOf = (answer: Answer | undefined) => JSON.stringify(answer?.result?.["content"])
const client = () => new Client({ name: "test", version: "0" })

describe("Fixture servers", () => {
  it.live("Echo answers the handshake of 2025-11-25 and refuses server/discover", () =>
    Effect.gen(function*() {
      const child = yield* started("Echo")
      ask(child, 1, "server/discover")
      ask(child, 2, "initialize", { protocolVersion: "2025-11-25" })
      ask(child, 3, "tools/list")
      callTool(child, 4, "add", { a: 1, b: 2 })
      callTool(child, 5, "nothing", {})
      const [discover, initialize, list, add, nothing] = yield* answers(child)
      assert.strictEqual(discover?.error?.code, -32601)
      assert.strictEqual(initialize?.result?.["protocolVersion"], "2025-11-25")
      assert.include(JSON.stringify(list?.result), "\"annotations\":{\"readOnlyHint\":false}")
      assert.strictEqual(textOf(add), "[{\"type\":\"text\",\"text\":\"3\"}]")
      assert.strictEqual(nothing?.error?.code, -32602)
    }))

  it.live("Echo reports progress, and answers nothing once it is cancelled", () =>
    Effect.gen(function*() {
      const child = yield* started("Echo")
      callTool(child, 2, "sleep", { millis: 100 })
      const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 2 } }
      child.stdin.write(`${JSON.stringify(cancelled)}\n`)
      callTool(child, 1, "sleep", { millis: 1000 }, { progressToken: "p" })
      const all = yield* answers(child, 1)
      assert.strictEqual(all.filter(({ method }) => method === "notifications/progress").length, 4)
      assert.deepStrictEqual(all.flatMap(({ id }) => id ?? []), [1])
    }))

  it.live("Echo ends with code 3 and a last word when it crashes", () =>
    Effect.gen(function*() {
      const child = yield* started("Echo")
      callTool(child, 1, "crash", {})
      const word = yield* Effect.promise(() => once(child.stderr, "data"))
      assert.include(String(word[0]), "crashing")
      if (child.exitCode === null) yield* Effect.promise(() => once(child, "exit"))
      assert.strictEqual(child.exitCode, 3)
    }))

  it.live("Replay offers recorded tools page by page, null annotations as they were", () =>
    Effect.gen(function*() {
      const child = yield* started("Replay", "--page", "10", "git", "time")
      ask(child, 1, "tools/list")
      ask(child, 2, "tools/list", { cursor: "10" })
      callTool(child, 3, "git_status", { repo_path: "." })
      const [first, second, status] = yield* answers(child)
      assert.strictEqual(first?.result?.["nextCursor"], "10")
      assert.isUndefined(second?.result?.["nextCursor"])
      const names = [first, second].flatMap((page) => page?.result?.["tools"])
      assert.strictEqual(names.length, 15)
      assert.include(JSON.stringify(first), "\"annotations\":null")
      assert.include(textOf(status), "git_status {\\\"repo_path\\\":\\\".\\\"}")
    }))

  it.live("NonJson answers amid lines that are no JSON-RPC", () =>
    Effect.gen(function*() {
      const child = yield* started("NonJson")
      callTool(child, 1, "echo", { text: "hi" })
      const all = yield* answers(child)
      assert.deepStrictEqual(all.map(textOf), ["[{\"type\":\"text\",\"text\":\"hi\"}]"])
    }))

  it.live("Modern is negotiated as 2026-07-28", () =>
    Effect.promise(async () => {
      const modern = new Client({ name: "test", version: "0" }, { versionNegotiation: { mode: "auto" } })
      await modern.connect(new StdioClientTransport(FixtureServer.entry("Modern")))
      const era = await modern.callTool({ name: "era", arguments: {} })
      const sum = await modern.callTool({ name: "add", arguments: { a: 2, b: 3 } })
      await modern.close()
      assert.deepStrictEqual(era.content, [{ type: "text", text: "modern" }])
      assert.deepStrictEqual(sum.structuredContent, { sum: 5 })
    }))

  it.live("Http echoes in a session, counts, and can forget its sessions", () =>
    Effect.gen(function*() {
      const child = yield* started("Http")
      yield* Effect.promise(async () => {
        const [port] = await once(child.stdout.setEncoding("utf8"), "data")
        const root = `http://127.0.0.1:${String(port).trim()}`
        const transport = new StreamableHTTPClientTransport(new URL(`${root}/mcp`))
        const http = client()
        await http.connect(transport)
        const echoed = await http.callTool({ name: "echo", arguments: { text: "hi" } })
        await transport.terminateSession()
        await http.close()
        const counters = await (await fetch(`${root}/counters`)).json()
        assert.deepStrictEqual(echoed.content, [{ type: "text", text: "hi" }])
        assert.deepInclude(counters, { calls: 1, deletes: 1, sessionsOpened: 1, sessionsClosed: 1, sessionsOpen: 0 })
        const again = client()
        await again.connect(new StreamableHTTPClientTransport(new URL(`${root}/mcp`)))
        await fetch(`${root}/forget`, { method: "POST" })
        const failed = await again.callTool({ name: "echo", arguments: { text: "hi" } }).catch(() => "refused")
        assert.strictEqual(failed, "refused")
        await again.close()
      })
    }))

  it.live.each([{ where: "in its group", args: [] }, { where: "outside it", args: ["--detach"] }])(
    "Stubborn and its grandchild $where outlive the bare SDK's close (R1)",
    ({ args }) =>
      Effect.gen(function*() {
        const mark = randomUUID()
        yield* Effect.addFinalizer(() => Processes.killAll(MARK, mark))
        yield* Effect.promise(async () => {
          const stubborn = client()
          const entry = FixtureServer.entry("Stubborn", ...args)
          await stubborn.connect(new StdioClientTransport({ ...entry, env: { [MARK]: mark } }))
          await stubborn.callTool({ name: "pids", arguments: {} })
          assert.strictEqual(Processes.alive(MARK, mark).length, 2)
          await stubborn.close()
        })
        const left = yield* Processes.leftAfter(MARK, mark, 300)
        assert.isAtLeast(left.length, 1)
        assert.include(left[0]?.command, "Stubborn.ts")
        yield* Processes.killAll(MARK, mark)
        assert.deepStrictEqual(yield* Processes.leftAfter(MARK, mark, Deadline.GONE_MILLIS), [])
      }),
    20_000
  )
})
