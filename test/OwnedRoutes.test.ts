/** Every route of a real server as one person calls it with the ids of another: nothing of theirs is there. */
import { RIGHTS } from "@boocode/chat-server/api/users/Rights"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { join } from "node:path"
import * as AppCommand from "./support/AppCommand.ts"
import * as AppServer from "./support/AppServer.ts"
import * as ChatServer from "./support/ChatServer.ts"
import * as Command from "./support/Command.ts"
import * as RawRequest from "./support/RawRequest.ts"

const SECRET = "pumpkinseed"

/** A request with the ids of somebody else, which finds nothing. */
interface Try {
  readonly path: string
  readonly body?: object
}

/** What Ann has. */
interface Owned {
  readonly chat: string
  readonly turn: number
  readonly file: string
  readonly approval: string
  readonly write: string
  readonly session: string
  readonly token: string
  readonly client: string
}

/** `nothing` has no id and shows nothing of anybody; `own` shows what the caller has. The rest is asked with Ann's ids. */
const ROUTES: Readonly<Record<string, "nothing" | "own" | ((ann: Owned) => Try)>> = {
  "health.health": "nothing",
  "about.about": "nothing",
  "access.login": "nothing",
  "access.logout": "nothing",
  "signIn.ways": "nothing",
  "signIn.signIn": "nothing",
  // Everybody who has the link may use it.
  "signIn.invitation": "nothing",
  "signIn.accept": "nothing",
  "device.begin": "nothing",
  "device.token": "nothing",
  // The code is for the person who has it.
  "device.look": () => ({ path: "/api/me/device/BCDF-GHJK" }),
  "device.decide": () => ({ path: "/api/me/device/BCDF-GHJK", body: { allow: true } }),
  "me.get": "own",
  "me.password": "nothing",
  "me.sessions": "own",
  "me.endSession": ({ session }) => ({ path: `/api/me/sessions/${session}` }),
  "me.tokens": "own",
  "me.addToken": "nothing",
  "me.removeToken": ({ token }) => ({ path: `/api/me/tokens/${token}` }),
  "me.secrets": "own",
  "me.setSecret": "nothing",
  "me.removeSecret": () => ({ path: "/api/me/secrets/PUMPKIN" }),
  // No login waits here; that one of Ann's is none of Bob's, a test of the server shows.
  "logins.begin": () => ({ path: "/api/mcp/servers/none/login", body: {} }),
  "logins.get": () => ({ path: "/api/mcp/logins/none" }),
  "logins.answer": () => ({ path: "/api/mcp/logins/none", body: { callbackUrl: "http://127.0.0.1/" } }),
  "logins.cancel": () => ({ path: "/api/mcp/logins/none" }),
  "logins.logout": () => ({ path: "/api/mcp/servers/none/logout", body: {} }),
  "usage.mine": "own",
  "usage.myDays": "own",
  "usage.myServer": "own",
  "audit.list": "own",
  "audit.export": "nothing",
  "shares.list": "own",
  "shares.share": ({ chat }) => ({ path: `/api/chats/${chat}/share`, body: {} }),
  "shares.takeBack": ({ chat }) => ({ path: `/api/chats/${chat}/share` }),
  // Everybody who has the link may read: a test of the handlers shows what, and for how long.
  "shares.get": ({ chat }) => ({ path: `/api/shared/${chat}` }),
  "shares.events": ({ chat }) => ({ path: `/api/shared/${chat}/events` }),
  "shares.file": ({ chat, file }) => ({ path: `/api/shared/${chat}/files/${file}` }),
  "shares.resultFile": ({ chat }) => ({ path: `/api/shared/${chat}/calls/call_1/files/result-1` }),
  "servers.list": "own",
  "servers.events": "nothing",
  "tools.list": "own",
  "tools.search": "nothing",
  "tools.call": "nothing",
  "tools.stream": "nothing",
  "agents.agents": "own",
  "agents.models": "own",
  "commands.commands": "own",
  "commands.prompts": "own",
  "commands.prompt": "nothing",
  "commands.resources": "own",
  "commands.read": "nothing",
  "commands.watch": "nothing",
  "commands.complete": "nothing",
  "chats.create": "nothing",
  "chats.list": "own",
  "chats.search": "nothing",
  "chats.get": ({ chat }) => ({ path: `/api/chats/${chat}` }),
  "chats.update": ({ chat }) => ({ path: `/api/chats/${chat}`, body: { title: "mine" } }),
  "chats.remove": ({ chat }) => ({ path: `/api/chats/${chat}` }),
  "chats.send": ({ chat }) => ({ path: `/api/chats/${chat}/messages`, body: { text: "hi", model: "command" } }),
  "chats.fork": ({ chat, turn }) => ({ path: `/api/chats/${chat}/fork`, body: { turn } }),
  "chats.editWaiting": ({ chat, turn }) => ({ path: `/api/chats/${chat}/queue/${turn}`, body: { text: "hi" } }),
  "chats.hurry": ({ chat, turn }) => ({ path: `/api/chats/${chat}/queue/${turn}/now`, body: {} }),
  "chats.drop": ({ chat, turn }) => ({ path: `/api/chats/${chat}/queue/${turn}` }),
  "chats.editSummary": ({ chat }) => ({ path: `/api/chats/${chat}/summaries/s`, body: { text: "hi" } }),
  "chats.stop": ({ chat }) => ({ path: `/api/chats/${chat}/stop`, body: {} }),
  "chats.events": ({ chat }) => ({ path: `/api/chats/${chat}/events` }),
  "chats.timeline": ({ chat, turn }) => ({ path: `/api/chats/${chat}/turns/${turn}/timeline` }),
  "chats.export": ({ chat }) => ({ path: `/api/chats/${chat}/export` }),
  "chats.import": "nothing",
  "chats.file": ({ chat, file }) => ({ path: `/api/chats/${chat}/files/${file}` }),
  "chats.resultFile": ({ chat, file }) => ({ path: `/api/chats/${chat}/calls/c/files/${file}` }),
  "approvals.list": "own",
  "approvals.answer": ({ approval, chat }) => ({
    path: `/api/chats/${chat}/approvals/${approval}`,
    body: { decision: "once" }
  }),
  "approvals.revoke": () => ({ path: "/api/approvals/granted/make_dir" }),
  "permissions.list": "own",
  "permissions.explain": ({ chat }) => ({
    path: "/api/permissions/explain",
    body: { tool: "write_file", args: {}, chat }
  }),
  "permissions.test": "nothing",
  "questions.list": "own",
  // No question waits here; that one of Ann's is none of Bob's, a test of chat shows.
  "questions.answer": () => ({ path: "/api/questions/q", body: { action: "cancel" } }),
  "writes.list": ({ chat }) => ({ path: `/api/chats/${chat}/writes` }),
  "apps.show": ({ chat }) => ({ path: `/api/chats/${chat}/calls/c/app`, body: {} }),
  "apps.call": ({ chat }) => ({ path: `/api/chats/${chat}/calls/c/app/call`, body: { tool: "t" } }),
  "apps.preview": "nothing",
  "apps.read": ({ chat }) => ({ path: `/api/chats/${chat}/calls/c/app/read`, body: { uri: "ui://a" } }),
  "writes.undo": ({ chat, write }) => ({ path: `/api/chats/${chat}/writes/${write}/undo`, body: {} }),
  "clients.list": "own",
  "clients.changes": "nothing",
  "clients.add": "nothing",
  "clients.remove": ({ client }) => ({ path: `/api/clients/${client}` }),
  "clients.end": ({ client }) => ({ path: `/api/clients/${client}/end`, body: {} }),
  "clients.attend": "nothing"
}

