/** The real `boocode serve` and `boocode setup`, with a scripted server of models. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as ModelServer from "./servers/ModelServer.ts"
import * as AppCommand from "./support/AppCommand.ts"
import * as AppServer from "./support/AppServer.ts"
import * as ChatServer from "./support/ChatServer.ts"
import * as Command from "./support/Command.ts"
import * as Deadline from "./support/Deadline.ts"
import * as Pty from "./support/Pty.ts"

const KEY = "sk-test-Zq8rT2vLx0Pa7Kd3"

/** A running chat server without a model, and a server of models that wants a key. */
const world = Effect.gen(function*() {
  const model = yield* ModelServer.make(() => [ModelServer.text("Hello from afar.")], {
    openAiKey: KEY,
    models: [{ id: "qwen3", context_length: 32_768 }]
  })
  const root = yield* Command.folder({
    "data/mcp.json": "{ \"mcpServers\": {} }",
    "data/settings.json": "{\n  // quiet, please\n  \"logLevel\": \"error\"\n}\n"
  })
  const data = join(root, "data")
  const server = yield* AppServer.start(data)
  const patch = (path: string, body: unknown) =>
    Effect.promise(() =>
      fetch(`${server.url}${path}`, {
        method: "PATCH",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body)
      }).then(({ status }) => status)
    )
  const settings = join(data, "settings.json")
  const suggested = Effect.map(server.get("/api/models"), ({ body }) => JSON.stringify(body))
  const answered = Effect.fnUntraced(function*(id: string) {
    const { body } = yield* server.post("/api/chats", { model: id })
    const parts = yield* server.stream(`/api/chats/${String(body["id"])}/messages`, { text: "Hello" })
    return parts.map((part) => part["type"] === "text-delta" ? part["text"] : "").join("")
  })
  const run = (args: ReadonlyArray<string>, stdin = "") =>
    AppCommand.run([...args, "--data", data], { cwd: data, stdin, env: { BOOCODE_STATE_DIR: join(root, "state") } })
  return { answered, data, model, patch, run, server, settings, suggested, url: `${model.url}/v1` }
})

describe("Providers of models, as processes", () => {
  it.live(
    "are connected over HTTP without a restart, tried first, and keep their key out of the data folder",
    () =>
      Effect.gen(function*() {
        const { answered, data, patch, server, settings, suggested, url } = yield* world
        const kind = "openai-compatible"
        const wrong = yield* server.post("/api/providers/local/test", { kind, url, key: "wrong" })
        assert.deepInclude(wrong.body, { ok: false })
        assert.match(JSON.stringify(wrong.body["error"]), /refuses the key \(401\)/)
        const right = yield* server.post("/api/providers/local/test", { kind, url, key: KEY })
        assert.deepInclude(right.body, { ok: true, error: null })
        assert.strictEqual((yield* server.post("/api/providers", { name: "local", kind, url, key: KEY })).status, 201)
        assert.strictEqual(yield* answered("local/qwen3"), "Hello from afar.")
        assert.match(yield* suggested, /"id":"local\/qwen3".*"used":"20/)
        assert.include(readFileSync(settings, "utf8"), "// quiet, please")
        const texts = readdirSync(data, { recursive: true, encoding: "utf8" })
          .filter((name) => /\.(json|md|env)$/.test(name))
          .map((name) => readFileSync(join(data, name), "utf8"))
        assert.notInclude(texts.join() + server.stdout() + server.stderr(), KEY)
        assert.strictEqual(yield* patch("/api/providers/local", { url: "http://127.0.0.1:1/v1" }), 400)
      }),
    Deadline.TEST
  )

  it.live(
    "are taken from settings.json as it is edited by hand, and from boocode setup beside the server",
    () =>
      Effect.gen(function*() {
        const { answered, data, run, settings, suggested, url } = yield* world
        writeFileSync(join(data, ".env"), `BY_HAND=${KEY}\n`)
        const entry = { kind: "openai-compatible", url, key: "${BY_HAND}" }
        writeFileSync(settings, JSON.stringify({ providers: { hand: entry } }))
        yield* ChatServer.until(suggested, (text) => text.includes("hand/qwen3"))
        assert.strictEqual(yield* answered("hand/qwen3"), "Hello from afar.")

        const flags = ["setup", "--provider", "typed", "--kind", "openai-compatible", "--url", url, "--key-stdin"]
        const refused = yield* run(flags, "wrong\n")
        assert.deepStrictEqual([refused.code, refused.stdout], [1, ""])
        assert.match(refused.stderr, /refuses the key/)
        const saved = yield* run(flags, `${KEY}\n`)
        assert.strictEqual(saved.code, 0, saved.stderr)
        yield* ChatServer.until(suggested, (text) => text.includes("typed/qwen3"))
        assert.strictEqual(yield* answered("typed/qwen3"), "Hello from afar.")

        const listed = yield* run(["models", "qwen", "--json"])
        assert.match(listed.stderr, /talking to the server/)
        assert.include(listed.stdout, "typed/qwen3")
        const alone = yield* run(["models", "qwen", "--local"])
        assert.match(alone.stdout, /typed\n {2}typed\/qwen3 +33k\n/)
        assert.notInclude(saved.stdout + saved.stderr + refused.stderr + readFileSync(settings, "utf8"), KEY)
      }),
    Deadline.TEST
  )

  it.live("are asked for on a terminal, which does not show the key", () =>
    Effect.gen(function*() {
      const { answered, data, suggested, url } = yield* world
      const terminal = yield* Pty.start(["setup", "--data", data], {
        cwd: data,
        env: { BOOCODE_STATE_DIR: join(data, "..", "state") }
      })
      const says = (question: string, words: string) =>
        Effect.andThen(terminal.shows(question), terminal.types(`${words}\r`))
      yield* terminal.shows("Ollama or another compatible address")
      const number = /(\d+) {2}Ollama or another/.exec(terminal.screen())?.[1] ?? assert.fail("it has no number")
      yield* says("number [1]", number)
      yield* says("address [", url)
      yield* says("name [local]", "")
      yield* says("key (not shown", "wrong-key")
      yield* terminal.shows("refuses the key (401)")
      yield* says("[a]gain", "a")
      yield* says("key (not shown", KEY)
      yield* terminal.shows("works  1 model: local/qwen3")
      yield* terminal.shows("saved  local")
      assert.strictEqual(yield* terminal.exitCode, 0)
      assert.notInclude(terminal.screen(), KEY)
      assert.notInclude(terminal.screen(), "wrong-key")
      yield* ChatServer.until(suggested, (text) => text.includes("local/qwen3"))
      assert.strictEqual(yield* answered("local/qwen3"), "Hello from afar.")
    }), Deadline.TEST)
})
