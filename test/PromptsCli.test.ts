/** Prompts, resources, agents of the folder and their events, through the command and the running chat server. */
import { assert, describe, layer } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as AppCommand from "./support/AppCommand.ts"
import * as AppServer from "./support/AppServer.ts"
import * as ChatServer from "./support/ChatServer.ts"
import { data } from "./support/CliFolder.ts"
import * as FixtureServer from "./support/FixtureServer.ts"

const LIMIT = 240_000
const EVERYTHING = fileURLToPath(new URL("node_modules/.bin/mcp-server-everything", import.meta.url))

/** A data folder with servers that have prompts, an agent of the folder, and a server that runs on it. */
const make = Effect.gen(function*() {
  const place = yield* data({}, { everything: { command: EVERYTHING }, modern: FixtureServer.entry("ModernOffers") })
  mkdirSync(join(place.data, "agents"))
  writeFileSync(join(place.data, "agents", "reviewer.md"), "---\ntools: []\n---\nYou review.\n")
  const options = { cwd: place.data, env: { BOOCODE_STATE_DIR: join(place.folder, "state") } }
  const server = yield* AppServer.start(place.data)
  yield* ChatServer.until(server.get("/api/prompts"), ({ body }) => JSON.stringify(body["waiting"]) === "[]")
  const run = (...args: ReadonlyArray<string>) => AppCommand.run([...args, "--data", place.data], options)
  return { ...place, server, run }
})

class Stage extends Context.Service<Stage>()("test/PromptsCliStage", { make }) {
  static readonly layer = Layer.effect(Stage, Stage.make)
}

describe("Prompts and resources through the command and the API", () => {
  layer(Stage.layer, { excludeTestServices: true, timeout: LIMIT })((it) => {
    it.effect("the command prints the same with a running server and without one", () =>
      Effect.gen(function*() {
        const { run, server } = yield* Stage
        const lines = [
          ["mcp", "prompt", "everything", "args-prompt", "--args", "{\"city\":\"Graz\"}"],
          ["mcp", "read", "modern", "memo://nothing"]
        ]
        for (const line of lines) {
          const [there, here] = yield* Effect.all([
            run(...line, "--json", "--url", server.url),
            run(...line, "--json", "--local")
          ], { concurrency: 2 })
          assert.deepStrictEqual([there.stdout, there.code], [here.stdout, here.code], line.join(" "))
        }
        const { stdout } = yield* run("mcp", "prompts")
        assert.match(stdout, /^\/everything:args-prompt +A prompt with two arguments.*\(city, state\?\)$/m)
        assert.match(stdout, /^\/modern:review +Reviews a file \(path\)$/m)
        assert.strictEqual((yield* run("mcp", "read", "modern", "memo://notes")).stdout, "Buy milk.\n")
      }))

    it.effect(
      "chat says what a server made of a prompt, and ends with 1 where there is no such prompt",
      () =>
        Effect.gen(function*() {
          const { run, server } = yield* Stage
          const said = yield* run("chat", "/everything:args-prompt {\"city\":\"Graz\"}", "--url", server.url)
          assert.strictEqual(said.code, 0, said.stderr)
          const { body: list } = yield* server.get("/api/chats")
          const [chat] = Array.isArray(list["chats"]) ? list["chats"] : []
          const { body } = yield* server.get(`/api/chats/${chat.id}`)
          assert.match(JSON.stringify(body["turns"]), /"text":"What's weather in Graz\?"/)
          const wrong = yield* run("chat", "/everything:nothing", "--url", server.url)
          assert.strictEqual(wrong.code, 1)
          assert.match(wrong.stderr, /it has no prompt called nothing/)
        })
    )

    it.effect("a message may begin with an agent of the folder, and take a resource along", () =>
      Effect.gen(function*() {
        const { server } = yield* Stage
        const { body: agents } = yield* server.get("/api/agents")
        assert.match(JSON.stringify(agents), /"name":"reviewer".*"file":"[^"]*\/agents\/reviewer\.md","line":1/)
        const { body: chat } = yield* server.post("/api/chats")
        const attachments = [{ kind: "resource", server: "modern", uri: "memo://notes" }]
        yield* server.stream(`/api/chats/${String(chat["id"])}/messages`, {
          text: "@Reviewer what is it?",
          attachments
        })
        const { body } = yield* server.get(`/api/chats/${String(chat["id"])}`)
        const [turn] = Array.isArray(body["turns"]) ? body["turns"] : []
        assert.deepStrictEqual([turn.agent, turn.text], ["reviewer", "@Reviewer what is it?"])
        assert.deepStrictEqual([turn.attachments[0].name, turn.attachments[0].server], ["notes", "modern"])
        const file = yield* Effect.promise(() =>
          fetch(`${server.url}/api/chats/${String(chat["id"])}/files/${turn.attachments[0].id}`).then((one) =>
            one.text()
          )
        )
        assert.match(file, /<tool_result_[\da-f]{8} server="modern" tool="resource memo:\/\/notes"[^>]*>\nBuy milk\./)
        const refused = yield* server.post(`/api/chats/${String(chat["id"])}/messages`, {
          text: "x",
          attachments: [{ ...attachments[0], uri: "memo://no" }]
        })
        assert.deepStrictEqual([refused.status, refused.body["_tag"]], [404, "UnknownResource"])
      }))
  })
})
