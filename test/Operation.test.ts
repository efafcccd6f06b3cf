/** Running the chat server day after day: figures, logs, limits, settings, servers that come and go, and its end. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import { existsSync, readFileSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import * as AppServer from "./support/AppServer.ts"
import * as ChatServer from "./support/ChatServer.ts"
import { data as folder } from "./support/CliFolder.ts"
import * as Command from "./support/Command.ts"
import * as Deadline from "./support/Deadline.ts"
import * as FixtureServer from "./support/FixtureServer.ts"
import * as RawRequest from "./support/RawRequest.ts"
import * as Zoo from "./support/Zoo.ts"

/** The end of the server is promised within so much. */
const END_MILLIS = 10_000

const settled = (server: ChatServer.ChatServer) =>
  ChatServer.until(server.get("/api/health"), ({ body }) => body["ready"] === true)

const empty = (files: Readonly<Record<string, string>> = {}) =>
  Effect.map(Command.folder({ "data/mcp.json": "{}", ...files }), (root) => join(root, "data"))

const metrics = ({ url }: ChatServer.ChatServer) => Effect.map(RawRequest.ask(`${url}/metrics`), ({ text }) => text)

/** The value of a sample; null when there is none. */
const sample = (text: string, name: string): number | null => {
  const line = text.split("\n").find((one) => one.startsWith(`${name} `))
  return line === undefined ? null : Number(line.slice(name.length + 1))
}

/** Starts a chat, and a turn in it that would go on for a minute; gives its stream. */
const longTurn = Effect.fnUntraced(function*(server: ChatServer.ChatServer) {
  const { body } = yield* server.post("/api/chats")
  const text = "/slow_slow {\"millis\": 60000}"
  const turn = yield* Effect.forkChild(server.stream(`/api/chats/${String(body["id"])}/messages`, { text }), {
    startImmediately: true
  })
  yield* ChatServer.until(metrics(server), (now) => sample(now, "boocode_turns_running") === 1)
  return { turn, id: String(body["id"]) }
})

const SETTINGS =
  "{\n  // as quiet as can be\n  \"logLevel\": \"error\", // really\n  \"token\": \"a-token-that-is-long\"\n}\n"
const SERVERS = "{\n  // mine\n  \"mcpServers\": {\n    \"off\": { \"command\": \"x\", \"enabled\": false }\n  }\n}\n"

const scope = Scope.makeUnsafe()
/** One for the tests that end it in no way: each has connections, chats and a file of its own. */
let shared: { readonly data: string; readonly server: ChatServer.ChatServer }

beforeAll(async () => {
  const starting = Effect.gen(function*() {
    const data = yield* empty({ "data/settings.json": SETTINGS, "data/mcp.json": SERVERS })
    return { data, server: yield* AppServer.start(data) }
  })
  shared = await Effect.runPromise(Scope.provide(starting, scope))
})

afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

