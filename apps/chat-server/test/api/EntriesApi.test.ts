import { HiddenValues } from "@boocode/mcp-config"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as EntriesStage from "../support/EntriesStage.ts"
import { log } from "../support/Scripted.ts"

const { MASK } = HiddenValues

const FILE = `{
  // ours
  "mcpServers": {
    "web": { // remote
      "type": "http",
      "url": "https://web.example/mcp",
      "headers": { "Authorization": "Bearer abc123", "X": "\${NAME:-}" },
    },
    "db": {
      "command": "db-mcp",
      "args": ["--token", "s3cret", "-v"], // why
      "env": { "DB": "postgres://u:p@host/x" },
      "odd": 1
    },
    "context7": {
      "type": "streamableHttp",
      "url": "https://mcp.context7.com/mcp",
      "headers": { "X-API-Key": "\${CONTEXT7_API_KEY:-}" },
      "enabled": false
    }
  }
}
`

const stage = (options: EntriesStage.Options = {}) => EntriesStage.open({ file: FILE, ...options })

const TOKEN = "a-token-of-some-length"

describe("The entry of a server over HTTP", () => {
  it.effect("is given as it is written, comments included and secrets hidden, with the keys that it may have", () =>
    Effect.gen(function*() {
      const { ask } = yield* stage()
      const { body, status } = yield* ask("GET", "/api/mcp/servers/db/entry")
      assert.strictEqual(status, 200)
      assert.deepInclude(body, { name: "db", line: 9, editable: true, why: null })
      assert.include(body.text, `["--token", "${MASK}", "-v"], // why`)
      assert.deepStrictEqual(body.entry.env, { DB: MASK })
      assert.notMatch(JSON.stringify(body), /s3cret|u:p@/)
      assert.deepInclude(body.keys.find(({ key }: { readonly key: string }) => key === "restart"), {
        type: "choice",
        choices: ["never", "on-failure"],
        transport: null
      })
      assert.strictEqual((yield* ask("GET", "/api/mcp/servers/nobody/entry")).status, 404)
    }))

  it.effect("stands beside the applications that BooCode can be connected to, which are listed with their state", () =>
    Effect.gen(function*() {
      const { ask } = yield* stage()
      const { body, status } = yield* ask("GET", "/api/mcp/connections")
      assert.strictEqual(status, 200)
      assert.strictEqual(body.clients.length, 10)
      assert.deepStrictEqual(body.clients[4], {
        ...{ id: "codex", title: "Codex", file: null, found: false, profile: null, servers: 0 },
        problem: "there is no place for the file of Codex: no home folder is set"
      })
      assert.deepStrictEqual(body.entry.mcpServers.boocode.args.slice(1, 3), ["mcp", "serve"])
    }))

  it.effect("is changed in its file, where all else stays and hidden values stay what they are", () =>
    Effect.gen(function*() {
      const { ask, text } = yield* stage()
      const { body } = yield* ask("GET", "/api/mcp/servers/db/entry")
      const changed = body.text.replace("\"-v\"]", "\"-q\"]")
      const done = yield* ask("PUT", "/api/mcp/servers/db/entry", { text: changed })
      assert.deepStrictEqual([done.status, done.body.state], [200, "ready"], JSON.stringify(done.body))
      assert.strictEqual(text(), FILE.replace("\"-v\"]", "\"-q\"]"))
    }))

  it.effect("is not written over a change that its editor has not seen", () =>
    Effect.gen(function*() {
      const { ask, memory, text } = yield* stage()
      const { entry, seen } = (yield* ask("GET", "/api/mcp/servers/db/entry")).body
      const meanwhile = FILE.replace("\"-v\"]", "\"-q\"]")
      memory.write("/d/mcp.json", meanwhile)
      const change = { entry: { ...entry, timeout: 5000 }, seen }
      const { body, status } = yield* ask("PUT", "/api/mcp/servers/db/entry", change)
      assert.deepInclude({ status, ...body }, {
        status: 409,
        state: "changed",
        hint: "load it anew; nothing was written"
      })
      assert.strictEqual(text(), meanwhile)
      // Another entry, and a value that nobody was shown, are no change of what was seen.
      memory.write("/d/mcp.json", FILE.replace("web.example", "w.example").replace("s3cret", "0ther"))
      assert.strictEqual((yield* ask("PUT", "/api/mcp/servers/db/entry", change)).status, 200)
      assert.match(text(), /"0ther"[^]*"timeout": 5000/)
    }))

  it.effect("is changed by what it is to say, comments beside what stays included, and may get another name", () =>
    Effect.gen(function*() {
      const { ask, text } = yield* stage()
      const { body } = yield* ask("GET", "/api/mcp/servers/db/entry")
      const entry = { ...body.entry, timeout: 5000 }
      const done = yield* ask("PUT", "/api/mcp/servers/db/entry", { entry, newName: "data" })
      assert.deepStrictEqual([done.status, done.body.name], [200, "data"], JSON.stringify(done.body))
      assert.strictEqual(
        text(),
        FILE.replace("\"db\": {", "\"data\": {").replace("\"odd\": 1", "\"odd\": 1,\n      \"timeout\": 5000")
      )
      const taken = yield* ask("PUT", "/api/mcp/servers/data/entry", { entry: body.entry, newName: "web" })
      assert.deepStrictEqual([taken.status, taken.body.state], [409, "exists"])
    }))

  it.effect("is refused with the place, the key and a hint, and nothing is written", () =>
    Effect.gen(function*() {
      const { ask, text } = yield* stage()
      const rows = [
        ["{\n  \"command\" \"x\"\n}", { line: 2, column: 13, key: null }],
        ["{\n  \"command\": \"x\",\n  \"timeuot\": 3\n}", { line: 3, column: 3, key: "timeuot" }],
        ["{\n  \"command\": \"x\",\n  \"timeout\": \"soon\"\n}", { line: 3, column: 14, key: "timeout" }],
        ["{ \"command\": \"x\", \"args\": [\"${\"] }", { line: 1, column: 28, key: "args[0]" }],
        ["{ \"url\": \"web.example\" }", { line: 1, column: 10, key: "url" }],
        ["{ \"type\": \"http\" }", { line: 1, column: 1, key: "url" }],
        [`{\n "command": "x",\n "env": { "NEW": "${MASK}" }\n}`, { line: 3, column: 18, key: "env.NEW" }]
      ] as const
      for (const [sent, place] of rows) {
        for (const [method, path] of [["PUT", "/api/mcp/servers/db/entry"], ["POST", "/api/mcp/try"]] as const) {
          const { body, status } = yield* ask(method, path, { text: sent, ...method === "POST" ? { name: "db" } : {} })
          assert.deepInclude(
            { ...body, status },
            { ...place, status: 400, _tag: "InvalidEntry" },
            `${sent} ${body.detail}`
          )
          assert.isNotEmpty(body.hint)
        }
      }
      const object = yield* ask("PUT", "/api/mcp/servers/db/entry", { entry: { command: "x", timeout: "soon" } })
      assert.deepInclude({ ...object.body }, { status: 400, key: "timeout", line: null, column: null })
      assert.strictEqual((yield* ask("PUT", "/api/mcp/servers/db/entry", { txet: "" })).status, 400)
      assert.strictEqual((yield* ask("PUT", "/api/mcp/servers/db/entry", {})).status, 400)
      assert.strictEqual(text(), FILE)
    }))

  it.effect("keeps a secret bound to the address it was written for", () =>
    Effect.gen(function*() {
      const { ask, text, tried } = yield* stage()
      const { body } = yield* ask("GET", "/api/mcp/servers/web/entry")
      const away = body.text.replace("web.example", "evil.example")
      for (const [method, path] of [["PUT", "/api/mcp/servers/web/entry"], ["POST", "/api/mcp/try"]] as const) {
        const given = { text: away, ...method === "POST" ? { name: "web" } : {} }
        const refused = yield* ask(method, path, given)
        assert.deepInclude({ ...refused.body }, { status: 400, key: "url", line: 3, column: 10 })
      }
      const other = yield* ask("POST", "/api/mcp/try", { name: "new", text: body.text })
      assert.deepInclude({ ...other.body }, { status: 400, key: "headers.Authorization" })
      assert.deepStrictEqual(tried, [])
      const signedIn = JSON.stringify({
        mcpServers: {
          o: { url: "https://o.example", oauth: { clientId: "c", clientSecret: "s", issuer: "https://i" } }
        }
      })
      const oauth = yield* stage({ file: signedIn })
      const { entry } = (yield* oauth.ask("GET", "/api/mcp/servers/o/entry")).body
      const issuer = { ...entry, oauth: { ...entry.oauth, issuer: "https://evil.example" } }
      const elsewhere = yield* oauth.ask("PUT", "/api/mcp/servers/o/entry", { entry: issuer })
      assert.deepInclude({ ...elsewhere.body }, { status: 400, key: "oauth" })
      const near = yield* ask("PUT", "/api/mcp/servers/web/entry", { text: body.text.replace("/mcp\"", "/v2/mcp\"") })
      assert.strictEqual(near.status, 200, JSON.stringify(near.body))
      assert.strictEqual(text(), FILE.replace("web.example/mcp", "web.example/v2/mcp"))
    }))

  it.effect("is tried without a change of the file, with its secrets", () =>
    Effect.gen(function*() {
      const { ask, text, tried } = yield* stage()
      const { body } = yield* ask("GET", "/api/mcp/servers/web/entry")
      const trial = yield* ask("POST", "/api/mcp/try", { name: "web", text: body.text })
      assert.deepInclude(trial.body, { log, millis: 5 })
      assert.deepStrictEqual([trial.body.server.name, trial.body.tools[0].name], ["web", "web_read"])
      const [transport] = tried.map(Object)
      assert.strictEqual(Redacted.value(transport.headers.Authorization), "Bearer abc123")
      assert.strictEqual((yield* ask("POST", "/api/mcp/try", { name: "n", entry: { command: "x" } })).status, 200)
      assert.strictEqual(text(), FILE)
    }))

  it.effect("is shown and not edited where its file is another application's", () =>
    Effect.gen(function*() {
      const { ask } = yield* stage({
        file: "{ \"mcpServers\": { \"r\": { \"command\": \"x\", \"alwaysAllow\": [] } } }"
      })
      const { body } = yield* ask("GET", "/api/mcp/servers/r/entry")
      assert.deepInclude(body, { editable: false, text: null, entry: null, line: null })
      assert.include(body.why, "another application")
      const put = yield* ask("PUT", "/api/mcp/servers/r/entry", { entry: { command: "y" } })
      assert.deepStrictEqual([put.status, put.body.state], [409, "elsewhere"])
    }))
})

