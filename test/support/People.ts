/** People of real servers: how they come in, and that servers over one database have the same. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { join } from "node:path"
import * as AppCommand from "./AppCommand.ts"
import * as AppServer from "./AppServer.ts"
import * as ChatServer from "./ChatServer.ts"
import * as Command from "./Command.ts"
import * as RawRequest from "./RawRequest.ts"

export const PASSWORD = "correct horse battery"

/** A data folder with the command on it. */
export const place = Effect.fnUntraced(function*(env: Readonly<Record<string, string>> = {}) {
  const folder = yield* Command.folder({ "data/mcp.json": "{ \"mcpServers\": {} }\n" })
  const data = join(folder, "data")
  const own = { BOOCODE_STATE_DIR: join(folder, "state"), ...env }
  const boocode = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = own) =>
    AppCommand.run([...args, "--data", data], { env, cwd: data })
  return { data, boocode, start: AppServer.start(data, env) }
})

export const tokenOf = (printed: string): string => /#\/invitation\/([\w-]{43})/.exec(printed)?.[1] ?? ""

/** Posts, and gives the status and the cookie that came. */
export const signIn = Effect.fnUntraced(function*(url: string, path: string, body: object) {
  const { headers, status } = yield* RawRequest.ask(`${url}${path}`, { body: JSON.stringify(body) })
  const [set = ""] = [headers["set-cookie"] ?? []].flat()
  return { status, headers: { cookie: set.split(";")[0] ?? "" } }
})

/** Two servers over this database have the same people, and notice within a second that there are some. */
export const areShared = Effect.fnUntraced(function*(DATABASE_URL: string) {
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
  const authorization = `Bearer ${String(made.body["token"])}`
  assert.strictEqual((yield* get((yield* copy.start).url, { authorization })).status, 200)
  const role = (url: string, name: string, role: string) =>
    RawRequest.ask(`${url}/api/users/${name}`, { headers, method: "PATCH", body: JSON.stringify({ role }) })
  for (let round = 0; round < 2; round++) {
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
})
