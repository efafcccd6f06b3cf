/** Limits, the audit and shared chats of a real server with two people. */
import { assert, layer } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { join } from "node:path"
import * as AppCommand from "./support/AppCommand.ts"
import * as AppServer from "./support/AppServer.ts"
import * as ChatServer from "./support/ChatServer.ts"
import * as Command from "./support/Command.ts"
import * as RawRequest from "./support/RawRequest.ts"

const SECRET = "pumpkinseed"

const made = Effect.gen(function*() {
  const limits = { bob: { tokens: "0 a day" } }
  const folder = yield* Command.folder({
    "data/mcp.json": JSON.stringify({
      mcpServers: { files: { command: "mcp-server-filesystem", args: ["${workspace}"], writes: "ask" } }
    }),
    "data/workspace/ann.txt": SECRET,
    "data/workspace/tone.wav": SECRET,
    "data/settings.json": JSON.stringify({ limits })
  })
  const data = join(folder, "data")
  const env = { BOOCODE_STATE_DIR: join(folder, "state") }
  const server = yield* AppServer.start(data, {
    OPENAI_BASE_URL: "http://127.0.0.1:1/v1",
    BOOCODE_MODEL: "openai/scripted"
  })
  const cli = (args: ReadonlyArray<string>) => AppCommand.run([...args, "--data", data], { env, cwd: data })
  const invited = Effect.fnUntraced(function*(name: string) {
    const token = /#\/invitation\/([\w-]{43})/.exec((yield* cli(["users", "add", name])).stdout)?.[1]
    const body = JSON.stringify({ password: "correct horse battery" })
    const { headers: set } = yield* RawRequest.ask(`${server.url}/api/invitations/${token}`, { body })
    const cookie = String([set["set-cookie"] ?? []].flat()[0]).split(";")[0] ?? ""
    const ask = (method: string, path: string, body?: object) =>
      RawRequest.ask(`${server.url}${path}`, {
        method,
        headers: { cookie },
        ...body === undefined ? {} : { body: JSON.stringify(body) }
      })
    return { ask, cookie }
  })
  const before = yield* cli(["mcp", "list"])
  return { server, cli, data, before: before.stdout, ann: yield* invited("Ann"), bob: yield* invited("Bob") }
})

class Stage extends Context.Service<Stage, Effect.Success<typeof made>>()("test/Stage") {
  static readonly layer = Layer.effect(Stage, made)
}

