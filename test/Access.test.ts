/** Access to a chat server that other machines can reach, and the addresses of MCP servers that its clients may add. */
import { GuardedFetch } from "@boocode/mcp-node"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFileSync, statSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as AppCommand from "./support/AppCommand.ts"
import * as AppServer from "./support/AppServer.ts"
import * as ChatServer from "./support/ChatServer.ts"
import * as Command from "./support/Command.ts"
import * as HttpWays from "./support/HttpWays.ts"
import * as RawRequest from "./support/RawRequest.ts"

const TOKEN = "a-token-for-this-test-alone"
const NAMES = fileURLToPath(new URL("support/ScriptedNames.ts", import.meta.url))

/** A data folder; its state lies beside it. */
const place = Effect.fnUntraced(function*(files: Readonly<Record<string, string>> = {}) {
  const folder = yield* Command.folder({ "data/mcp.json": "{ \"mcpServers\": {} }\n", ...files })
  return { data: join(folder, "data"), state: join(folder, "state"), folder }
})

/** A server that every address of this machine reaches. */
const reachable = (data: string, env: Readonly<Record<string, string>> = { BOOCODE_TOKEN: TOKEN }) =>
  Effect.map(AppServer.start(data, env, { host: "0.0.0.0" }), reached)

/** The same with a process of its own, in which names mean what the test says. */
const naming = (data: string, names: Readonly<Record<string, ReadonlyArray<string>>>) => {
  const env = {
    BOOCODE_TOKEN: TOKEN,
    NODE_OPTIONS: `--disable-warning=ExperimentalWarning --import ${NAMES}`,
    SCRIPTED_NAMES: JSON.stringify(names)
  }
  return Effect.map(ChatServer.start(data, env, ["--host", "0.0.0.0"]), reached)
}

const reached = (server: ChatServer.ChatServer) => {
  const url = server.url.replace("0.0.0.0", "127.0.0.1")
  const headers = { authorization: `Bearer ${TOKEN}` }
  return {
    ...server,
    url,
    ask: (path: string, options: RawRequest.Options = {}) => RawRequest.ask(`${url}${path}`, options),
    as: (path: string, body?: unknown, method?: string) =>
      RawRequest.ask(`${url}${path}`, {
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...(method === undefined ? {} : { method })
      })
  }
}

const until = <A>(ask: Effect.Effect<A>, isThere: (answer: A) => boolean) => ChatServer.until(ask, isThere)

