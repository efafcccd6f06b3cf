/** People of a real server: added by the command, signed in by HTTP. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { existsSync, statSync } from "node:fs"
import { join } from "node:path"
import * as AppCommand from "./support/AppCommand.ts"
import * as ChatServer from "./support/ChatServer.ts"
import { PASSWORD, place, signIn, tokenOf } from "./support/People.ts"
import * as RawRequest from "./support/RawRequest.ts"

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
          AppCommand.run([...args, "--url", server.url, "--json"], { env: { BOOCODE_TOKEN: String(token) } })
        assert.strictEqual((yield* elsewhere(["chats", "list"])).code, 0)
        const kept = yield* RawRequest.ask(`${server.url}/api/me/tokens`, {
          headers: second.headers,
          body: JSON.stringify({ name: "desktop", scopes: ["chat"] })
        })
        const state = join(data, "..", "desktop")
        const away = (args: ReadonlyArray<string>, stdin = "") =>
          AppCommand.run(args, { env: { BOOCODE_STATE_DIR: state }, stdin })
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
        const again = yield* boocode(["users", "invite", "ann"])
        const third = yield* signIn(server.url, `/api/invitations/${tokenOf(again.stdout)}`, { password: null })
        assert.strictEqual((yield* get("/api/chats", third.headers)).status, 200)
        assert.notInclude(server.stdout() + server.stderr(), PASSWORD)
      }),
    120_000
  )
})
