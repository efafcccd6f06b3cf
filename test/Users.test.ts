/** People of a real server: added by the command, signed in by HTTP, over SQLite and over a PostgreSQL that servers share. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { existsSync, statSync } from "node:fs"
import { join } from "node:path"
import * as ChatServer from "./support/ChatServer.ts"
import * as Command from "./support/Command.ts"
import * as Postgres from "./support/Postgres.ts"
import * as RawRequest from "./support/RawRequest.ts"

const PASSWORD = "correct horse battery"

const place = Effect.fnUntraced(function*(env: Readonly<Record<string, string>> = {}) {
  const folder = yield* Command.folder({ "data/mcp.json": "{ \"mcpServers\": {} }\n" })
  const data = join(folder, "data")
  const own = { BOOCODE_STATE_DIR: join(folder, "state"), ...env }
  const boocode = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = own) =>
    Command.run([...args, "--data", data], { env, cwd: data })
  return { data, boocode, start: ChatServer.start(data, env) }
})

const tokenOf = (printed: string): string => /#\/invitation\/([\w-]{43})/.exec(printed)?.[1] ?? ""

/** Posts, and gives the status and the cookie that came. */
const signIn = Effect.fnUntraced(function*(url: string, path: string, body: object) {
  const { headers, status } = yield* RawRequest.ask(`${url}${path}`, { body: JSON.stringify(body) })
  const [set = ""] = [headers["set-cookie"] ?? []].flat()
  return { status, headers: { cookie: set.split(";")[0] ?? "" } }
})

/** The first request of an MCP client. */
const initialize = (url: string, token: string) =>
  RawRequest.ask(`${url}/mcp`, {
    headers: { authorization: `Bearer ${token}`, accept: "application/json, text/event-stream" },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "a test", version: "1" } }
    })
  })