describe.concurrent("a server that others can reach", () => {
  it.live(
    "makes a token at its first start, prints it that once, keeps it for its owner, and lets commands of its machine in",
    () =>
      Effect.gen(function*() {
        const { data, state } = yield* place()
        const file = join(state, "token")
        const token = yield* Effect.scoped(Effect.gen(function*() {
          const server = yield* reachable(data, {})
          yield* until(Effect.sync(server.stdout), (text) => text.includes("log in"))
          const kept = readFileSync(file, "utf8").trim()
          assert.match(kept, /^[\w-]{32}$/)
          assert.include(server.stdout(), `log in with the token ${kept}`)
          assert.strictEqual(statSync(file).mode & 0o777, 0o600)
          assert.strictEqual((yield* server.ask("/api/tools")).status, 401)
          const headers = { authorization: `Bearer ${kept}` }
          assert.strictEqual((yield* server.ask("/api/tools", { headers })).status, 200)
          const list = (env: Readonly<Record<string, string>>, ...more: ReadonlyArray<string>) =>
            AppCommand.run(["mcp", "list", "--json", ...more], { env, cwd: data })
          const own = { BOOCODE_STATE_DIR: state }
          assert.strictEqual((yield* list(own, "--data", data)).code, 0)
          const stranger = yield* list({}, "--url", server.url)
          assert.strictEqual(stranger.code, 1)
          assert.strictEqual(JSON.parse(stranger.stdout).error._tag, "TokenNeeded")
          assert.strictEqual((yield* list({}, "--url", server.url, "--token", kept)).code, 0)
          const wrong = yield* list({}, "--url", server.url, "--token", "wrong-wrong-wrong")
          assert.strictEqual(JSON.parse(wrong.stdout).error._tag, "WrongToken")
          assert.notInclude(server.stderr(), kept)
          assert.strictEqual(yield* server.end("SIGTERM", "process"), 0)
          return kept
        }))
        const again = yield* reachable(data, {})
        yield* until(Effect.sync(again.stdout), (text) => text.includes("log in"))
        assert.include(again.stdout(), file)
        assert.notInclude(again.stdout() + again.stderr(), token)
        const headers = { authorization: `Bearer ${token}` }
        for (const path of ["/metrics", "/api/settings", "/api/health", "/api/openapi.json"]) {
          assert.notInclude((yield* again.ask(path, { headers })).text, token, path)
        }
      }),
    90_000
  )

  it.live(
    "lets a browser in by its cookie, streams included, until it logs out; wrong tokens have to wait",
    () =>
      Effect.gen(function*() {
        const { data } = yield* place()
        const server = yield* reachable(data)
        const login = (token: string) => server.ask("/api/login", { body: JSON.stringify({ token }) })
        const [set = ""] = [(yield* login(TOKEN)).headers["set-cookie"] ?? []].flat()
        const headers = { cookie: set.split(";")[0] ?? "" }
        assert.notInclude(set, TOKEN)
        assert.strictEqual((yield* server.ask("/api/tools", { headers })).status, 200)
        const stream = yield* RawRequest.listen(`${server.url}/api/events`, headers)
        assert.strictEqual(stream.state.status, 200)
        assert.strictEqual((yield* RawRequest.listen(`${server.url}/api/events`)).state.status, 401)
        const wrong = yield* Effect.forEach(Array.from({ length: 12 }), () => login("not-the-token-at-all"))
        assert.deepStrictEqual(wrong.map(({ status }) => status), [...Array(10).fill(401), 429, 429])
        assert.isAtLeast(Number(wrong[11]?.headers["retry-after"]), 1)
        assert.strictEqual((yield* login(TOKEN)).status, 204)
        assert.strictEqual((yield* server.ask("/api/tools", { headers })).status, 200)
        assert.strictEqual((yield* server.ask("/api/logout", { method: "POST", headers })).status, 204)
        assert.strictEqual((yield* server.ask("/api/tools", { headers })).status, 401)
        const foreign = yield* server.ask("/", { headers: { host: "evil.example" } })
        assert.strictEqual(foreign.status, 403)
      }),
    60_000
  )

  it.live(
    "does not start with a token that could be guessed, or with none that can be kept",
    () =>
      Effect.gen(function*() {
        const { data, folder } = yield* place({ "file": "" })
        const serve = (env: Readonly<Record<string, string>>) =>
          AppCommand.run(["serve", "--data", data, "--port", "0", "--host", "0.0.0.0"], { env, cwd: data })
        const short = yield* serve({ BOOCODE_TOKEN: "short" })
        assert.strictEqual(short.code, 1)
        assert.match(short.stderr, /BOOCODE_TOKEN is shorter than 16 characters/)
        const nowhere = yield* serve({ BOOCODE_STATE_DIR: join(folder, "file", "state") })
        assert.strictEqual(nowhere.code, 1)
      }),
    60_000
  )

  it.live(
    "R77: refuses servers whose names lead to this machine, and those that would run a program, and writes none of them",
    () =>
      Effect.gen(function*() {
        const { data } = yield* place()
        const target = yield* HttpWays.serve("stateless")
        const server = yield* naming(data, { "mcp.test": ["127.0.0.1"], "six.test": ["::1"] })
        const add = (entry: unknown) => server.as("/api/mcp/servers", { name: "added", entry })
        const before = readFileSync(join(data, "mcp.json"), "utf8")
        for (
          const host of [
            ...["mcp.test", "mcp.test.", "six.test", "localhost", "127.0.0.1", "127.1", "2130706433", "0x7f000001"],
            ...["017700000001", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "0.0.0.0", "169.254.169.254"],
            ...["[fd00:ec2::254]", "10.0.0.1", "192.168.1.1", "100.64.0.1"]
          ]
        ) {
          const { body, status } = yield* add({ url: `http://${host}:${target.port}/mcp` })
          assert.strictEqual(status, 403, host)
          assert.strictEqual(body["_tag"], "NotOverHttp", host)
          assert.include(String(body["hint"]), "privateAddresses")
        }
        for (
          const entry of [
            { command: "touch", args: [join(data, "proof")] },
            { url: "https://mcp.example.com", headersHelper: "echo" },
            { url: "https://mcp.example.com", headers: { authorization: "Bearer ${OPENAI_API_KEY}" } },
            { url: "https://$HOME.example.com" }
          ]
        ) {
          assert.strictEqual((yield* add(entry)).status, 403, JSON.stringify(entry))
        }
        assert.strictEqual((yield* add({ url: "ftp://mcp.test" })).status, 400)
        assert.strictEqual((yield* add({ url: "https://nowhere.invalid/" })).body["_tag"], "UnknownHost")
        const change = yield* server.as("/api/settings", { privateAddresses: ["127.0.0.0/8"] }, "PATCH")
        assert.strictEqual(change.status, 403)
        assert.strictEqual(readFileSync(join(data, "mcp.json"), "utf8"), before)
        assert.strictEqual((yield* target.counters)["initialize"] ?? 0, 0)
      }),
    90_000
  )

  it.live(
    "R77: refuses at the connection a name that changed its meaning since it was looked at, also after a restart",
    () =>
      Effect.gen(function*() {
        const { data } = yield* place()
        const target = yield* HttpWays.serve("stateless")
        yield* Effect.scoped(Effect.gen(function*() {
          const server = yield* naming(data, { "rebinding.test": ["93.184.216.34", "127.0.0.1"] })
          const { body, status } = yield* server.as("/api/mcp/servers", {
            name: "rebinding",
            entry: { url: `http://rebinding.test:${target.port}/mcp`, startupTimeout: "1 minute" }
          })
          assert.strictEqual(status, 201, JSON.stringify(body))
          assert.strictEqual(body["state"], "failed")
          assert.match(JSON.stringify(body["error"]), /public addresses only/)
          assert.include(JSON.stringify(body["error"]), "privateAddresses")
        }))
        assert.include(readFileSync(join(data, "mcp.json"), "utf8"), "\"publicOnly\": true")
        const again = yield* naming(data, { "rebinding.test": ["127.0.0.1"] })
        const { body } = yield* until(
          again.as("/api/mcp/servers"),
          ({ text }) => text.includes("public addresses only")
        )
        assert.match(JSON.stringify(body), /public addresses only/)
        const counted = Object.entries(yield* target.counters).filter(([, count]) => count > 0)
        assert.deepStrictEqual(counted, [])
      }),
    90_000
  )

  it.live(
    "R77: connects to the same entry when the settings allow its name, and to what a person wrote into the file",
    () =>
      Effect.gen(function*() {
        const target = yield* HttpWays.serve("stateless")
        const byHand = JSON.stringify({ mcpServers: { hand: HttpWays.entryOf(target) } })
        const { data } = yield* place({
          "data/mcp.json": byHand,
          "data/settings.json": JSON.stringify({ privateAddresses: ["mcp.test"] })
        })
        const server = yield* naming(data, { "mcp.test": ["127.0.0.1"] })
        const { body, status } = yield* server.as("/api/mcp/servers", {
          name: "added",
          entry: { url: `http://mcp.test:${target.port}/mcp` }
        })
        assert.strictEqual(status, 201, JSON.stringify(body))
        assert.strictEqual(body["state"], "ready", JSON.stringify(body["error"]))
        const list = yield* until(
          server.as("/api/mcp/servers"),
          ({ text }) => (text.match(/"state":"ready"/g) ?? []).length === 2
        )
        assert.strictEqual((list.text.match(/"state":"ready"/g) ?? []).length, 2, list.text)
        assert.strictEqual((yield* server.as("/api/mcp/servers/added", undefined, "DELETE")).status, 204)
        assert.deepStrictEqual(JSON.parse(readFileSync(join(data, "mcp.json"), "utf8")), JSON.parse(byHand))
      }),
    90_000
  )
})

