/** A remote server of which each person has their own: what it hears, and what each person sees, over a real chat server. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFileSync, writeFileSync } from "node:fs"
import { createServer, type IncomingMessage } from "node:http"
import { join } from "node:path"
import * as AppCommand from "./support/AppCommand.ts"
import * as AppServer from "./support/AppServer.ts"
import * as ChatServer from "./support/ChatServer.ts"
import * as Command from "./support/Command.ts"
import * as RawRequest from "./support/RawRequest.ts"

const PEOPLE = ["Ann", "Bob"] as const

const tokenOf = (name: string) => `canary-${name}-token`

const read = (request: IncomingMessage) =>
  new Promise<string>((resolve) => {
    let text = ""
    request.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk
    }).on("end", () => resolve(text))
  })

/** Offers each person a tool of their own, which says whose token called it. */
const recording = Effect.acquireRelease(
  Effect.promise(async () => {
    const seen: Array<{ readonly token: string; readonly body: string }> = []
    const server = createServer((request, response) => {
      void read(request).then((body) => {
        const token = (request.headers.authorization ?? "").replace("Bearer ", "")
        seen.push({ token, body })
        const owner = PEOPLE.find((name) => token.startsWith(tokenOf(name)))
        if (owner === undefined) return void response.writeHead(401).end()
        if (request.method !== "POST") return void response.writeHead(405).end()
        const { id, method } = JSON.parse(body)
        if (id === undefined) return void response.writeHead(202).end()
        const result = method === "initialize"
          ? {
            protocolVersion: "2025-11-25",
            capabilities: { tools: {} },
            serverInfo: { name: "recording", version: "1" }
          }
          : method === "tools/list"
          ? {
            tools: ["whoami", `only_${owner}`].map((name) => ({
              name,
              inputSchema: { type: "object" },
              annotations: { readOnlyHint: true }
            }))
          }
          : method === "tools/call"
          ? { content: [{ type: "text", text: `you are ${owner}` }] }
          : undefined
        const answer = result === undefined ? { error: { code: -32601, message: "no" } } : { result }
        response.writeHead(200, { "content-type": "application/json" }).end(
          JSON.stringify({ jsonrpc: "2.0", id, ...answer })
        )
      })
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()))
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    return { seen, port, close: () => server.close() }
  }),
  ({ close }) => Effect.sync(close)
)

