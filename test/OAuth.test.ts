/** Signing in to a remote server: a real authorization server, a server that checks its tokens, the command and the API. */
import { assert, describe, layer } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { chmodSync, readFileSync, statSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import * as AppCommand from "./support/AppCommand.ts"
import * as AppServer from "./support/AppServer.ts"
import * as ChatServer from "./support/ChatServer.ts"
import { untilSeen } from "./support/CliFolder.ts"
import * as Command from "./support/Command.ts"
import * as OAuth from "./support/OAuth.ts"

const LIMIT = 120_000

type Entries = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** A data folder with these servers, which keeps tokens in a file, and a browser that only writes down what it is to open. */
const place = Effect.fnUntraced(function*(mcpServers: Entries) {
  const folder = yield* Command.folder({
    "data/mcp.json": JSON.stringify({ mcpServers }),
    "data/settings.json": JSON.stringify({ credentials: "file" }),
    "bin/xdg-open": "#!/bin/sh\nprintf '%s\\n' \"$#\" \"$@\" > \"$(dirname \"$0\")/../opened\"\n"
  })
  chmodSync(join(folder, "bin", "xdg-open"), 0o755)
  const data = join(folder, "data")
  const env = {
    BOOCODE_STATE_DIR: join(folder, "state"),
    PATH: `${join(folder, "bin")}:${process.env["PATH"] ?? ""}`,
    DISPLAY: ":99"
  }
  const args = (words: ReadonlyArray<string>) => [...words, "--data", data]
  return {
    folder,
    data,
    file: join(folder, "state", "credentials.json"),
    run: (...words: ReadonlyArray<string>) => AppCommand.run(args(words), { cwd: folder, env }),
    start: (...words: ReadonlyArray<string>) => Command.start(args(words), { cwd: folder, env, stdin: null })
  }
})

/** The address that a login told on standard error. */
const told = Effect.fnUntraced(function*({ seen }: Command.Running) {
  yield* untilSeen(() => /^http:\S+$/m.test(seen.stderr))
  return /^http:\S+$/m.exec(seen.stderr)?.[0] ?? ""
})

/** Everything in the file that must be seen nowhere else. */
const secretsIn = (file: string): ReadonlyArray<string> =>
  [...readFileSync(file, "utf8").matchAll(/"(?:access|refresh|secret)":\s*"([^"]+)"/g)].flatMap(([, value]) =>
    value ?? []
  )

const assertNone = (secrets: ReadonlyArray<string>, text: string) => {
  assert.isNotEmpty(secrets)
  for (const secret of secrets) assert.notInclude(text, secret)
}

/** How a counter went up meanwhile. */
const counted = Effect.fnUntraced(function*<A>(oauth: OAuth.OAuth, name: string, doing: Effect.Effect<A>) {
  const before = (yield* oauth.counters)[name] ?? 0
  const done = yield* doing
  return [((yield* oauth.counters)[name] ?? 0) - before, done] as const
})

const KNOWN = { clientId: "known-client", clientSecret: "known-client-secret-of-the-tests" }
const MACHINE = {
  grant: "client_credentials",
  clientId: "machine-client",
  clientSecret: "machine-client-secret-of-the-tests"
}

const freePort = Effect.promise(() =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })
)

const entries = (mcp: string, callbackPort: number): Entries => ({
  fine: { url: mcp, headers: { Authorization: "Bearer a-token-that-a-person-wrote-down" } },
  stale: { url: mcp, headers: { Authorization: "Bearer of-last-year" } },
  program: { url: mcp, oauth: MACHINE },
  never: { url: mcp, oauth: false },
  document: { url: mcp, oauth: { clientMetadataUrl: "https://boocode.example/client-metadata.json" } },
  known: { url: mcp, oauth: { ...KNOWN, callbackPort } },
  pasted: { url: mcp },
  wider: { url: mcp },
  renewed: { url: mcp },
  beside: { url: mcp },
  over: { url: mcp }
})

/** One authorization server, and one chat server with a server for each test, which it can sign in to. */
class Stage extends Context.Service<Stage>()("test/OAuthStage", {
  make: Effect.gen(function*() {
    const oauth = yield* OAuth.serve
    const callbackPort = yield* freePort
    const folder = yield* place(entries(oauth.mcp, callbackPort))
    const server = yield* AppServer.start(folder.data)
    const status = Effect.fnUntraced(function*(name: string) {
      const { body } = yield* server.get("/api/mcp/servers")
      const all: ReadonlyArray<Record<string, unknown>> = Array.isArray(body["servers"]) ? body["servers"] : []
      return Object(all.find((one) => one["name"] === name))
    })
    const until = (name: string, state: string) =>
      Effect.map(ChatServer.until(status(name), (one) => one.state === state), (one) => {
        assert.strictEqual(one.state, state, JSON.stringify(one))
        return one
      })
    const begin = Effect.fnUntraced(function*(name: string) {
      const { body, status } = yield* server.post(`/api/mcp/servers/${name}/login`)
      assert.strictEqual(status, 201, JSON.stringify(body))
      return { id: String(body["id"]), url: String(body["url"]), returns: body["returns"] }
    })
    const call = (tool: string) => server.post(`/api/tools/${tool}/call`, { args: {} })
    /** Who the server takes us for. */
    const whoami = (name: string) =>
      Effect.map(call(`${name}_whoami`), ({ body }) => JSON.parse(String(body["text"] ?? "{}")))
    const signIn = Effect.fnUntraced(function*(name: string) {
      const page = yield* OAuth.logIn((yield* begin(name)).url)
      assert.include(page.text, `Signed in to ${name}`)
      return yield* until(name, "ready")
    })
    return { ...folder, oauth, callbackPort, server, status, until, begin, call, whoami, signIn }
  })
}) {
  static readonly layer = Layer.effect(Stage, Stage.make)
}