describe.concurrent("people", () => {
  it.live(
    "come with boocode users add, beside a running server and without one, and a token of theirs opens it from elsewhere",
    () =>
      Effect.gen(function*() {
        const { boocode, data, start } = yield* place()
        const none = yield* boocode(["users", "list"])
        assert.match(none.stdout, /this server is one person's/)
        const ann = yield* boocode(["users", "add", "Ann"])
        assert.match(ann.stdout, /^http:\/\/127\.0\.0\.1:4266\/#\/invitation\/[\w-]{43}\n$/)
        assert.match(ann.stderr, /Ann \(admin\) comes in by this link, once, until/)
        const server = yield* start
        const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
          RawRequest.ask(`${server.url}${path}`, { headers })
        assert.strictEqual((yield* get("/api/chats")).status, 401)
        assert.strictEqual((yield* get("/")).status, 200)
        const bob = yield* boocode(["users", "add", "Bob", "--groups", "dev,ops", "--json"])
        assert.deepInclude(JSON.parse(bob.stdout).user, { name: "Bob", role: "member", groups: ["dev", "ops"] })
        assert.include(JSON.parse(bob.stdout).link, server.url)
        const first = yield* signIn(server.url, `/api/invitations/${tokenOf(ann.stdout)}`, { password: PASSWORD })
        const second = yield* signIn(server.url, `/api/invitations/${tokenOf(bob.stdout)}`, { password: PASSWORD })
        assert.strictEqual((yield* get("/api/users", first.headers)).status, 200)
        assert.strictEqual((yield* get("/api/users", second.headers)).status, 403)
        const made = yield* RawRequest.ask(`${server.url}/api/me/tokens`, {
          headers: second.headers,
          body: JSON.stringify({ name: "laptop", scopes: ["chat"] })
        })
        const { token } = made.body
        const added = yield* RawRequest.ask(`${server.url}/api/clients`, {
          headers: second.headers,
          body: JSON.stringify({ name: "cursor" })
        })
        const before = yield* initialize(server.url, String(added.body["token"]))
        yield* boocode(["mcp", "clients", "add", "anns"])
        const names = (headers: Readonly<Record<string, string>>) =>
          Effect.map(get("/api/clients", headers), ({ body }) =>
            Object(body["known"]).map(({ name }: { readonly name: string }) => name))
        assert.deepStrictEqual(yield* names(first.headers), ["anns", "cursor"])
        assert.deepStrictEqual(yield* names(second.headers), ["cursor"])
        const taken = yield* RawRequest.ask(`${server.url}/api/clients/anns`, {
          headers: second.headers,
          method: "DELETE"
        })
        assert.strictEqual(taken.status, 404)
        const elsewhere = (args: ReadonlyArray<string>) =>
          Command.run([...args, "--url", server.url, "--json"], { env: { BOOCODE_TOKEN: String(token) } })
        assert.strictEqual((yield* elsewhere(["chats", "list"])).code, 0)
        const kept = yield* RawRequest.ask(`${server.url}/api/me/tokens`, {
          headers: second.headers,
          body: JSON.stringify({ name: "desktop", scopes: ["chat"] })
        })
        const state = join(data, "..", "desktop")
        const away = (args: ReadonlyArray<string>, stdin = "") =>
          Command.run(args, { env: { BOOCODE_STATE_DIR: state }, stdin })
        const chats = ["chats", "list", "--url", server.url, "--json"]
        const stranger = yield* away(["login", server.url], "boou_nobody-knows-this")
        assert.deepStrictEqual([stranger.code, existsSync(join(state, "logins.json"))], [1, false], stranger.stderr)
        const known = yield* away(["login", server.url], String(kept.body["token"]))
        assert.match(known.stdout, /^you are Bob at http/, known.stderr)
        assert.strictEqual(statSync(join(state, "logins.json")).mode & 0o077, 0)
        assert.strictEqual((yield* away(chats)).code, 0)
        assert.strictEqual((yield* away(["logout"])).code, 0)
        assert.strictEqual(JSON.parse((yield* away(chats)).stdout).error._tag, "SignInNeeded")
        const { status } = yield* get("/api/me", { authorization: `Bearer ${String(kept.body["token"])}` })
        assert.strictEqual(status, 401)
        const refused = yield* elsewhere(["users", "list"])
        assert.strictEqual(JSON.parse(refused.stdout).error._tag, "AdminsOnly")
        assert.match(
          (yield* boocode(["users", "list"])).stdout,
          /Ann +admin, last seen .*\n +Bob +member, dev, ops, last seen/
        )
        assert.match((yield* boocode(["users", "role", "Bob", "admin"])).stdout, /Bob {2}admin, dev, ops/)
        assert.strictEqual((yield* get("/api/users", second.headers)).status, 200)
        const events = yield* RawRequest.listen(`${server.url}/api/events`, second.headers)
        assert.deepStrictEqual([events.state.status, events.state.isOver], [200, false])
        assert.strictEqual((yield* boocode(["users", "remove", "bob"])).code, 0)
        assert.strictEqual((yield* get("/api/chats", second.headers)).status, 401)
        assert.strictEqual(JSON.parse((yield* elsewhere(["chats", "list"])).stdout).error._tag, "WrongToken")
        const client = yield* initialize(server.url, String(added.body["token"]))
        assert.deepStrictEqual([before.status, client.status], [200, 401])
        yield* ChatServer.until(
          Effect.sync(() =>
            events.state.isOver
          ),
          (ended) => ended
        )
        const last = yield* boocode(["users", "remove", "Ann"])
        assert.match(last.stderr, /Ann is the only admin/)
        const again = yield* boocode(["users", "invite", "ann"])
        const third = yield* signIn(server.url, `/api/invitations/${tokenOf(again.stdout)}`, { password: null })
        assert.strictEqual((yield* get("/api/chats", third.headers)).status, 200)
        assert.notInclude(server.stdout() + server.stderr(), PASSWORD)
      }),
    120_000
  )

  it.live(
    "are the same for two servers over one PostgreSQL, which notice within a second that there are people",
    () =>
      Effect.gen(function*() {
        const postgres = yield* Postgres.start
        const DATABASE_URL = yield* postgres.database
        const [one, other] = [yield* place({ DATABASE_URL }), yield* place({ DATABASE_URL })]
        const [here, there] = [yield* one.start, yield* other.start]
        const get = (url: string, headers: Readonly<Record<string, string>> = {}) =>
          RawRequest.ask(`${url}/api/me`, { headers })
        assert.strictEqual((yield* get(there.url)).body["users"], false)
        const ann = yield* one.boocode(["users", "add", "Ann"])
        assert.strictEqual((yield* get(here.url)).status, 401)
        yield* ChatServer.until(get(there.url), ({ status }) => status === 401)
        const wrong = yield* signIn(there.url, "/api/session", { name: "Ann", password: PASSWORD })
        assert.strictEqual(wrong.status, 401)
        const { headers } = yield* signIn(here.url, `/api/invitations/${tokenOf(ann.stdout)}`, { password: PASSWORD })
        assert.deepInclude(Object((yield* get(there.url, headers)).body["user"]), { name: "Ann", id: "first" })
        const signed = yield* signIn(there.url, "/api/session", { name: "ann", password: PASSWORD })
        const { body } = yield* RawRequest.ask(`${here.url}/api/me/sessions`, { headers: signed.headers })
        assert.lengthOf(Object(body["sessions"]), 2)
        yield* other.boocode(["users", "add", "Bob"])
        const made = yield* RawRequest.ask(`${here.url}/api/me/tokens`, {
          headers,
          body: JSON.stringify({ name: "laptop", scopes: ["chat"] })
        })
        const file = join(one.data, "..", "all.tar.gz")
        assert.strictEqual((yield* one.boocode(["backup", file])).code, 0)
        const copy = yield* place()
        assert.strictEqual((yield* copy.boocode(["restore", file, "--yes"])).code, 0)
        assert.match((yield* copy.boocode(["users", "list"])).stdout, /Ann +admin, not signed in\n +Bob +member/)
        const authorization = `Bearer ${String(made.body["token"])}`
        assert.strictEqual((yield* get((yield* copy.start).url, { authorization })).status, 200)
        const role = (url: string, name: string, role: string) =>
          RawRequest.ask(`${url}/api/users/${name}`, { headers, method: "PATCH", body: JSON.stringify({ role }) })
        for (let round = 0; round < 5; round++) {
          yield* other.boocode(["users", "role", "Ann", "admin"])
          yield* role(here.url, "Bob", "admin")
          const both = yield* Effect.all([role(here.url, "Ann", "member"), role(there.url, "Bob", "member")], {
            concurrency: "unbounded"
          })
          assert.deepStrictEqual(both.map(({ status }) => status === 200).toSorted(), [false, true])
        }
        yield* other.boocode(["users", "role", "Bob", "admin"])
        yield* other.boocode(["users", "remove", "Ann"])
        assert.strictEqual((yield* get(here.url, headers)).status, 401)
        assert.strictEqual((yield* get(there.url, signed.headers)).status, 401)
      }),
    120_000
  )
})
