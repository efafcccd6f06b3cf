import { type ConfiguredServer, InvalidEntry } from "@boocode/mcp-config"
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as TestClock from "effect/testing/TestClock"
import { boocode, EMPTY, json, type Script, status } from "../support/Scripted.ts"

const URL = "http://127.0.0.1:4266"

const FILES = status("files")
const SLOW = status("slow", { state: "connecting", tools: 0, connectMillis: null })
const READ = {
  name: "files_read",
  server: "files",
  tool: "read",
  title: null,
  description: "Reads.",
  inputSchema: { type: "object" },
  annotations: {},
  class: "undeclared",
  openWorld: false,
  needsApproval: false,
  tokens: 5
}
const RESULT = {
  isError: false,
  text: "hi",
  content: [],
  structuredContent: null,
  truncated: null,
  origin: null,
  fault: null,
  diagnostics: [],
  millis: 3
}
const HEALTH = { status: "ok", ready: true, servers: { ready: 1, failed: 0, connecting: 0 }, proof: null }

const answer = (body: Schema.Json, status = 200) => Effect.sync(() => Response.json(body, { status }))

const problem = (status: number, _tag: string, detail: string, more: Schema.JsonObject = {}) =>
  answer({ type: "about:blank", title: "", status, detail, _tag, hint: "the server's hint", ...more }, status)

const broken = (code: string) =>
  Effect.fail(
    new HttpClientError.HttpClientError({
      reason: new HttpClientError.TransportError({
        request: HttpClientRequest.get(URL),
        cause: new TypeError("fetch failed", { cause: Object.assign(new Error(`went ${code}`), { code }) })
      })
    })
  )

type Answer = ReturnType<NonNullable<Script["answer"]>>

/** A server that answers these requests, and has one server without any. */
const server = (answers: Readonly<Record<string, (body: Schema.Json) => Answer>> = {}): Script => ({
  answer: (asked, body) =>
    answers[asked]?.(body) ??
      (asked === "GET /api/mcp/servers"
        ? answer({ servers: [FILES], problems: [], write: "off" })
        : problem(404, "UnknownRoute", asked))
})

const requests = (log: ReadonlyArray<string>) => log.map((line) => line.replace(`${URL} `, ""))

const error = (stdout: string) => Object(json(stdout)).error

/** Lets time pass until a command is done. */
const passed = <A, E>(fiber: Fiber.Fiber<A, E>, step: "1 second" | "100 millis" = "1 second") =>
  TestClock.adjust(step).pipe(
    Effect.andThen(TestClock.withLive(Effect.sleep("5 millis"))),
    Effect.repeat({ until: () => fiber.pollUnsafe() !== undefined }),
    Effect.andThen(Fiber.join(fiber))
  )

const ADA = {
  name: "Ada",
  description: null,
  model: null,
  tools: null,
  steps: 1,
  temperature: null,
  file: null,
  line: null,
  prompt: "",
  editable: true,
  why: null
}