describe("A server of which each person has their own", () => {
  it.live(
    "hears each person's token in their requests alone, and shows each their own tools, over restarts and reloads",
    () =>
      Effect.gen(function*() {
        const { port, seen } = yield* recording
        const config = (timeout: string) =>
          JSON.stringify({
            mcpServers: {
              mail: {
                type: "streamableHttp",
                url: `http://127.0.0.1:${port}/mcp`,
                headers: { Authorization: "Bearer ${user:MAIL_TOKEN}" },
                protocol: "legacy",
                timeout
              }
            }
          })
        const folder = yield* Command.folder({ "data/mcp.json": config("20 seconds") })
        const data = join(folder, "data")
        const env = { BOOCODE_STATE_DIR: join(folder, "state") }
        const boocode = (args: ReadonlyArray<string>, stdin?: string) =>
          AppCommand.run([...args, "--data", data], { env, cwd: data, ...stdin === undefined ? {} : { stdin } })
        let server = yield* AppServer.start(data)
        const invited = Effect.fnUntraced(function*(name: string) {
          const { stdout } = yield* boocode(["users", "add", name])
          const token = /#\/invitation\/([\w-]{43})/.exec(stdout)?.[1]
          const { headers: set } = yield* RawRequest.ask(`${server.url}/api/invitations/${token}`, {
            body: JSON.stringify({ password: "correct horse battery" })
          })
          const cookie = String([set["set-cookie"] ?? []].flat()[0]).split(";")[0] ?? ""
          return (method: string, path: string, body?: object) =>
            RawRequest.ask(`${server.url}${path}`, {
              method,
              headers: { cookie },
              ...body === undefined ? {} : { body: JSON.stringify(body) }
            })
        })
        const people = { Ann: yield* invited("Ann"), Bob: yield* invited("Bob") }
        const mail = (name: (typeof PEOPLE)[number]) =>
          Effect.map(people[name]("GET", "/api/mcp/servers"), ({ body }) => Object(Object(body["servers"])[0]))
        assert.deepInclude(yield* mail("Bob"), { sharing: "personal", state: "needs-auth", instances: 0 })
        assert.lengthOf(seen, 0)

        // Commands of this machine act for Ann, the first admin.
        const kept = yield* boocode(["mcp", "secret", "set", "MAIL_TOKEN"], `${tokenOf("Ann")}\n`)
        assert.strictEqual(kept.code, 0, kept.stderr)
        const given = yield* people.Bob("PUT", "/api/me/secrets/MAIL_TOKEN", { value: tokenOf("Bob") })
        assert.strictEqual(given.status, 200)
        const sees = Effect.fnUntraced(function*(name: (typeof PEOPLE)[number]) {
          yield* ChatServer.until(mail(name), ({ state }) => state === "ready")
          const other = PEOPLE.find((one) => one !== name)
          const ask = people[name]
          const { body: chat } = yield* ask("POST", "/api/chats", { model: "command" })
          const answers = yield* Effect.all([
            ask("GET", "/api/tools"),
            ask("GET", "/api/tools/search?q=only"),
            ask("POST", "/api/tools/mail_whoami/call", { args: {} }),
            ask("POST", `/api/tools/mail_only_${other}/call`, { args: {} }),
            ask("POST", `/api/chats/${String(chat["id"])}/messages`, { text: "/mail_whoami {}" }),
            ask("POST", `/api/chats/${String(chat["id"])}/messages`, { text: "/mail_only {}" })
          ], { concurrency: "unbounded" })
          const [tools, , called, foreign, turn] = answers
          assert.include(tools.text, `mail_only_${name}`)
          assert.include(called.text, `you are ${name}`)
          assert.include(turn.text, `you are ${name}`)
          assert.strictEqual(foreign.status, 404)
          const asked = `mail_only_${other}`
          for (const { text } of answers) {
            assert.notInclude(text.replaceAll(asked, ""), `only_${other}`)
            assert.notInclude(text, "canary")
          }
        })
        const both = Effect.all([sees("Ann"), sees("Bob")], { concurrency: "unbounded" })
        yield* both
        const list = yield* boocode(["mcp", "list"])
        assert.match(list.stdout, /personal, 2 running/)
        const { body: day } = yield* people.Bob("GET", "/api/me/usage/servers/mail")
        const happened = Array.from(Object(day["events"]), (event) => Object(event).kind)
        assert.deepStrictEqual([...new Set(happened)], ["ready"])
        writeFileSync(join(data, "mcp.json"), config("30 seconds"))
        yield* people.Ann("POST", "/api/mcp/reload", {})
        yield* both
        yield* server.end("SIGTERM", "process")
        assert.notInclude(readFileSync(join(folder, "state", "chats.sqlite"), "latin1"), "canary")
        assert.notInclude(server.stdout() + server.stderr(), "canary")
        server = yield* AppServer.start(data)
        yield* both

        for (const { body, token } of seen) {
          const owner = PEOPLE.find((name) => token === tokenOf(name))
          assert.isDefined(owner, `a request with the token ${JSON.stringify(token)}`)
          for (const other of PEOPLE.filter((name) => name !== owner)) assert.notInclude(body, other)
        }
        assert.strictEqual((yield* people.Bob("DELETE", "/api/me/secrets/MAIL_TOKEN")).status, 204)
        yield* ChatServer.until(mail("Bob"), ({ state }) => state === "needs-auth")
        const before = seen.filter(({ token }) => token === tokenOf("Bob")).length
        const refused = yield* people.Bob("POST", "/api/tools/mail_whoami/call", { args: {} })
        assert.notStrictEqual(refused.status, 200)
        assert.strictEqual(seen.filter(({ token }) => token === tokenOf("Bob")).length, before)
        yield* sees("Ann")
      }),
    120_000
  )
})
