import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as HttpApiTest from "effect/http-api/HttpApiTest"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as Stream from "effect/Stream"
import { ChatApi } from "../../src/api/ChatApi.ts"
import * as Http from "../../src/Http.ts"
import * as ProblemAnswers from "../../src/http/ProblemAnswers.ts"
import type { FleetView } from "../../src/telemetry/FleetView.ts"
import * as OnePerson from "../support/OnePerson.ts"
import { applied, chat, json, log, open, parts, post, servers, services, status, text } from "../support/Scripted.ts"

const problem = Effect.fnUntraced(function*(response: Response) {
  assert.strictEqual(response.headers.get("content-type"), "application/problem+json")
  const body = yield* json(response)
  assert.containsAllKeys(body, ["type", "title", "status", "detail", "_tag", "hint"])
  return { ...Object(body), status: response.status }
})

const patch = (body: unknown): RequestInit => ({ ...post(body), method: "PATCH" })

/** JSON that is no trouble to read, and much to write. */
const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`

describe("ChatApi", () => {
  it.effect("says how its servers are", () =>
    Effect.gen(function*() {
      const request = yield* open()
      assert.deepStrictEqual(yield* json(yield* request("/api/health")), {
        status: "ok",
        ready: false,
        servers: { ready: 1, failed: 0, connecting: 1 },
        proof: null
      })
      assert.deepStrictEqual(yield* json(yield* request("/api/mcp/servers")), {
        servers,
        write: "off",
        problems: [{
          file: "data/mcp.json",
          line: 3,
          column: 5,
          message: "data/mcp.json:3:5: this is not JSON",
          hint: "correct the file at that place"
        }]
      })
    }))

  it.effect("keeps load balancers from a node of a fleet whose servers connect for the first time", () =>
    Effect.gen(function*() {
      const fleet = { standing: Effect.succeed("ok") } as NonNullable<typeof FleetView.Service>
      const request = yield* open({ fleet })
      const { _tag, status } = yield* problem(yield* request("/api/health?ready=1"))
      assert.deepStrictEqual([status, _tag], [503, "NotReady"])
    }))

  it.effect("says what runs and where it keeps things", () =>
    Effect.gen(function*() {
      const about = Object(yield* json(yield* (yield* open())("/api/about")))
      assert.match(about.version, /^\d+\.\d+\.\d+$/)
      assert.deepStrictEqual({ ...about, version: "", node: "" }, {
        version: "",
        node: "",
        command: "boocode",
        storage: { kind: "memory", name: "memory" },
        data: "/d",
        state: "/s",
        fleet: false
      })
    }))

  it.effect("proves to who knows the secret of its announcement that it is the announced one", () =>
    Effect.gen(function*() {
      const request = yield* open()
      const proofOf = (nonce: string) => Effect.map(Effect.flatMap(request(`/api/health?nonce=${nonce}`), json), Object)
      const one = (yield* proofOf("one")).proof
      assert.match(one, /^[0-9a-f]{64}$/)
      assert.strictEqual((yield* proofOf("one")).proof, one)
      assert.notStrictEqual((yield* proofOf("two")).proof, one)
      const other = yield* open()
      assert.notStrictEqual(Object(yield* json(yield* other("/api/health?nonce=one"))).proof, one)
    }))

  it.effect("gives the log of a server from a line on", () =>
    Effect.gen(function*() {
      const request = yield* open()
      assert.deepStrictEqual(yield* json(yield* request("/api/mcp/servers/files/logs")), { lines: log })
      const rest = yield* json(yield* request("/api/mcp/servers/files/logs?after=1"))
      assert.deepStrictEqual(rest, { lines: log.slice(1) })
    }))

  it.effect("calls a tool with the time limit that a request names", () =>
    Effect.gen(function*() {
      const request = yield* open()
      const response = yield* request("/api/tools/files_limit/call", post({ args: {}, timeoutMillis: 1500 }))
      assert.include(yield* json(response), { text: "1500" })
      for (const timeoutMillis of [0, -1, 1.5, "1 second"]) {
        assert.strictEqual((yield* request("/api/tools/files_limit/call", post({ timeoutMillis }))).status, 400)
      }
    }))

  it.effect("lists the tools there are, and those an agent's patterns allow", () =>
    Effect.gen(function*() {
      const request = yield* open()
      assert.deepStrictEqual(yield* json(yield* request("/api/tools")), {
        tools: [{
          name: "files_read",
          server: "files",
          tool: "read",
          title: null,
          description: "Does read.",
          inputSchema: { type: "object" },
          annotations: {},
          class: "undeclared",
          openWorld: false,
          needsApproval: false,
          tokens: 5
        }],
        warnings: []
      })
      assert.deepStrictEqual(yield* json(yield* request("/api/tools?agent=Assistant")), {
        tools: [],
        warnings: ["nothing_*"]
      })
    }))

  it.effect("searches the tools, those an agent may use if it is asked to, and says which servers are missing (R48)", () =>
    Effect.gen(function*() {
      const request = yield* open()
      const found = Object(yield* json(yield* request("/api/tools/search?q=raed&limit=1")))
      assert.deepStrictEqual(found.tools.map(({ name }: { readonly name: string }) => name), ["files_read"])
      assert.isAbove(found.tools[0].score, 0)
      assert.deepStrictEqual(Object.keys(found).toSorted(), ["failed", "tools", "waiting"])
      const none = Object(yield* json(yield* request("/api/tools/search?q=read&agent=Assistant")))
      assert.deepStrictEqual(none.tools, [], "its patterns allow nothing (R50)")
      for (const query of ["", "?q=%20", "?q=read&limit=0", "?q=read&limit=101", "?q=read&limit=x"]) {
        assert.strictEqual((yield* request(`/api/tools/search${query}`)).status, 400, query)
      }
      assert.strictEqual((yield* request("/api/tools/search?q=read&agent=Nobody")).status, 404)
    }))

  it.effect("gives a tool's answer as the result document, its own error as 200", () =>
    Effect.gen(function*() {
      const request = yield* open()
      const good = yield* request("/api/tools/files_read/call", post({ args: { path: "a" } }))
      assert.strictEqual(good.status, 200)
      assert.deepStrictEqual(yield* json(good), {
        isError: false,
        text: "{\"path\":\"a\"}",
        content: [{ type: "text", text: "{\"path\":\"a\"}" }],
        structuredContent: null,
        truncated: null,
        origin: { server: "files", tool: "read", isTrusted: true },
        fault: null,
        diagnostics: [],
        millis: 3
      })
      const bad = yield* request("/api/tools/files_broken/call", post({}))
      assert.strictEqual(bad.status, 200)
      assert.include(yield* json(bad), { isError: true, text: "no such file" })
    }))

  it.effect("calls a built-in tool too, so that the handle of a long result can be read (R35)", () =>
    Effect.gen(function*() {
      const request = yield* open()
      const response = yield* request("/api/tools/view_file/call", post({ args: { path: "result-1" } }))
      assert.include(yield* json(response), { isError: false, text: "read {\"path\":\"result-1\"}" })
    }))

  it.effect("calls a tool without arguments when there is no body", () =>
    Effect.gen(function*() {
      const request = yield* open()
      const response = yield* request("/api/tools/files_read/call", { method: "POST" })
      assert.include(yield* json(response), { isError: false, text: "{}" })
    }))

  for (
    const [path, init, expected] of [
      ["/api/tools/file_read/call", post({}), { status: 404, _tag: "UnknownTool", nearest: ["files_read"] }],
      ["/api/tools?agent=Asistant", {}, { status: 404, _tag: "UnknownAgent", nearest: ["Assistant"] }],
      ["/api/mcp/servers/file/stop", post({}), { status: 404, _tag: "UnknownServer", nearest: ["files"] }],
      ["/api/chats/none", {}, { status: 404, _tag: "UnknownChat", nearest: [] }],
      ["/api/chats/none/events", {}, { status: 404, _tag: "UnknownChat" }],
      ["/api/chats/none/messages", post({ text: "hi" }), { status: 404, _tag: "UnknownChat" }],
      ["/api/nothing", {}, { status: 404, _tag: "UnknownRoute" }],
      ["/nothing", post({}), { status: 404, _tag: "UnknownRoute" }],
      ["/api/tools/files_read/call", post({ args: [1] }), { status: 400, _tag: "InvalidArguments" }],
      ["/api/tools/files_read/call", post({ args: "{oops" }), { status: 400, _tag: "InvalidArguments" }],
      ["/api/chats/c1/messages", post({ text: "" }), { status: 400, _tag: "InvalidRequest" }],
      ["/api/chats/c1/messages", post({ text: " \n" }), { status: 400, _tag: "InvalidRequest" }],
      ["/api/chats/c1/messages", { ...post(1), body: "{" }, { status: 400, _tag: "InvalidRequest" }],
      ["/api/chats/import", { ...post(1), body: nested(100_000) }, { status: 400, _tag: "InvalidRequest" }],
      ["/api/tools/files_rejected/call", post({}), { status: 403, _tag: "RejectedByPolicy" }],
      ["/api/mcp/servers/files/start", post({}), { status: 409, _tag: "AlreadyRunning", state: "ready" }],
      ["/api/mcp/servers/files/restart", post({}), { status: 503, _tag: "CommandNotFound", state: "failed" }],
      ["/api/tools/files_not_ready/call", post({}), {
        status: 503,
        _tag: "NotReady",
        state: "failed",
        why: "command not found: x"
      }],
      ["/api/tools/files_timeout/call", post({}), {
        status: 504,
        _tag: "CallTimeout",
        state: null,
        why: null,
        limit: "timeout"
      }],
      ["/api/mcp/servers/file/logs", {}, { status: 404, _tag: "UnknownServer", nearest: ["files"] }],
      ["/api/mcp/servers/files/logs?after=x", {}, { status: 400, _tag: "InvalidRequest" }],
      ["/api/mcp/servers/slow/start", post({}), { status: 504, _tag: "HandshakeTimeout", state: "failed" }],
      ["/api/tools/files_read/call", post({ arg: { path: "a" } }), { status: 400, _tag: "InvalidRequest" }],
      ["/api/chats/c1/events?after=-1", {}, { status: 400, _tag: "InvalidRequest" }],
      ["/api/chats/c1/events?after=x", {}, { status: 400, _tag: "InvalidRequest" }],
      ["/api/chats/c1/fork", post({ turn: 2 }), { status: 409, _tag: "TurnRunning", state: "running" }],
      ["/api/chats/c1/fork", post({ turn: 9 }), { status: 404, _tag: "UnknownTurn" }],
      ["/api/chats/c1/fork", post({}), { status: 400, _tag: "InvalidRequest" }],
      ["/api/chats/c1/queue/1/now", post({}), { status: 404, _tag: "UnknownTurn" }],
      ["/api/chats/c1/queue/1", patch({ text: "x" }), { status: 404, _tag: "UnknownTurn" }],
      ["/api/chats/c1/queue/3", patch({ text: " " }), { status: 400, _tag: "InvalidRequest" }],
      ["/api/chats/c1", patch({ off: { tools: ["!a_*"] } }), { status: 400, _tag: "InvalidRequest" }],
      ["/api/chats/c1/summaries/none", patch({ text: "x" }), { status: 404, _tag: "UnknownSummary" }],
      ["/api/chats/c1/summaries/s", patch({ text: "" }), { status: 400, _tag: "InvalidRequest" }],
      ["/api/chats/search", {}, { status: 400, _tag: "InvalidRequest" }],
      ["/api/chats/c1/stop", {}, { status: 405, _tag: "MethodNotAllowed" }],
      ["/api/health", post({}), { status: 405, _tag: "MethodNotAllowed" }],
      ["/api/tools/files_unknown_outcome/call", post({}), { status: 502, _tag: "OutcomeUnknown" }],
      ["/api/chats", { method: "POST", headers: { "content-type": "text/plain" }, body: "{}" }, {
        status: 415,
        _tag: "UnsupportedMediaType"
      }],
      ["/api/chats", post({ agent: "x".repeat(1024 * 1024) }), {
        status: 413,
        _tag: "BodyTooLarge"
      }]
    ] satisfies ReadonlyArray<readonly [string, RequestInit, object]>
  ) {
    it.effect(`answers ${expected.status} ${expected._tag} as a problem to ${init.method ?? "GET"} ${path}`, () =>
      Effect.gen(function*() {
        const request = yield* open()
        const body = yield* problem(yield* request(path, init))
        for (const [key, value] of Object.entries(expected)) assert.deepStrictEqual(body[key], value)
      }))
  }

  it.effect("names the methods a path takes", () =>
    Effect.gen(function*() {
      const request = yield* open()
      const methods = (path: string, method: string) =>
        Effect.map(request(path, { method }), (response) => response.headers.get("allow"))
      assert.strictEqual(yield* methods("/api/chats/c1", "PUT"), "GET, HEAD, PATCH, DELETE")
      assert.strictEqual(yield* methods("/api/chats", "DELETE"), "GET, HEAD, POST")
      assert.strictEqual(yield* methods("/api/docs", "POST"), "GET, HEAD")
    }))

  it.effect("answers HEAD as it would GET, without the body", () =>
    Effect.gen(function*() {
      const request = yield* open()
      for (
        const [path, status] of [["/api/docs", 200], ["/api/health", 200], ["/", 200], ["/api/none", 404]] as const
      ) {
        assert.strictEqual((yield* request(path, { method: "HEAD" })).status, status, path)
      }
    }))

  it.effect("says where invalid JSON arguments are wrong", () =>
    Effect.gen(function*() {
      const request = yield* open()
      const body = yield* problem(yield* request("/api/tools/files_read/call", post({ args: "{\n  oops" })))
      assert.match(String(body["detail"]), /line 2, column 3/)
    }))

  it.effect("streams the parts of the sent turn alone, one document a data line, up to its finish", () =>
    Effect.gen(function*() {
      const request = yield* open()
      const response = yield* request("/api/chats/c1/messages", post({ text: "hi" }))
      assert.strictEqual(response.headers.get("content-type"), "text/event-stream")
      const body = yield* text(response)
      assert.strictEqual(
        body,
        ": hello\n\n" + parts.slice(2, 4).map((part) => `id: ${part.seq}\ndata: ${JSON.stringify(part)}\n\n`).join("")
      )
    }))

  it.effect("answers 202 to a message that waits behind a running turn", () =>
    Effect.gen(function*() {
      const request = yield* open()
      const response = yield* request("/api/chats/c1/messages", post({ text: "later" }))
      assert.strictEqual(response.status, 202)
      assert.deepStrictEqual(yield* json(response), { turn: 3, queued: true })
    }))

  it.effect("edits a message that waits and a note, has a message taken at once, and forks a chat", () =>
    Effect.gen(function*() {
      const request = yield* open()
      assert.strictEqual((yield* request("/api/chats/c1/queue/3", patch({ text: "better" }))).status, 204)
      assert.strictEqual((yield* request("/api/chats/c1/queue/3/now", { method: "POST" })).status, 204)
      assert.include(Object(yield* json(yield* request("/api/chats/c1/summaries/s", patch({ text: "note" })))), {
        type: "summary",
        text: "note",
        edited: true
      })
      const forked = yield* request("/api/chats/c1/fork", post({ turn: 1 }))
      assert.strictEqual(forked.status, 201)
      assert.include(Object(yield* json(forked)), { id: "c2", pinned: false, folder: null })
    }))

  it.effect("tells where the words of a search stand", () =>
    Effect.gen(function*() {
      const request = yield* open()
      assert.deepStrictEqual(yield* json(yield* request("/api/chats/search?q=hello")), {
        hits: [{ chat: "c1", title: "Hello", turn: 1, seq: null, role: "user", excerpt: "Say hello", marks: [[4, 9]] }]
      })
      assert.deepStrictEqual(yield* json(yield* request("/api/chats/search?q=%20")), { hits: [] })
    }))

  it.effect("resumes a chat's events after a part, also as a browser does by itself", () =>
    Effect.gen(function*() {
      const request = yield* open()
      const seqs = (body: string) => [...body.matchAll(/^id: (\d+)$/gm)].map(([, seq]) => Number(seq))
      assert.deepStrictEqual(seqs(yield* text(yield* request("/api/chats/c1/events?after=3"))), [4, 5])
      const again = yield* request("/api/chats/c1/events?after=0", { headers: { "last-event-id": "4" } })
      assert.deepStrictEqual(seqs(yield* text(again)), [5])
    }))

  it.effect("sends every server as it stands and then each change", () =>
    Effect.gen(function*() {
      const request = yield* open({ events: Stream.make(status("slow", { state: "failed" })) })
      const body = yield* text(yield* request("/api/events"))
      const events = [...body.matchAll(/^data: (.*)$/gm)].map(([, line]) => JSON.parse(line ?? ""))
      assert.sameMembers(events.map(({ type, name, state }) => `${type} ${name} ${state}`), [
        "agents undefined undefined",
        "chat undefined undefined",
        "configuration undefined undefined",
        "permissions undefined undefined",
        "server files ready",
        "server slow connecting",
        "server slow failed"
      ])
    }))

  it.effect("begins with which servers there are and what is wrong with whole files (R68)", () =>
    Effect.gen(function*() {
      const request = yield* open()
      const body = yield* text(yield* request("/api/events"))
      const events = [...body.matchAll(/^data: (.*)$/gm)].map(([, line]) => JSON.parse(line ?? ""))
      assert.deepStrictEqual(events.find(({ type }) => type === "configuration"), {
        type: "configuration",
        servers: ["files", "slow"],
        added: [],
        removed: [],
        changed: [],
        problems: [{
          file: "data/mcp.json",
          line: 3,
          column: 5,
          message: "data/mcp.json:3:5: this is not JSON",
          hint: "correct the file at that place"
        }]
      })
    }))

  it.effect("reads the configuration now and says what changed, and what cannot be used (R68)", () =>
    Effect.gen(function*() {
      const request = yield* open()
      const response = yield* request("/api/mcp/reload", { method: "POST" })
      const { problems, ...changes } = Object(yield* json(response))
      assert.deepStrictEqual(changes, applied)
      assert.deepStrictEqual(problems.map(({ line }: { line: number }) => line), [3])
    }))

  it.effect("says which server it does not know when it is to enable one", () =>
    Effect.gen(function*() {
      const request = yield* open()
      for (const verb of ["enable", "disable"]) {
        const response = yield* request(`/api/mcp/servers/fils/${verb}`, { method: "POST" })
        assert.strictEqual(response.status, 404)
        assert.deepInclude(Object(yield* json(response)), { _tag: "UnknownServer", nearest: ["files"] })
        const other = yield* request(`/api/mcp/servers/files/${verb}`, { method: "POST" })
        assert.strictEqual(other.status, 409)
        assert.include(Object(yield* json(other)), { _tag: "EntryNotChanged", state: "unchanged" })
      }
    }))

  it.effect("says which server it does not know when it is to offer the writing tools of one, and takes no other word", () =>
    Effect.gen(function*() {
      const request = yield* open()
      const unknown = yield* request("/api/mcp/servers/fils/writes", post({ writes: "ask" }))
      assert.strictEqual(unknown.status, 404)
      const other = yield* request("/api/mcp/servers/files/writes", post({ writes: "ask" }))
      assert.strictEqual(other.status, 409)
      assert.include(Object(yield* json(other)), { _tag: "EntryNotChanged", state: "unchanged" })
      for (const body of [{ writes: "rules" }, {}, { writes: "ask", more: 1 }]) {
        assert.strictEqual((yield* request("/api/mcp/servers/files/writes", post(body))).status, 400)
      }
    }))

  it.effect("opens a stream before anything happens in it", () =>
    Effect.gen(function*() {
      const request = yield* open({ events: Stream.never })
      const response = yield* request("/api/events")
      const first = yield* Stream.fromReadableStream({
        evaluate: () => response.body ?? new ReadableStream(),
        onError: String
      }).pipe(Stream.decodeText(), Stream.take(1), Stream.runHead)
      assert.deepStrictEqual(first, Option.some(": hello\n\n"))
    }))

  it.effect("refreshes all servers that run", () =>
    Effect.gen(function*() {
      const request = yield* open()
      const response = yield* request("/api/mcp/refresh", { method: "POST" })
      assert.deepStrictEqual(yield* json(response), { servers, refreshed: ["files"], failed: [] })
    }))
})

const client = HttpApiTest.groups(ChatApi, ["chats", "agents"], { baseUrl: "http://127.0.0.1:4266" })
const InMemory = Http.handlers.pipe(
  Layer.provide([services(), FileSystem.layerNoop({}), Path.layer]),
  Layer.provideMerge(Layer.merge(ProblemAnswers.layer, OnePerson.layer)),
  Layer.merge(HttpServer.layerServices)
)

describe("ChatApi, by its typed client", () => {
  it.effect("gives chats, agents and models as the contract says", () =>
    Effect.gen(function*() {
      const api = yield* client
      const created = yield* api.chats.create({ payload: null })
      assert.strictEqual(created.id, "c1")
      assert.deepStrictEqual(yield* api.chats.get({ params: { id: "c1" } }), chat)
      assert.deepStrictEqual((yield* api.chats.list({ query: {} })).chats.map(({ title }) => title), ["Hello"])
      const { agents, problems } = yield* api.agents.agents()
      assert.deepStrictEqual(agents.map(({ name, steps }) => [name, steps]), [["Assistant", 25]])
      assert.deepStrictEqual(problems.map(({ line }) => line), [7])
      const models = yield* api.agents.models()
      assert.strictEqual(models.default, null)
      assert.isTrue(models.command.active)
    }).pipe(Effect.provide(InMemory)))

  it.effect("decodes streamed parts and typed problems", () =>
    Effect.gen(function*() {
      const api = yield* client
      const sent = yield* api.chats.send({ params: { id: "c1" }, payload: { text: "hi" } })
      if (!Stream.isStream(sent)) return assert.fail("a first message is not queued")
      assert.deepStrictEqual(Array.from(yield* Stream.runCollect(sent)), parts.slice(2, 4))
      const error = yield* Effect.flip(api.chats.get({ params: { id: "none" } }))
      assert.include(error, { _tag: "UnknownChat", status: 404 })
    }).pipe(Effect.provide(InMemory)))
})