describe("a verb with --url", () => {
  it.effect("starts nothing and prints the running server's document", () =>
    Effect.gen(function*() {
      const ended = yield* boocode(["mcp", "list", "--json", "--url", `${URL}/`], server())
      assert.strictEqual(ended.code, 0, ended.stderr)
      assert.deepStrictEqual(json(ended.stdout), { servers: [FILES], problems: [], write: "off" })
      assert.strictEqual(ended.stderr, "")
      assert.deepStrictEqual([...new Set(requests(ended.log))], ["GET /api/mcp/servers"])
    }))

  it.effect("waits while servers connect there, and says for whom when that takes long", () =>
    Effect.gen(function*() {
      let asked = 0
      const script = server({
        "GET /api/mcp/servers": () =>
          answer({ servers: [FILES, (asked += 1) < 15 ? SLOW : status("slow")], problems: [], write: "off" })
      })
      const fiber = yield* Effect.forkChild(boocode(["mcp", "list", "--json", "--url", URL], script))
      const ended = yield* passed(fiber, "100 millis")
      assert.strictEqual(ended.stderr, "waiting for slow …\n")
      assert.strictEqual(Object(json(ended.stdout)).servers[1].state, "ready")
    }))

  it.effect("shows the tools of an agent, and narrows them by server and pattern", () =>
    Effect.gen(function*() {
      const other = { ...READ, name: "web_get", server: "web", tool: "get" }
      const script = server({
        "GET /api/mcp/servers": () => answer({ servers: [FILES, status("web")], problems: [], write: "off" }),
        "GET /api/tools": () => answer({ tools: [READ, other], warnings: [] }),
        "GET /api/tools?agent=Ada": () => answer({ tools: [READ], warnings: ["no tool is called x"] })
      })
      const tools = (...args: ReadonlyArray<string>) =>
        Effect.map(boocode(["mcp", "tools", "--json", "--url", URL, ...args], script), ({ stdout }) => json(stdout))
      assert.deepStrictEqual(yield* tools(), { tools: [READ, other], warnings: [] })
      assert.deepStrictEqual(yield* tools("--agent", "Ada"), { tools: [READ], warnings: ["no tool is called x"] })
      assert.deepStrictEqual(yield* tools("web"), { tools: [other], warnings: [] })
      assert.deepStrictEqual(yield* tools("--match", "files_*", "--match", "web_put"), {
        tools: [READ],
        warnings: ["no tool is called web_put; did you mean web_get?"]
      })
    }))

  it.effect("searches there, with the limit and agent that were given, and says which servers are missing (R48)", () =>
    Effect.gen(function*() {
      const found = { tools: [{ ...READ, score: 2.5 }], waiting: ["slow"], failed: ["dead"] }
      const script = server({
        "GET /api/mcp/servers": () => answer({ servers: [FILES], problems: [], write: "off" }),
        "GET /api/tools?agent=Ada": () => answer({ tools: [], warnings: [] }),
        "GET /api/tools/search?q=read+a+file&limit=3&agent=Ada": () => answer(found),
        "GET /api/tools/search?q=x&limit=10": () => answer({ tools: [], waiting: [], failed: [] })
      })
      const search = (...args: ReadonlyArray<string>) => boocode(["mcp", "search", "--url", URL, ...args], script)
      const ended = yield* search("read a file", "--limit", "3", "--agent", "Ada", "--json")
      assert.deepStrictEqual(json(ended.stdout), found)
      assert.strictEqual((yield* search("x")).stdout, "no tools\n")
      assert.strictEqual((yield* search("x", "--limit", "0")).code, 2)
    }))

  it.effect("calls a tool once, with the time limit that was given", () =>
    Effect.gen(function*() {
      const bodies: Array<Schema.Json> = []
      const script = server({
        "POST /api/tools/files_read/call": (body) => {
          bodies.push(body)
          return answer(RESULT)
        }
      })
      const args = ["mcp", "call", "files_read", "--args", "{\"path\":\"a\"}", "--url", URL]
      const plain = yield* boocode(args, script)
      assert.strictEqual(plain.stdout, "hi\n")
      const timed = yield* boocode([...args, "--timeout", "1500ms", "--json"], script)
      assert.deepStrictEqual(json(timed.stdout), RESULT)
      assert.deepStrictEqual(bodies, [{ args: { path: "a" } }, { args: { path: "a" }, timeoutMillis: 1500 }])
    }))

  it.effect("ends with exit 1 and the result's document when the tool itself failed", () =>
    Effect.gen(function*() {
      const script = server({ "POST /api/tools/files_read/call": () => answer({ ...RESULT, isError: true }) })
      const ended = yield* boocode(["mcp", "call", "files_read", "--json", "--url", URL], script)
      assert.strictEqual(ended.code, 1)
      assert.deepStrictEqual(json(ended.stdout), { ...RESULT, isError: true })
    }))

  it.effect("leaves both an agent and a server that nobody has to the server's words", () =>
    Effect.gen(function*() {
      const script = server({
        "GET /api/tools?agent=Ida": () => problem(404, "UnknownAgent", "no agent is called Ida", { nearest: ["Ada"] }),
        "GET /api/tools?agent=X": () => problem(404, "UnknownAgent", "no agent is called X", { nearest: [] }),
        "GET /api/agents": () => answer({ agents: [ADA], problems: [] })
      })
      const told = (...args: ReadonlyArray<string>) =>
        Effect.map(boocode(["mcp", "tools", "--json", "--url", URL, ...args], script), ({ code, stdout }) => {
          assert.strictEqual(code, 1)
          return error(stdout)
        })
      assert.deepStrictEqual(yield* told("--agent", "Ida"), {
        _tag: "UnknownAgent",
        message: "no agent is called Ida",
        hint: "the server's hint"
      })
      assert.strictEqual((yield* told("--agent", "X")).hint, "there are Ada")
      assert.deepStrictEqual(yield* told("file"), {
        _tag: "UnknownServer",
        message: "no server is called file",
        hint: "did you mean files?"
      })
    }))

  it.effect("says what to do about a tool whose server is not ready, and about one that was silent", () =>
    Effect.gen(function*() {
      const notReady = problem(503, "NotReady", "files: the server is stopped", { state: "stopped", why: null })
      const script = (call: Answer) =>
        server({
          "GET /api/mcp/servers": () =>
            answer({ servers: [status("files", { state: "stopped" })], problems: [], write: "off" }),
          "POST /api/tools/files_read/call": () => call
        })
      const told = (call: Answer, ...args: ReadonlyArray<string>) =>
        Effect.map(
          boocode(["mcp", "call", "files_read", "--json", "--url", URL, ...args], script(call)),
          ({ stdout }) => error(stdout)
        )
      assert.deepStrictEqual(yield* told(notReady), {
        _tag: "NotReady",
        message: "files: the server is stopped",
        hint: "boocode mcp start files starts it"
      })
      const silent = problem(504, "CallTimeout", "said nothing", { state: null, why: null, limit: "timeout" })
      assert.strictEqual((yield* told(silent)).hint, "the server's hint, or give --timeout")
      assert.strictEqual((yield* told(silent, "--timeout", "10ms")).hint, "give a longer --timeout")
      const long = problem(504, "CallTimeout", "was not done", { state: null, why: null, limit: "maxTotalTimeout" })
      assert.strictEqual((yield* told(long)).hint, "the server's hint")
    }))

  it.effect("fails as it would by itself when the server's file cannot be read", () =>
    Effect.gen(function*() {
      const trouble = { file: "mcp.json", line: 3, column: 5, message: "mcp.json:3:5: not JSON", hint: "correct it" }
      const script = (servers: Schema.Json) =>
        server({ "GET /api/mcp/servers": () => answer({ servers, problems: [trouble], write: "off" }) })
      const none = yield* boocode(["mcp", "list", "--json", "--url", URL], script([]))
      assert.strictEqual(none.code, 1)
      assert.deepInclude(error(none.stdout), { _tag: "InvalidFile", message: trouble.message, hint: "correct it" })
      // Servers that still run from before are worth more than the trouble.
      const some = yield* boocode(["mcp", "list", "--json", "--url", URL], script([{ ...FILES }]))
      assert.strictEqual(some.code, 0)
      assert.deepStrictEqual(json(some.stdout), { servers: [FILES], problems: [trouble], write: "off" })
      assert.strictEqual(some.stderr, "warning  mcp.json:3:5: not JSON\n         correct it\n")
      const plain = yield* boocode(["mcp", "list", "--url", URL], script([{ ...FILES }]))
      assert.include(plain.stdout, "files")
      assert.strictEqual(plain.stderr, some.stderr)
    }))

  it.effect("tells a server that is not there from one that is something else, or another version", () =>
    Effect.gen(function*() {
      const told = (reply: Answer) =>
        Effect.map(
          boocode(["mcp", "list", "--json", "--url", URL], server({ "GET /api/mcp/servers": () => reply })),
          ({ code, stdout }) => [code, error(stdout)._tag, error(stdout).message]
        )
      assert.deepStrictEqual(yield* told(broken("ECONNREFUSED")), [
        1,
        "NoServer",
        `no server can be reached at ${URL}: went ECONNREFUSED`
      ])
      assert.deepStrictEqual((yield* told(broken("ECONNRESET"))).slice(0, 2), [1, "ServerLost"])
      const html = Effect.sync(() => new Response("<h1>nginx</h1>", { status: 502 }))
      assert.deepStrictEqual(yield* told(html), [
        1,
        "UnexpectedAnswer",
        `${URL} answers, but not as a BooCode server of this version does: HTTP 502`
      ])
      assert.strictEqual((yield* told(answer({ hello: 1 })))[1], "UnexpectedAnswer")
      assert.strictEqual((yield* told(problem(403, "ForeignHost", "not yours")))[1], "ForeignHost")
    }))

  it.effect("says that the outcome of a call is unknown when the connection broke, and sends it once", () =>
    Effect.gen(function*() {
      const script = server({ "POST /api/tools/files_read/call": () => broken("UND_ERR_SOCKET") })
      const ended = yield* boocode(["mcp", "call", "files_read", "--json", "--url", URL], script)
      assert.strictEqual(ended.code, 1)
      assert.strictEqual(error(ended.stdout)._tag, "OutcomeUnknown")
      assert.match(error(ended.stdout).message, /^outcome unknown: files_read was sent, then the connection .* broke/)
      assert.lengthOf(ended.log.filter((line) => line.includes("POST")), 1)
      const refused = server({ "POST /api/tools/files_read/call": () => broken("ECONNREFUSED") })
      const unsent = yield* boocode(["mcp", "call", "files_read", "--json", "--url", URL], refused)
      assert.strictEqual(error(unsent.stdout)._tag, "NoServer")
    }))

  it.effect(
    "waits for a long call as long as the server lives, and not when it falls silent",
    () =>
      Effect.gen(function*() {
        let isAlive = true
        const script = (call: Answer) =>
          server({
            "GET /api/health": (): Answer => isAlive ? answer(HEALTH) : Effect.never,
            "POST /api/tools/files_read/call": () => call
          })
        const call = ["mcp", "call", "files_read", "--json", "--url", URL]
        const long = yield* Effect.forkChild(boocode(call, script(Effect.delay(answer(RESULT), "2 minutes"))))
        assert.strictEqual((yield* passed(long)).code, 0)
        isAlive = false
        const started = yield* Clock.currentTimeMillis
        const silent = yield* passed(yield* Effect.forkChild(boocode(call, script(Effect.never))))
        assert.strictEqual(error(silent.stdout)._tag, "OutcomeUnknown")
        assert.isAtMost((yield* Clock.currentTimeMillis) - started, 60_000)
      }),
    20_000
  )

  it.effect("waits 15 seconds at most for what a server answers at once", () =>
    Effect.gen(function*() {
      const script = server({ "GET /api/mcp/servers": () => Effect.never })
      const ended = yield* passed(yield* Effect.forkChild(boocode(["mcp", "list", "--json", "--url", URL], script)))
      assert.strictEqual(ended.code, 1)
      assert.strictEqual(error(ended.stdout).message, `the server at ${URL} did not answer within 15 seconds`)
    }))

  it.effect("is refused when it is no address (exit 2)", () =>
    Effect.gen(function*() {
      for (const url of ["4266", "ftp://x", "http://x/?q=1", ""]) {
        const ended = yield* boocode(["mcp", "list", "--url", url])
        assert.strictEqual(ended.code, 2, url)
        assert.strictEqual(ended.stdout, "")
        assert.include(ended.stderr, "http://127.0.0.1:4266")
      }
    }))
})