describe("The entry of a server where others reach it", () => {
  it.effect("is read, and no program, helper or variable is set: 403 has the command line that does it", () =>
    Effect.gen(function*() {
      const { ask, text, tried } = yield* stage({ token: TOKEN })
      assert.strictEqual((yield* ask("GET", "/api/mcp/servers/db/entry")).body.editable, true)
      const rows = [
        [{ command: "rm", args: ["-rf", "a b"] }, "boocode mcp add db --force -- rm -rf 'a b'"],
        [{ command: "db-mcp", env: { A: "it's" } }, "boocode mcp add db --env 'A=it'\\''s' --force -- db-mcp"],
        [
          { url: "https://a.example", headersHelper: "id" },
          "boocode mcp add db --from-json '{\"url\":\"https://a.example\",\"headersHelper\":\"id\"}' --force"
        ],
        [
          { url: "https://a.example/${HOME}" },
          "boocode mcp add db --from-json '{\"url\":\"https://a.example/${HOME}\"}' --force"
        ]
      ] as const
      for (const [entry, command] of rows) {
        const { body, status } = yield* ask("PUT", "/api/mcp/servers/db/entry", { entry })
        assert.deepStrictEqual([status, body._tag, body.command], [403, "NotOverHttp", command])
        assert.strictEqual((yield* ask("POST", "/api/mcp/try", { name: "db", entry })).status, 403)
      }
      const fresh = yield* ask("POST", "/api/mcp/servers", { name: "n", entry: { command: "x" } })
      assert.deepStrictEqual([fresh.status, fresh.body.command], [403, "boocode mcp add n -- x"])
      const vars = yield* ask("PUT", "/api/mcp/servers/web/variables", { NAME: "x" })
      assert.strictEqual(vars.status, 403)
      assert.strictEqual((yield* ask("POST", "/api/mcp/imports", { source: "cursor" })).status, 400)
      assert.strictEqual(
        (yield* ask("POST", "/api/mcp/imports", { text: "npx some-mcp" })).body.command,
        "boocode mcp add some -- npx some-mcp"
      )
      assert.strictEqual((yield* ask("POST", "/api/mcp/imports", { source: "/etc/passwd" })).status, 400)
      assert.deepStrictEqual(tried, [])
      assert.strictEqual(text(), FILE)
    }))

  it.effect("may change in what is no matter of this machine, and leads to public addresses only", () =>
    Effect.gen(function*() {
      const { ask, text } = yield* stage({ token: TOKEN })
      const db = (yield* ask("GET", "/api/mcp/servers/db/entry")).body
      assert.strictEqual(
        (yield* ask("PUT", "/api/mcp/servers/db/entry", { entry: { ...db.entry, timeout: 9 } })).status,
        200
      )
      assert.include(text(), "\"timeout\": 9")
      const web = (yield* ask("GET", "/api/mcp/servers/web/entry")).body
      const slower = yield* ask("PUT", "/api/mcp/servers/web/entry", { entry: { ...web.entry, timeout: 8 } })
      assert.strictEqual(slower.status, 200, JSON.stringify(slower.body))
      assert.notInclude(text(), "publicOnly")
      const inside = yield* ask("PUT", "/api/mcp/servers/web/entry", { entry: { url: "https://nas.local/mcp" } })
      assert.deepStrictEqual([inside.status, inside.body._tag], [403, "NotOverHttp"])
      const away = yield* ask("PUT", "/api/mcp/servers/web/entry", { entry: { url: "https://other.example/mcp" } })
      assert.strictEqual(away.status, 200, JSON.stringify(away.body))
      assert.include(text(), "\"publicOnly\": true")
      const free = yield* ask("PUT", "/api/mcp/servers/web/entry", { entry: { url: "https://other.example/mcp" } })
      assert.strictEqual(free.status, 200)
      assert.include(text(), "\"publicOnly\": true")
    }))
})