describe.concurrent("the chat server in operation", Deadline.TEST, () => {
  it("makes the workspace of a data folder that has none", () => {
    assert.isTrue(existsSync(join(shared.data, "workspace")))
  })

  it.live(
    "tells Prometheus about requests, servers, tool calls, turns, streams and itself, and nothing of what was said",
    () =>
      Effect.gen(function*() {
        const place = yield* folder({}, { mirror: FixtureServer.entry("Echo") })
        const server = yield* ChatServer.start(place.data)
        yield* settled(server)
        yield* server.post("/api/tools/mirror_echo/call", { args: { text: "a-secret-text" } })
        yield* server.post("/api/tools/mirror_fail/call", {})
        const { body } = yield* server.post("/api/chats")
        yield* server.stream(`/api/chats/${String(body["id"])}/messages`, {
          text: "/mirror_echo {\"text\":\"hidden\"}"
        })
        yield* RawRequest.listen(`${server.url}/api/events`)
        const text = yield* metrics(server)
        const samples = {
          "mcp_servers{state=\"failed\"}": 2,
          "mcp_tool_calls_total{server=\"mirror\",tool=\"echo\",outcome=\"ok\"}": 2,
          "mcp_tool_calls_total{server=\"mirror\",tool=\"fail\",outcome=\"tool-error\"}": 1,
          "mcp_tool_calls_in_flight{server=\"mirror\"}": 0,
          "mcp_server_tools{server=\"files\"}": 4,
          "mcp_server_restarts_total{server=\"mirror\"}": 0,
          "boocode_turns_running": 0,
          "boocode_turns_total{reason=\"stop\"}": 1,
          "boocode_turn_duration_seconds_count": 1,
          "boocode_event_streams": 1,
          "boocode_http_requests_total{method=\"POST\",route=\"/api/chats\",status=\"201\"}": 1,
          "boocode_http_requests_total{method=\"POST\",route=\"/api/tools/:name/call\",status=\"200\"}": 2
        }
        for (const [name, value] of Object.entries(samples)) assert.strictEqual(sample(text, name), value, name)
        assert.match(
          text,
          /^mcp_client_operation_duration_seconds_count\{boocode_server="mirror",.*gen_ai_tool_name="echo"\} 2$/m
        )
        assert.isAbove(sample(text, "process_resident_memory_bytes") ?? 0, 1e7)
        assert.include(text, "# TYPE process_cpu_seconds_total counter")
        const [cpu = 0, later = 0] = [text, yield* metrics(server)].map((one) =>
          sample(one, "process_cpu_seconds_total") ?? 0
        )
        assert.isTrue(cpu > 0.1 && later >= cpu && later < cpu + 10, `${cpu} s, then ${later} s`)
        assert.isNotNull(sample(text, "nodejs_eventloop_delay_seconds{quantile=\"0.99\"}"))
        for (const said of ["a-secret-text", "hidden", String(body["id"])]) assert.notInclude(text, said)
      })
  )

  it.live(
    "writes its log as one JSON document a line, on standard error alone",
    () =>
      Effect.gen(function*() {
        const place = yield* folder({ "data/settings.json": "{\"logLevel\": \"info\", \"logFormat\": \"json\"}" })
        const server = yield* AppServer.start(place.data)
        yield* settled(server)
        yield* server.end("SIGTERM", "process")
        const lines = server.stderr().trim().split("\n").map((line) => JSON.parse(line))
        assert.isAbove(lines.length, 2)
        for (const line of lines) {
          assert.match(line.time, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
          assert.include(["trace", "debug", "info", "warn", "error"], line.level)
          assert.isString(line.message)
        }
        assert.isTrue(lines.some(({ message, server: name }) => name === "files" && /files: ready/.test(message)))
        assert.notInclude(server.stdout(), "\"level\"")
      })
  )

  it.live(
    "ends within 10 s of SIGTERM with a turn that would go on and a server that is deaf, and tells who listens",
    () =>
      Effect.gen(function*() {
        const place = yield* folder({}, {
          slow: Zoo.entry("Slow"),
          deaf: Zoo.entry("IgnoresEnd", "--deaf-to-signals"),
          stubborn: Zoo.entry("Stubborn")
        })
        const server = yield* ChatServer.start(place.data)
        yield* settled(server)
        const { turn } = yield* longTurn(server)
        const events = yield* RawRequest.listen(`${server.url}/api/events`)
        const began = Date.now()
        const end = yield* Effect.forkChild(server.end("SIGTERM", "process"), { startImmediately: true })
        const closing = yield* ChatServer.until(server.get("/api/health?ready"), ({ status }) => status === 503)
        assert.deepStrictEqual([closing.status, closing.body["state"]], [503, "closing"])
        assert.strictEqual(yield* Fiber.join(end), 0)
        const millis = Date.now() - began
        yield* Effect.log(`the end took ${millis} ms`)
        assert.isBelow(millis, Deadline.late(END_MILLIS))
        const finish = (yield* Fiber.join(turn)).at(-1)
        assert.include(finish, { type: "finish", reason: "interrupted" })
        assert.isTrue(events.state.isOver)
        assert.strictEqual(yield* place.left, 0)
      })
  )

  it.live(
    "ends sooner at a second signal",
    () =>
      Effect.gen(function*() {
        const place = yield* folder({}, { slow: Zoo.entry("Slow"), deaf: Zoo.entry("IgnoresEnd", "--deaf-to-signals") })
        const server = yield* ChatServer.start(place.data)
        yield* settled(server)
        yield* longTurn(server)
        const end = yield* Effect.forkChild(server.end("SIGTERM", "process"), { startImmediately: true })
        yield* ChatServer.until(server.get("/api/health?ready"), ({ status }) => status === 503)
        // In good order its turn alone has 2.5 s, and its servers 5.5 s more.
        const code = yield* server.end("SIGTERM", "process").pipe(Effect.timeout("7500 millis"))
        assert.strictEqual(code, 0)
        yield* Fiber.join(end)
        assert.strictEqual(yield* place.left, 0)
      })
  )

  it.live(
    "hangs up on who is slow to ask, and on nobody who listens",
    () =>
      Effect.gen(function*() {
        const { server } = shared
        const listener = yield* RawRequest.listen(`${server.url}/api/events`)
        const port = Number(new URL(server.url).port)
        const answer = yield* Effect.callback<string>((resume) => {
          const socket = connect(port, "127.0.0.1", () => socket.write("GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: "))
          let text = ""
          const drip = setInterval(() => socket.write("a"), 1000)
          socket.setEncoding("utf8").on("data", (chunk: string) => {
            text += chunk
          }).on("error", () => {}).on("close", () => {
            clearInterval(drip)
            resume(Effect.succeed(text))
          })
        }).pipe(Effect.timeout(Deadline.late(13_000)))
        assert.match(answer, /^HTTP\/1\.1 408/)
        assert.isFalse(listener.state.isOver)
      })
  )

  it.live(
    "answers 400 to a request with two Host headers, and not with one",
    () =>
      Effect.gen(function*() {
        const { server } = shared
        const asked = (...headers: ReadonlyArray<string>) =>
          Effect.callback<string>((resume) => {
            const socket = connect(Number(new URL(server.url).port), "127.0.0.1")
            const lines = ["GET /api/health HTTP/1.1", ...headers, "Connection: close", "", ""]
            let text = ""
            socket.setEncoding("utf8").on("data", (chunk: string) => {
              text += chunk
            }).on("close", () => resume(Effect.succeed(text))).write(lines.join("\r\n"))
          })
        assert.match(yield* asked("Host: localhost"), /^HTTP\/1\.1 200/)
        const refused = yield* asked("Host: localhost", "HOST: evil.example")
        assert.match(refused, /^HTTP\/1\.1 400[^]*there is more than one Host header/)
      })
  )

  it.live(
    "takes a message with files of 66 MB in base64 and a text of 20 MB, and more than 1 MB of nothing else",
    () =>
      Effect.gen(function*() {
        const { server } = shared
        const { body } = yield* server.post("/api/chats")
        const post = (path: string, megabytes: number) =>
          RawRequest.ask(`${server.url}${path}`, { body: JSON.stringify({ text: "x".repeat(megabytes * 1e6) }) })
        assert.notStrictEqual((yield* post(`/api/chats/${String(body["id"])}/messages`, 12)).status, 413)
        assert.strictEqual((yield* post(`/api/chats/${String(body["id"])}/messages`, 21)).status, 400)
        const tooMuch = yield* post(`/api/chats/${String(body["id"])}/messages`, 76)
        assert.deepStrictEqual([tooMuch.status, tooMuch.body["_tag"]], [413, "BodyTooLarge"])
        assert.include(String(tooMuch.body["detail"]), "75497472")
        assert.strictEqual((yield* post("/api/mcp/servers", 2)).status, 413)
        assert.strictEqual((yield* post("/api/login", 2)).status, 413)
      })
  )

  it.live(
    "keeps at most 200 streams open, says so, answers messages all the same, and opens others when some are closed",
    () =>
      Effect.gen(function*() {
        const server = yield* ChatServer.start(yield* empty())
        const path = `${server.url}/api/events`
        const streams = yield* Effect.forEach(Array.from({ length: 200 }), () => RawRequest.listen(path), {
          concurrency: 20
        })
        assert.isTrue(streams.every(({ state }) => state.status === 200))
        const refused = yield* RawRequest.ask(path)
        assert.deepStrictEqual([refused.status, refused.body["_tag"]], [503, "TooManyStreams"])
        assert.strictEqual((yield* server.get("/api/tools")).status, 200)
        const { body } = yield* server.post("/api/chats")
        const parts = yield* server.stream(`/api/chats/${String(body["id"])}/messages`, { text: "/" })
        assert.strictEqual(parts.at(-1)?.type, "finish")
        for (const { close } of streams.slice(0, 50)) close()
        yield* ChatServer.until(metrics(server), (text) => sample(text, "boocode_event_streams") === 150)
        assert.strictEqual((yield* RawRequest.listen(path)).state.status, 200)
      })
  )

  it.live(
    "shows and changes settings in their file, keeps its comments, and says what waits for the next start",
    () =>
      Effect.gen(function*() {
        const { data, server } = shared
        const patch = (values: unknown) =>
          RawRequest.ask(`${server.url}/api/settings`, { method: "PATCH", body: JSON.stringify(values) })
        const setting = (answer: RawRequest.Answer, key: string) =>
          [answer.body["settings"]].flat().map(Object).find((one) => one.key === key)
        const before = yield* RawRequest.ask(`${server.url}/api/settings`)
        assert.include(setting(before, "logLevel"), {
          value: "error",
          default: "warn",
          written: "error",
          source: "settings.json",
          restart: false
        })
        assert.include(setting(before, "token"), { value: true, written: true, default: false, secret: true })
        assert.notInclude(before.text, "a-token-that-is-long")
        const after = yield* patch({ logLevel: "debug", allowedHosts: ["chat.example"] })
        assert.strictEqual(after.status, 200, after.text)
        assert.include(setting(after, "logLevel"), { value: "error", written: "debug", restart: true })
        assert.isFalse(setting(after, "logFormat").restart)
        assert.strictEqual(
          readFileSync(join(data, "settings.json"), "utf8"),
          SETTINGS.replace("\"error\"", "\"debug\"").replace(
            "long\"\n",
            "long\",\n  \"allowedHosts\": [\"chat.example\"]\n"
          )
        )
        const unknown = yield* patch({ logLevl: "debug" })
        assert.deepStrictEqual([unknown.status, unknown.body["_tag"]], [400, "WrongSetting"])
        assert.include(String(unknown.body["detail"]), "did you mean logLevel?")
        const wrong = yield* patch({ logLevel: "loud", scopes: [] })
        assert.strictEqual(wrong.status, 400)
        assert.include(String(wrong.body["hint"]), "\"debug\"")
        assert.strictEqual((yield* patch({ allowedHosts: null, logLevel: "error" })).status, 200)
        assert.strictEqual(readFileSync(join(data, "settings.json"), "utf8"), SETTINGS)
      })
  )

  it.live(
    "adds a server to the data file over HTTP and removes it, with the words of the file for what is wrong",
    () =>
      Effect.gen(function*() {
        const { data, server } = shared
        const add = (name: string, entry: unknown) => server.post("/api/mcp/servers", { name, entry })
        const remove = (name: string) => RawRequest.ask(`${server.url}/api/mcp/servers/${name}`, { method: "DELETE" })
        const added = yield* add("mirror", FixtureServer.entry("Echo"))
        assert.deepStrictEqual([added.status, added.body["state"]], [201, "ready"])
        const written = readFileSync(join(data, "mcp.json"), "utf8")
        assert.include(written, "// mine")
        assert.notInclude(written, "publicOnly")
        const taken = yield* add("mirror", { command: "y" })
        assert.deepStrictEqual([taken.status, taken.body["state"]], [409, "exists"])
        const wrong = yield* add("wrong", { command: "y", args: "no list" })
        assert.deepStrictEqual([wrong.status, wrong.body["_tag"]], [400, "InvalidEntry"])
        assert.match(String(wrong.body["detail"]), /mcpServers\.wrong\.args: expected/)
        const unread = yield* add("unread", { command: "y", timeuot: 3 })
        assert.deepStrictEqual([unread.status, unread.body["_tag"]], [400, "InvalidEntry"])
        assert.match(String(unread.body["detail"]), /"timeuot" is no key of an entry/)
        assert.strictEqual(readFileSync(join(data, "mcp.json"), "utf8"), written)
        assert.strictEqual((yield* add("none", {})).status, 400)
        assert.strictEqual((yield* remove("mirror")).status, 204)
        assert.strictEqual(readFileSync(join(data, "mcp.json"), "utf8"), SERVERS)
        const unknown = yield* remove("mirrr")
        assert.strictEqual(unknown.status, 404)
        const { body } = yield* server.get("/api/mcp/servers")
        assert.deepStrictEqual([body["servers"]].flat().map((one) => Object(one).name), ["off"])
      })
  )
})