/** Answers every request with a redirect, or nothing at all, and counts them. */
const answering = (location: string | null) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly port: number; readonly count: () => number; readonly close: () => void }>((resume) => {
      let count = 0
      const server = createServer((_, response) => {
        count += 1
        response.writeHead(location === null ? 200 : 302, location === null ? {} : { location }).end()
      })
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const port = typeof address === "object" ? address?.port ?? 0 : 0
        resume(Effect.succeed({ port, count: () => count, close: () => server.close() }))
      })
    }),
    ({ close }) => Effect.sync(close)
  )

describe("GuardedFetch", () => {
  it.live("R77: judges where a redirect leads, and connects to nothing that it refuses", () =>
    Effect.gen(function*() {
      const inner = yield* answering(null)
      const outer = yield* answering(`http://localhost:${inner.port}/`)
      const judged: Array<string> = []
      const { fetch } = yield* GuardedFetch.make((host, addresses) => {
        judged.push(`${host} ${addresses.length > 0}`)
        return host === "127.0.0.1" ? null : "not there"
      })
      const error = yield* Effect.flip(Effect.tryPromise(() => fetch(`http://127.0.0.1:${outer.port}/`)))
      assert.match(String(Object(error.cause).cause), /not there/)
      assert.deepStrictEqual(judged, ["127.0.0.1 true", "localhost true"])
      assert.deepStrictEqual([outer.count(), inner.count()], [1, 0])
    }))
})