interface Route {
  readonly name: string
  readonly method: string
  readonly path: string
}

const routesOf = (document: Record<string, unknown>): ReadonlyArray<Route> =>
  Object.entries(Object(document["paths"])).flatMap(([path, methods]) =>
    Object.entries(Object(methods)).map(([method, told]) => ({
      name: String(Object(told).operationId),
      method: method.toUpperCase(),
      path
    }))
  )

const isAdmins = (name: string): boolean => {
  const [group = "", endpoint = ""] = name.split(".")
  return Object(Object(RIGHTS)[group])[endpoint] === "admin"
}

describe("The routes of a server with people", () => {
  it.live(
    "find nothing by the ids of another person, and list nothing of theirs",
    () =>
      Effect.gen(function*() {
        const folder = yield* Command.folder({ "data/mcp.json": "{ \"mcpServers\": {} }\n" })
        const data = join(folder, "data")
        const env = { BOOCODE_STATE_DIR: join(folder, "state") }
        const server = yield* AppServer.start(data)
        const invited = Effect.fnUntraced(function*(name: string) {
          const { stdout } = yield* AppCommand.run(["users", "add", name, "--data", data], { env, cwd: data })
          const token = /#\/invitation\/([\w-]{43})/.exec(stdout)?.[1]
          const body = JSON.stringify({ password: "correct horse battery" })
          const { headers: set } = yield* RawRequest.ask(`${server.url}/api/invitations/${token}`, { body })
          const cookie = String([set["set-cookie"] ?? []].flat()[0]).split(";")[0] ?? ""
          return (method: string, path: string, body?: object) =>
            RawRequest.ask(`${server.url}${path}`, {
              method,
              headers: { cookie },
              ...body === undefined ? {} : { body: JSON.stringify(body) }
            })
        })
        const ann = yield* invited("Ann")
        const bob = yield* invited("Bob")

        const { body: chat } = yield* ann("POST", "/api/chats", { model: "command" })
        const id = String(chat["id"])
        yield* ann("PATCH", `/api/chats/${id}`, { title: SECRET, write: { mode: "ask" } })
        const attached = { kind: "file", name: `${SECRET}.txt`, data: Buffer.from(SECRET).toString("base64") }
        const pending = () =>
          Effect.map(ann("GET", "/api/approvals"), ({ body }) =>
            Array<Record<string, unknown>>().concat(Object(body["pending"])))
        const call = (text: string, more = {}) =>
          Effect.forkChild(ann("POST", `/api/chats/${id}/messages`, { text, model: "command", ...more }))
        yield* call(`/make_dir {"path":"${SECRET}"}`, { attachments: [attached] })
        const [first] = yield* ChatServer.until(pending(), (all) =>
          all.length === 1)
        yield* ann("POST", `/api/chats/${id}/approvals/${String(first?.["id"])}`, { decision: "always" })
        const writes = yield* ChatServer.until(
          Effect.map(ann("GET", `/api/chats/${id}/writes`), ({ body }) =>
            Array<Record<string, unknown>>().concat(Object(body["writes"]))),
          (all) =>
            all.length === 1
        )
        yield* call(`/write_file {"path":"${SECRET}.md","content":"${SECRET}"}`)
        const [approval] = yield* ChatServer.until(pending(), (all) =>
          all.length === 1)
        const whole = yield* ann("GET", `/api/chats/${id}`)
        const [attachment] = Object(whole.body["turns"])[0].attachments
        yield* ann("POST", "/api/clients", { name: SECRET })
        yield* ann("PUT", "/api/me/secrets/PUMPKIN", { value: SECRET })
        const { body: token } = yield* ann("POST", "/api/me/tokens", { name: SECRET, scopes: ["chat"] })
        const { body: sessions } = yield* ann("GET", "/api/me/sessions")
        const owned: Owned = {
          chat: id,
          turn: 1,
          file: String(Object(attachment).id),
          approval: String(approval?.["id"]),
          write: String(writes[0]?.["id"]),
          session: String(Object(sessions["sessions"])[0].id),
          token: String(token["id"] ?? Object(token["added"] ?? {}).id),
          client: SECRET
        }
        for (const [key, value] of Object.entries(owned)) assert.notMatch(String(value), /^(|undefined)$/, key)
        assert.strictEqual((yield* ann("GET", `/api/chats/${id}/files/${owned.file}`)).text, SECRET)

        const { body: document } = yield* ann("GET", "/api/openapi.json")
        const routes = routesOf(document).filter(({ name }) => !isAdmins(name))
        assert.sameMembers(routes.map(({ name }) => name), Object.keys(ROUTES), "a route is new, or gone")
        for (const { method, name, path } of routes) {
          const wanted = ROUTES[name]
          if (wanted === undefined || wanted === "nothing") continue
          const tried: Try = wanted === "own" ? { path } : wanted(owned)
          const { status, text } = yield* bob(method, tried.path, tried.body)
          assert.strictEqual(status, wanted === "own" ? 200 : 404, `${name}: ${text}`)
          assert.notInclude(text.replaceAll(tried.path, ""), wanted === "own" ? SECRET : `"${SECRET}"`, name)
        }
        for (const path of [`/api/chats?q=${SECRET}`, `/api/chats/search?q=${SECRET}`]) {
          assert.notInclude((yield* bob("GET", path)).text, id, path)
          assert.include((yield* ann("GET", path)).text, id, path)
        }
        // None of it reached Ann's chat.
        assert.strictEqual((yield* ann("GET", `/api/chats/${id}`)).text, whole.text)
        assert.lengthOf(yield* pending(), 1)
        const { text: secrets } = yield* ann("GET", "/api/me/secrets")
        assert.match(secrets, /"PUMPKIN"/)
        assert.notInclude(secrets, SECRET)
        yield* ann("POST", `/api/chats/${id}/stop`, {})
      }),
    120_000
  )
})