describe("a verb while a server runs on the data folder", () => {
  it.effect("talks to it and says so in one line on standard error", () =>
    Effect.gen(function*() {
      const ended = yield* boocode(["mcp", "list", "--json"], { ...server(), running: URL })
      assert.strictEqual(ended.stderr, `talking to the server at ${URL}\n`)
      assert.deepStrictEqual(json(ended.stdout), { servers: [FILES], problems: [], write: "off" })
      assert.isFalse(ended.log.includes("open"))
    }))

  it.effect("says which servers of other files it does not have, when all are listed or a name is not known", () =>
    Effect.gen(function*() {
      const entry = (name: string, more: Partial<ConfiguredServer> = {}): ConfiguredServer => ({
        name,
        source: "~/.mcprc",
        transport: "stdio",
        enabled: true,
        needsApproval: false,
        warnings: [],
        config: Result.fail(
          new InvalidEntry({ server: name, file: "", line: 1, column: 1, key: "", detail: "", hint: "" })
        ),
        ...more
      })
      const configuration = {
        ...EMPTY,
        servers: [
          entry("files"),
          entry("github"),
          entry("off", { enabled: false }),
          entry("p", { needsApproval: true })
        ]
      }
      const line =
        "the running server does not have github (~/.mcprc), p (~/.mcprc, needs approval); with --local this command does"
      const script = {
        ...server({
          "POST /api/tools/github_get/call": () => problem(404, "UnknownTool", "no tool is called github_get")
        }),
        configuration
      }
      const told = (args: ReadonlyArray<string>) =>
        Effect.map(boocode(args, { ...script, running: URL }), ({ stderr }) => stderr.includes(line))
      assert.isTrue(yield* told(["mcp", "list"]))
      assert.isTrue(yield* told(["mcp", "list", "--json"]))
      assert.isTrue(yield* told(["mcp", "call", "github_get"]))
      assert.isTrue(yield* told(["mcp", "tools", "github"]))
      const named = yield* boocode(["mcp", "list", "--url", URL], script)
      assert.notInclude(named.stderr, "github")
    }))

  it.effect("does without it with --local, and talks to another one with --url", () =>
    Effect.gen(function*() {
      const local = yield* boocode(["mcp", "list", "--local"], { servers: [FILES], running: URL })
      assert.strictEqual(local.code, 0)
      assert.deepStrictEqual(local.log, ["open", "settled", "close"])
      const other = "http://192.168.1.5:80"
      const remote = yield* boocode(["mcp", "list", "--url", other], { ...server(), running: URL })
      assert.isTrue(remote.log.every((line) => line.startsWith("http://192.168.1.5 ")), remote.log.join())
      assert.strictEqual(remote.stderr, "")
    }))

  it.effect("does not know what --url and --local together mean", () =>
    Effect.gen(function*() {
      const ended = yield* boocode(["mcp", "list", "--url", URL, "--local"], server())
      assert.strictEqual(ended.code, 2)
      assert.deepStrictEqual(ended.log, [])
    }))
})