describe("Pasted texts and imports over HTTP", () => {
  it.effect("says what a text means, and which names are taken", () =>
    Effect.gen(function*() {
      const { ask } = yield* stage()
      const text =
        "{ \"mcpServers\": { \"web\": { \"command\": \"npx -y w\" }, \"context7\": { \"command\": \"c\" } } }"
      const { body, status } = yield* ask("POST", "/api/mcp/read", { text })
      assert.strictEqual(status, 200)
      assert.strictEqual(body.shape, "mcpServers")
      assert.deepStrictEqual(
        body.servers.map(({ entry, name, taken }: Record<string, unknown>) => [name, entry, taken]),
        [["web", { command: "npx", args: ["-y", "w"] }, true], ["context7", { command: "c" }, false]]
      )
      assert.strictEqual(body.servers[0].warnings[0].key, "command")
      assert.deepInclude((yield* ask("POST", "/api/mcp/read", { text: "{" })).body, { servers: [], shape: null })
    }))

  it.effect("replaces an untouched example by a person's own, added or imported", () =>
    Effect.gen(function*() {
      const added = yield* stage()
      const own = { name: "context7", entry: { command: "c7" } }
      const done = yield* added.ask("POST", "/api/mcp/servers", own)
      assert.strictEqual(done.status, 201, JSON.stringify(done.body))
      assert.include(added.text(), "\"command\": \"c7\"")
      assert.notInclude(added.text(), "CONTEXT7_API_KEY")
      assert.strictEqual((yield* added.ask("POST", "/api/mcp/servers", own)).status, 409)
      const imported = yield* stage()
      const text = JSON.stringify({
        mcpServers: { context7: { command: "c7" }, web: { command: "w" }, n: { command: "n" } }
      })
      const dry = yield* imported.ask("POST", "/api/mcp/imports", { text, dryRun: true })
      assert.deepInclude(dry.body, { isWritten: false })
      assert.strictEqual(imported.text(), FILE)
      const { body } = yield* imported.ask("POST", "/api/mcp/imports", { text, names: ["context7", "web"] })
      assert.deepStrictEqual(
        body.sources[0].servers.map(({ name, outcome, written }: Record<string, unknown>) => [name, outcome, written]),
        [["context7", "added", true], ["web", "changed", false]]
      )
      assert.include(imported.text(), "\"command\": \"c7\"")
      assert.notInclude(imported.text(), "\"n\": {")
      const never = yield* imported.ask("POST", "/api/mcp/imports", { text: "npm install -g some-mcp" })
      assert.deepInclude(never.body.sources[0].servers[0], { outcome: "skipped", written: false })
      assert.include(never.body.sources[0].servers[0].notes[0].detail, "installs something")
    }))
})

describe("Variables of an entry over HTTP", () => {
  it.effect("are written into .env for its owner alone, and only those that the entry names", () =>
    Effect.gen(function*() {
      const { ask, memory } = yield* stage()
      const other = yield* ask("PUT", "/api/mcp/servers/web/variables", { PATH: "/evil" })
      assert.deepInclude({ ...other.body }, { status: 400, key: "PATH" })
      assert.isNull(memory.text("/d/.env"))
      yield* ask("PUT", "/api/mcp/servers/web/variables", { NAME: "it's $mine # really" })
      assert.strictEqual(memory.text("/d/.env"), "NAME=`it's $mine # really`\n")
      assert.strictEqual(memory.file("/d/.env").mode, 0o600)
    }))
})