layer(Stage.layer, { excludeTestServices: true, timeout: "120 seconds" })("A server with people", (it) => {
  it.effect("refuses a message of somebody who used what they may, also at /v1, and tells what and until when", () =>
    Effect.gen(function*() {
      const { bob: { ask } } = yield* Stage
      const { body: chat } = yield* ask("POST", "/api/chats", {})
      const refused = yield* ask("POST", `/api/chats/${String(chat["id"])}/messages`, { text: "hi" })
      assert.deepInclude(refused.body, {
        status: 429,
        _tag: "LimitReached",
        detail: "you have used 0 tokens, and may use 0 tokens a day"
      })
      assert.match(String(refused.body["hint"]), /begins anew at \d{4}-\d\d-\d\d 00:00 UTC/)
      const { body: made } = yield* ask("POST", "/api/me/tokens", { name: "v1", scopes: ["chat"] })
      const { server } = yield* Stage
      const { body, headers, status } = yield* RawRequest.ask(`${server.url}/v1/chat/completions`, {
        headers: { authorization: `Bearer ${String(made["token"])}` },
        body: JSON.stringify({ model: "Assistant", messages: [{ role: "user", content: "hi" }] })
      })
      assert.deepStrictEqual([status, Object(body["error"]).code, headers["x-should-retry"]], [
        429,
        "insufficient_quota",
        "false"
      ])
      const { body: usage } = yield* ask("GET", "/api/me/usage")
      assert.deepInclude(Object(usage["limits"])[0], { of: "tokens", used: 0, most: 0 })
    }))

  it.effect(
    "notes who called what with whose yes, without arguments, for admins and for each person their own",
    () =>
      Effect.gen(function*() {
        const { ann, bob, cli } = yield* Stage
        const { body: chat } = yield* ann.ask("POST", "/api/chats", { model: "command" })
        const id = String(chat["id"])
        yield* ann.ask("PATCH", `/api/chats/${id}`, { write: { mode: "ask" } })
        const pending = Effect.map(
          ann.ask("GET", "/api/approvals"),
          ({ body }) => Array<Record<string, unknown>>().concat(Object(body["pending"]))
        )
        const call = (decision: "once" | "deny") =>
          Effect.gen(function*() {
            const text = `/make_dir {"path":"${SECRET}-${decision}"}`
            yield* Effect.forkChild(ann.ask("POST", `/api/chats/${id}/messages`, { text, model: "command" }))
            const [approval] = yield* ChatServer.until(pending, (all) => all.length === 1)
            yield* ann.ask("POST", `/api/chats/${id}/approvals/${String(approval?.["id"])}`, { decision })
            yield* ChatServer.until(ann.ask("GET", `/api/chats/${id}`), ({ body }) => body["running"] === null)
          })
        yield* call("once")
        yield* call("deny")
        yield* bob.ask("POST", "/api/tools/list_dir/call", { args: { path: "." } })
        const list = (of: typeof ann, query = "") =>
          Effect.map(of.ask("GET", `/api/audit${query}`), ({ body, text }) => {
            assert.notInclude(text, SECRET)
            return Array<Record<string, unknown>>().concat(Object(body["calls"]))
              .map(({ allowedBy, class: kind, origin, outcome, tool, user }) =>
                [user, tool, kind, origin, outcome, allowedBy].join(" ")
              )
          })
        const all = yield* ChatServer.until(list(ann), (calls) => calls.length === 3)
        assert.deepStrictEqual(all, [
          "Bob list_dir reads own done default",
          "Ann make_dir writes chat refused person",
          "Ann make_dir writes chat done person"
        ])
        assert.deepStrictEqual(yield* list(bob), all.slice(0, 1))
        assert.deepStrictEqual(yield* list(bob, "?user=Ann"), all.slice(0, 1), "members see their own alone")
        assert.deepStrictEqual(yield* list(ann, "?user=ann&outcome=done"), all.slice(2))
        assert.deepStrictEqual(yield* list(ann, "?until=2020-01-01"), [])
        const { body: first } = yield* ann.ask("GET", "/api/audit?limit=2")
        assert.deepStrictEqual(yield* list(ann, `?before=${String(first["next"])}`), all.slice(2))
        const csv = (yield* ann.ask("GET", "/api/audit/export?format=csv")).text.trim().split("\r\n")
        assert.match(csv[0] ?? "", /^id,at,user,/)
        assert.lengthOf(csv, 4)
        assert.lengthOf((yield* bob.ask("GET", "/api/audit/export?format=jsonl")).text.trim().split("\n"), 1)
        const { stdout } = yield* cli(["audit", "--user", "Bob"])
        assert.match(stdout, /Bob +list_dir/)
      }),
    60_000
  )

  it.effect("shows a chat to others by its link, read only, until it is taken back", () =>
    Effect.gen(function*() {
      const { ann, bob, server } = yield* Stage
      const { body: chat } = yield* ann.ask("POST", "/api/chats", { model: "command" })
      const id = String(chat["id"])
      const attached = { kind: "file", name: "a.txt", data: Buffer.from(SECRET).toString("base64") }
      yield* ann.ask("POST", `/api/chats/${id}/messages`, { text: "/", model: "command", attachments: [attached] })
      const sound = { text: "/files_read_media_file {\"path\":\"tone.wav\"}", model: "command" }
      yield* ann.ask("POST", `/api/chats/${id}/messages`, sound)
      assert.strictEqual((yield* bob.ask("PUT", `/api/chats/${id}/share`)).status, 404)
      const { body: share } = yield* ann.ask("PUT", `/api/chats/${id}/share`)
      assert.deepStrictEqual((yield* ann.ask("PUT", `/api/chats/${id}/share`)).body, share, "a chat has one link")
      const link = `/api/shared/${String(share["id"])}`
      const read = yield* bob.ask("GET", link)
      assert.deepInclude(read.body, { by: "Ann" })
      const [turn] = Object(read.body["turns"])
      assert.strictEqual(turn.text, "/")
      const file = turn.attachments[0].id
      assert.strictEqual((yield* bob.ask("GET", `${link}/files/${file}`)).text, SECRET)
      const results = yield* ChatServer.until(
        Effect.map(bob.ask("GET", link), ({ body }) =>
          [Object(body["turns"])[1]].flatMap((turn) =>
            Object(turn).parts ?? []
          ).filter(({ type }) => type === "tool-result")),
        ({ length }) =>
          length === 1
      )
      const [{ content: [{ data: kept = {} } = {}] = [], id: call }] = results
      const played = yield* bob.ask("GET", `${link}/calls/${call}/files/${kept.file}`)
      assert.deepStrictEqual([played.text, played.headers["content-type"], played.headers["cache-control"]], [
        SECRET,
        "audio/wav",
        "no-store"
      ])
      assert.strictEqual((yield* bob.ask("GET", `${link}/calls/other/files/${kept.file}`)).status, 404)
      assert.strictEqual((yield* RawRequest.ask(`${server.url}${link}`)).status, 401)
      assert.strictEqual((yield* bob.ask("POST", `/api/chats/${id}/messages`, { text: "hi" })).status, 404)
      assert.strictEqual((yield* bob.ask("DELETE", `/api/chats/${id}/share`)).status, 404)
      const { state } = yield* RawRequest.listen(`${server.url}${link}/events`, { cookie: bob.cookie })
      yield* ann.ask("POST", `/api/chats/${id}/messages`, { text: "/ again", model: "command" })
      yield* ChatServer.until(
        Effect.sync(() =>
          state.text
        ),
        (text) => /"turn":2.*"type":"finish"|"type":"finish".*"turn":2/.test(text)
      )
      const { body: mine } = yield* ann.ask("GET", "/api/shares")
      assert.deepStrictEqual(
        Object(mine["shares"]).map((one: { readonly chat: string }) => one.chat),
        [id]
      )
      assert.strictEqual((yield* ann.ask("DELETE", `/api/chats/${id}/share`)).status, 204)
      assert.strictEqual((yield* bob.ask("GET", link)).status, 404)
      assert.strictEqual((yield* bob.ask("GET", `${link}/calls/${call}/files/${kept.file}`)).status, 404)
      yield* ChatServer.until(Effect.sync(() => state.isOver), (isOver) => isOver)
      const { body: again } = yield* ann.ask("PUT", `/api/chats/${id}/share`)
      assert.notStrictEqual(again["id"], share["id"])
      yield* ann.ask("DELETE", `/api/chats/${id}`)
      assert.strictEqual((yield* bob.ask("GET", `/api/shared/${String(again["id"])}`)).status, 404)
      assert.deepStrictEqual((yield* ann.ask("GET", "/api/shares")).body, { shares: [] })
    }), 60_000)

  it.effect(
    "gives each person the files server in their own folder, from which no tool of it leads to another's",
    () =>
      Effect.gen(function*() {
        const { ann, before, bob, cli, data } = yield* Stage
        assert.match(before, /files +ready/)
        assert.notInclude(before, "personal")
        const call = Effect.fnUntraced(function*(of: typeof ann, tool: string, args: object) {
          const { text } = yield* of.ask("POST", `/api/tools/files_${tool}/call`, { args })
          return text
        })
        const files = (of: typeof ann) =>
          Effect.map(of.ask("GET", "/api/mcp/servers"), ({ body }) => Object(Object(body["servers"])[0]))
        for (const  of of[ann, bob]) {
          yield* ChatServer.until(files(of), ({ state }) => state === "ready")
        }
        assert.include(yield* call(ann, "read_text_file", { path: "ann.txt" }), SECRET)
        const { body: me } = yield* bob.ask("GET", "/api/me")
        const own = join(data, "workspace", "users", String(Object(me["user"]).id))
        assert.include(yield* call(bob, "list_allowed_directories", {}), own)
        const { body } = yield* bob.ask("GET", "/api/tools")
        const tools = Array<{ readonly name: string; readonly server: string }>().concat(Object(body["tools"]))
          .filter(({ name }) => name.startsWith("files_"))
        assert.isAbove(tools.length, 8)
        const workspace = join(data, "workspace")
        for (const at of ["ann.txt", "../../ann.txt", join(workspace, "ann.txt"), workspace]) {
          for (const { name } of tools) {
            const args = { path: at, paths: [at], source: at, destination: "taken.txt", pattern: "*", content: "x" }
            const { body, status, text } = yield* bob.ask("POST", `/api/tools/${name}/call`, { args })
            assert.notInclude(text, SECRET, `${name} ${at}`)
            const isRefused = status >= 400 || body["isError"] === true
            assert.isTrue(isRefused || /: Error - |Allowed directories/.test(text), `${name} ${at}: ${text}`)
          }
        }
        assert.match((yield* cli(["mcp", "list"])).stdout, /files .* personal, 2 running/)
        const { text: metrics } = yield* ann.ask("GET", "/metrics")
        assert.match(metrics, /^mcp_servers\{.*state="personal".*\} 1$/m)
        assert.match(metrics, /^mcp_servers\{.*state="disabled".*\} 0$/m)
        assert.match(metrics, /^mcp_server_instances\{.*server="files".*\} 2$/m)
        assert.notMatch(metrics, /^mcp_server_tools\{.*server="files"/m)
      }),
    60_000
  )

  it.effect("tries an entry with the values of the admin who tries it", () =>
    Effect.gen(function*() {
      const { ann, bob } = yield* Stage
      const entry = { command: "mcp-server-filesystem", args: ["${workspace}"], env: { WORD: "${user:WORD}" } }
      const tried = (of: typeof ann) =>
        Effect.map(of.ask("POST", "/api/mcp/try", { name: "tried", entry }), ({ body }) => Object(body["server"]))
      yield* ann.ask("PATCH", "/api/users/Bob", { role: "admin" })
      yield* bob.ask("PUT", "/api/me/secrets/WORD", { value: SECRET })
      const [anns, bobs] = [yield* tried(ann), yield* tried(bob)]
      yield* ann.ask("PATCH", "/api/users/Bob", { role: "member" })
      assert.deepInclude(bobs, { state: "ready", tools: 10 })
      assert.deepStrictEqual([anns.state, anns.error?._tag], ["needs-auth", "TokenNeeded"])
    }), 60_000)
})
