/** What is left of a person who was removed, in the database and the state folder of a real server: nothing. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import * as AppCommand from "./support/AppCommand.ts"
import * as AppServer from "./support/AppServer.ts"
import * as ChatServer from "./support/ChatServer.ts"
import * as Command from "./support/Command.ts"
import * as Deadline from "./support/Deadline.ts"
import * as RawRequest from "./support/RawRequest.ts"

/** Where a text stands in any column of any table, or in any other file of the folder. */
const placesOf = (state: string, text: string): ReadonlyArray<string> => {
  const database = new DatabaseSync(join(state, "chats.sqlite"), { readOnly: true })
  const tables = database.prepare(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'"
  )
    .all().map(({ name }) => String(name))
  const has = (table: string): boolean => {
    const select = database.prepare(`SELECT * FROM "${table}"`)
    select.setReadBigInts(true)
    return select.all().some((row) => Object.values(row).some((value) => String(value).includes(text)))
  }
  const rows = tables.filter(has)
  database.close()
  const files = readdirSync(state, { recursive: true }).map(String).filter((name) =>
    !name.startsWith("chats.sqlite") && statSync(join(state, name)).isFile() &&
    readFileSync(join(state, name), "utf8").includes(text)
  )
  return [...rows, ...files]
}

describe("A person who is removed", Deadline.TEST, () => {
  it.live("leaves no row and no file with their id, beside a running server and without one", () =>
    Effect.gen(function*() {
      const folder = yield* Command.folder({ "data/mcp.json": "{ \"mcpServers\": {} }\n" })
      const data = join(folder, "data")
      const state = join(folder, "state")
      const boocode = (...args: ReadonlyArray<string>) =>
        AppCommand.run([...args, "--data", data], { env: { BOOCODE_STATE_DIR: state }, cwd: data })
      const server = yield* AppServer.start(data)
      /** Signs in and leaves something of each kind. */
      const living = Effect.fnUntraced(function*(name: string) {
        const { stdout } = yield* boocode("users", "add", name)
        const token = /#\/invitation\/([\w-]{43})/.exec(stdout)?.[1]
        const { headers: set } = yield* RawRequest.ask(`${server.url}/api/invitations/${token}`, {
          body: JSON.stringify({ password: "correct horse battery" })
        })
        const cookie = String([set["set-cookie"] ?? []].flat()[0]).split(";")[0] ?? ""
        const ask = (method: string, path: string, body?: object) =>
          RawRequest.ask(`${server.url}${path}`, {
            method,
            headers: { cookie },
            ...body === undefined ? {} : { body: JSON.stringify(body) }
          })
        const { body: me } = yield* ask("GET", "/api/me")
        const id = String(Object(me["user"]).id)
        yield* ask("POST", "/api/me/tokens", { name: "t", scopes: ["chat"] })
        yield* ask("POST", "/api/clients", { name: `client of ${name}` })
        const { body: chat } = yield* ask("POST", "/api/chats", { model: "command" })
        yield* ask("PATCH", `/api/chats/${String(chat["id"])}`, { write: { mode: "ask" } })
        const attached = { kind: "file", name: "a.txt", data: "YQ==" }
        yield* Effect.forkChild(ask("POST", `/api/chats/${String(chat["id"])}/messages`, {
          text: `/make_dir {"path":"${name}"}`,
          model: "command",
          attachments: [attached]
        }))
        const pending = Effect.map(
          ask("GET", "/api/approvals"),
          ({ body }) => Array<object>().concat(Object(body["pending"]))
        )
        const [approval] = yield* ChatServer.until(pending, (all) => all.length === 1)
        yield* ask("POST", `/api/chats/${String(chat["id"])}/approvals/${String(Object(approval).id)}`, {
          decision: "always"
        })
        yield* ChatServer.until(
          ask("GET", `/api/chats/${String(chat["id"])}/writes`),
          ({ text }) => text.includes("done")
        )
        return { id, ask }
      })
      yield* living("Ann")
      const bob = yield* living("Bob")
      const cid = yield* living("Cid")
      for (const { id } of [bob, cid]) {
        assert.includeMembers([...placesOf(state, id)], ["users", "user_sessions", "user_tokens", "chats"], id)
        assert.includeMembers([...placesOf(state, id)], ["mcp-clients.json", "allowed-tools.json"])
      }

      yield* boocode("users", "remove", "Bob")
      assert.strictEqual((yield* bob.ask("GET", "/api/chats")).status, 401)
      assert.deepStrictEqual(placesOf(state, bob.id), [])

      yield* server.end("SIGTERM", "process")
      const login = (server: string) => ({ server, url: "https://mcp.example/", plain: null, sealed: "its tokens" })
      writeFileSync(
        join(state, "credentials.json"),
        JSON.stringify({ version: 1, servers: [login("mail"), login(`mail\n${cid.id}`)] })
      )
      const removed = yield* boocode("users", "remove", "Cid")
      assert.strictEqual(removed.code, 0, removed.stderr)
      assert.deepStrictEqual(placesOf(state, cid.id), [])
      assert.deepStrictEqual(JSON.parse(readFileSync(join(state, "credentials.json"), "utf8")).servers, [login("mail")])
      assert.deepStrictEqual(
        placesOf(state, "make_dir").filter((place) => place === "parts"),
        ["parts"],
        "Ann keeps hers"
      )
    }))
})