describe("Signing in to a remote server", () => {
  layer(Stage.layer, { excludeTestServices: true, timeout: LIMIT })((it) => {
    it.effect("opens the browser with argv, keeps the tokens for the next start in a private file, and signs out", () =>
      Effect.gen(function*() {
        const { oauth } = yield* Stage
        const { file, folder, run, start } = yield* place({ web: { url: oauth.mcp } })
        const login = yield* start("mcp", "login", "web", "--json")
        const url = yield* told(login)
        const page = yield* OAuth.logIn(url)
        assert.strictEqual(page.status, 200)
        assert.include(page.text, "BooCode has the answer")
        const ended = yield* Effect.promise(() => login.ended)
        assert.strictEqual(ended.code, 0, ended.stderr)
        const { auth, state } = JSON.parse(ended.stdout)
        assert.deepStrictEqual([state, auth.signedIn, auth.issuer], ["ready", true, oauth.issuer])
        assert.strictEqual(readFileSync(join(folder, "opened"), "utf8"), `1\n${url}\n`)
        assert.strictEqual(statSync(file).mode & 0o777, 0o600)
        assertNone(secretsIn(file), JSON.stringify(ended))

        const [authorizations, called] = yield* counted(oauth, "authorizations", run("mcp", "call", "web_whoami"))
        assert.deepStrictEqual([authorizations, called.code], [0, 0], called.stderr)
        assert.deepStrictEqual(JSON.parse(called.stdout).scopes, ["mcp:tools"])

        const [revocations, out] = yield* counted(oauth, "revocations", run("mcp", "logout", "web"))
        assert.isAbove(revocations, 0)
        assert.strictEqual(out.code, 0, out.stderr)
        assert.match(out.stdout, /^ {2}web +log in[^]*boocode mcp login web/)
        assert.notMatch(readFileSync(file, "utf8"), /"(access|refresh)"/)
      }))

    it.effect("leaves configured credentials as they are, and asks nobody about others (R81)", () =>
      Effect.gen(function*() {
        const { oauth, server, until } = yield* Stage
        yield* until("fine", "ready")
        yield* until("stale", "needs-auth")
        const before = yield* oauth.counters
        yield* server.post("/api/mcp/servers/fine/restart")
        yield* server.post("/api/mcp/servers/stale/restart")
        yield* until("fine", "ready")
        const { error } = yield* until("stale", "needs-auth")
        assert.strictEqual(error._tag, "AuthRejected")
        assert.match(error.message, /refused the configured credentials/)
        assert.strictEqual((yield* server.post("/api/mcp/servers/stale/login")).status, 503)
        const after = yield* oauth.counters
        assert.isAbove(after["refused 401"] ?? 0, before["refused 401"] ?? 0)
        assert.deepStrictEqual({ ...after, "refused 401": 0 }, { ...before, "refused 401": 0 })
      }))

    it.effect("comes back to the chat server itself, which needs no person for a program and asks none where it is off", () =>
      Effect.gen(function*() {
        const { begin, oauth, server, status, until, whoami } = yield* Stage
        yield* until("program", "ready")
        assert.strictEqual((yield* whoami("program")).client, MACHINE.clientId)
        yield* until("never", "needs-auth")
        assert.notInclude((yield* status("never")).error.hint, "mcp login")
        assert.strictEqual((yield* server.post("/api/mcp/servers/never/login")).status, 503)
        yield* until("document", "needs-auth")
        const { id, returns, url } = yield* begin("document")
        const page = yield* OAuth.logIn(url)
        assert.deepStrictEqual([returns, page.status], [true, 200])
        assert.include(page.text, "Signed in to document")
        const { auth } = yield* until("document", "ready")
        assert.deepStrictEqual([auth.signedIn, auth.issuer, auth.scopes], [true, oauth.issuer, ["mcp:tools"]])
        assert.strictEqual((yield* server.get(`/api/mcp/logins/${id}`)).body["state"], "done")
        assert.match((yield* whoami("document")).client, /^https:\/\/boocode\.example\//)
      }))

    it.effect("comes back to the port that the entry names, at which the chat server listens meanwhile", () =>
      Effect.gen(function*() {
        const { begin, callbackPort, until, whoami } = yield* Stage
        const { returns, url } = yield* begin("known")
        assert.strictEqual(returns, true)
        assert.include(url, encodeURIComponent(`http://127.0.0.1:${callbackPort}/oauth/callback`))
        assert.strictEqual((yield* OAuth.logIn(url)).status, 200)
        yield* until("known", "ready")
        assert.strictEqual((yield* whoami("known")).client, KNOWN.clientId)
        const refused = yield* Effect.exit(OAuth.open(`http://127.0.0.1:${callbackPort}/oauth/callback`))
        assert.strictEqual(refused._tag, "Failure")
      }))

    it.effect("takes an address that a person pastes, and none that another login led to", () =>
      Effect.gen(function*() {
        const { begin, server, whoami } = yield* Stage
        const [mine, other] = [yield* begin("pasted"), yield* begin("pasted")]
        const callbackUrl = yield* OAuth.consent(mine.url)
        assert.strictEqual((yield* server.post(`/api/mcp/logins/${other.id}`, { callbackUrl })).status, 400)
        const done = yield* server.post(`/api/mcp/logins/${mine.id}`, { callbackUrl })
        assert.deepStrictEqual([done.status, done.body["state"]], [200, "done"])
        assert.match((yield* whoami("pasted")).client, /^[\w-]{20,}$/)
        const again = yield* server.post(`/api/mcp/logins/${mine.id}`, { callbackUrl })
        assert.strictEqual(again.status, 409)
      }))

    it.effect("asks for more when a tool wanted more, and keeps what was granted before", () =>
      Effect.gen(function*() {
        const { begin, call, signIn, status, until } = yield* Stage
        yield* signIn("wider")
        const refused = yield* call("wider_govern")
        assert.deepStrictEqual([refused.status, refused.body["_tag"]], [503, "AuthRequired"])
        assert.match(String(refused.body["detail"]), /more rights than were granted.*mcp:admin/)
        assert.strictEqual((yield* call("wider_whoami")).status, 200)
        const { url } = yield* begin("wider")
        assert.deepStrictEqual(
          new URL(url).searchParams.get("scope")?.split(" ").filter((scope) => scope.startsWith("mcp:")),
          ["mcp:tools", "mcp:admin"]
        )
        yield* OAuth.logIn(url)
        yield* ChatServer.until(status("wider"), ({ auth }) => auth.scopes.includes("mcp:admin"))
        yield* until("wider", "ready")
        assert.strictEqual((yield* call("wider_govern")).status, 200)
      }))

    it.effect("renews a token once, however many calls of two programs find it worthless (R80)", () =>
      Effect.gen(function*() {
        const { call, oauth, run, signIn, whoami } = yield* Stage
        yield* signIn("renewed")
        const { client } = yield* whoami("renewed")
        yield* oauth.tell("slow/1000")
        yield* oauth.tell("expire")
        const [renewals, [here, there]] = yield* counted(
          oauth,
          // Others renew theirs when they ask again.
          `token refresh_token of ${client}`,
          Effect.all([
            Effect.forEach(Array.from({ length: 10 }), () => call("renewed_whoami"), { concurrency: "unbounded" }),
            run("mcp", "call", "renewed_whoami", "--local")
          ], { concurrency: 2 })
        )
        yield* oauth.tell("slow/0")
        assert.deepStrictEqual(here.map(({ status }) => status), here.map(() => 200))
        assert.strictEqual(there.code, 0, there.stderr)
        assert.strictEqual(renewals, 1)
        assert.isUndefined((yield* oauth.counters)["token error invalid_grant"])
      }))

    it.effect("signs in at the running server by the command, to which the browser comes back", () =>
      Effect.gen(function*() {
        const { start, until } = yield* Stage
        const login = yield* start("mcp", "login", "beside")
        yield* OAuth.logIn(yield* told(login))
        const ended = yield* Effect.promise(() => login.ended)
        assert.strictEqual(ended.code, 0, ended.stderr)
        assert.match(ended.stdout, /^ {2}beside +ready/)
        yield* until("beside", "ready")
      }))

    it.effect("says at once that a person is needed when nothing can be renewed, and shows no token anywhere", () =>
      Effect.gen(function*() {
        const { call, file, oauth, server, signIn, until } = yield* Stage
        yield* signIn("over")
        const secrets = [...secretsIn(file), KNOWN.clientSecret, MACHINE.clientSecret]
        yield* oauth.tell("forget")
        const over = yield* call("over_whoami")
        assert.deepStrictEqual([over.status, over.body["state"]], [503, "needs-auth"])
        assert.include((yield* until("over", "needs-auth")).error.hint, "boocode mcp login over")
        const logs = yield* server.get("/api/mcp/servers/over/logs")
        const { body } = yield* server.get("/api/mcp/servers")
        const metrics = yield* OAuth.open(`${server.url}/metrics`)
        assertNone(
          secrets,
          [server.stdout(), server.stderr(), metrics.text, JSON.stringify([logs.body, body])].join("\n")
        )
        assert.strictEqual(yield* server.end("SIGTERM", "process"), 0)
      }))
  })
})
