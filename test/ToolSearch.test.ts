/** Tools that are left to search, with real servers, a real chat server and a model over HTTP. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { randomUUID } from "node:crypto"
import { join } from "node:path"
import * as ModelServer from "./servers/ModelServer.ts"
import * as AppServer from "./support/AppServer.ts"
import * as ChatServer from "./support/ChatServer.ts"
import { folder } from "./support/Command.ts"
import * as Deadline from "./support/Deadline.ts"
import * as FixtureServer from "./support/FixtureServer.ts"
import * as Processes from "./support/Processes.ts"

const MARK = "BOOCODE_SEARCH_TEST"

/** A chat server with these servers, whose model answers from a script. */
const serving = (
  entries: Readonly<Record<string, object>>,
  script: ModelServer.Script,
  settings: object | ((url: string) => object) = {}
) =>
  Effect.gen(function*() {
    const mark = randomUUID()
    const marked = Object.entries(entries).map(([name, entry]) => [name, { ...entry, env: { [MARK]: mark } }])
    const model = yield* ModelServer.make(script)
    const further = typeof settings === "function" ? settings(`${model.url}/v1`) : settings
    const root = yield* folder({
      "data/mcp.json": JSON.stringify({ mcpServers: Object.fromEntries(marked) }),
      // A request for a title would stand among those that are counted.
      "data/settings.json": JSON.stringify({ titles: "message", model: "openai/m", ...further }),
      "data/workspace/hello.txt": "hello\n"
    })
    const env = { OPENAI_BASE_URL: `${model.url}/v1` }
    const server = yield* AppServer.start(join(root, "data"), env)
    return { mark, model, server }
  })

const ready = (server: ChatServer.ChatServer) =>
  ChatServer.until(server.get("/api/health"), ({ body }) => body["ready"] === true)

const say = Effect.fnUntraced(function*(server: ChatServer.ChatServer, id: unknown, text: string) {
  return yield* server.stream(`/api/chats/${String(id)}/messages`, { text })
})

const begin = (server: ChatServer.ChatServer) => Effect.map(server.post("/api/chats", {}), ({ body }) => body["id"])

const texts = (parts: ReadonlyArray<Record<string, unknown>>, type: string) =>
  parts.flatMap((part) => part["type"] === type ? [String(part["text"])] : [])

/** Nothing of it runs on. */
const ended = Effect.fnUntraced(function*(server: ChatServer.ChatServer, mark: string) {
  yield* server.end("SIGTERM", "process")
  assert.deepStrictEqual(yield* Processes.leftAfter(MARK, mark, Deadline.GONE_MILLIS), [])
})

/** Searches for what the person names, calls the first it found, then says what came back. */
const searching: ModelServer.Script = ({ results, text, tools }) => {
  const [found] = results.flatMap((result) => foundIn(result.text))
  if (results.length > 1) return [ModelServer.text(results.map((result) => result.text).join())]
  if (found !== undefined) {
    const args = { since: "2026-01-01" }
    return tools.includes(found)
      ? [ModelServer.call(found, args)]
      : [ModelServer.call("tool_call", { name: found, arguments: args })]
  }
  return text.startsWith("find ") && results.length === 0
    ? [ModelServer.call("tool_search", { query: text.slice(5) })]
    : [ModelServer.text("ok")]
}

/** The beginning of a long answer is enough: a small context may have no room for the rest. */
const foundIn = (text: string): ReadonlyArray<string> => /^\{"tools":\[\{"name":"([^"]+)"/.exec(text)?.slice(1) ?? []

/** About 3,000 tokens, where the definitions of all are 60,000. */
const FIRST_TURN_CHARACTERS = 12_000

describe("Tool search", () => {
  it.live(
    "finds and calls one of 300 tools, and what the model is given stays the same to the letter (R48, R49, R51)",
    () =>
      Effect.gen(function*() {
        const { mark, model, server } = yield* serving({ big: FixtureServer.entry("Catalogue", "300") }, searching)
        yield* ready(server)
        const id = yield* begin(server)
        const parts = yield* say(server, id, "find how heavy the violins of an orchard are (weigh)")
        assert.deepStrictEqual(texts(parts, "tool-result").slice(1), [`weigh_violins_orchard {"since":"2026-01-01"}`])
        yield* say(server, id, "thanks")
        const sent = model.requests.map(({ body }) => JSON.stringify(body["tools"]))
        const given = model.requests.map(({ body }) => Object(body["tools"]).map(nameOf))
        const base = ["grep", "list_dir", "tool_call", "tool_describe", "tool_search", "view_file"]
        assert.deepStrictEqual(given[0], base)
        assert.isBelow(sent[0]?.length ?? Infinity, FIRST_TURN_CHARACTERS)
        assert.lengthOf(sent, 4)
        assert.lengthOf(new Set(sent), 1)
        assert.isTrue(
          model.requests.every(({ problem }) => problem === null),
          "the provider's rules were kept"
        )
        const found = yield* server.get("/api/tools/search?q=weigh%20violins%20orchard&limit=1")
        assert.deepStrictEqual(Object(found.body["tools"]).map(nameOf), ["big_weigh_violins_orchard"])
        yield* ended(server, mark)
      }),
    60_000
  )

  it.live(
    "adds definitions to the conversation where OpenAI's Responses API takes them, and calls what it found by its name (R48, R51)",
    () =>
      Effect.gen(function*() {
        const { mark, model, server } = yield* serving(
          { big: FixtureServer.entry("Catalogue", "300") },
          searching,
          (url) => ({
            model: "work/m",
            providers: { work: { kind: "openai-responses", url } },
            models: { "work/m": { defersTools: true } }
          })
        )
        yield* ready(server)
        const id = yield* begin(server)
        const parts = yield* say(server, id, "find weigh violins orchard")
        assert.deepStrictEqual(texts(parts, "tool-result").slice(1), [`weigh_violins_orchard {"since":"2026-01-01"}`])
        yield* say(server, id, "find weigh violins orchard")
        assert.deepStrictEqual(model.requests.map(({ problem }) => problem), [null, null, null, null, null, null])
        assert.lengthOf(new Set(model.requests.map(({ body }) => JSON.stringify(body["tools"]))), 1)
        const base = ["grep", "list_dir", "tool_describe", "tool_search", "view_file"]
        assert.deepStrictEqual(Object(model.requests[0]?.body["tools"]).map(nameOf), base)
        const inputs: ReadonlyArray<ReadonlyArray<unknown>> = model.requests.map(({ body }) => Object(body["input"]))
        for (const [at, input] of inputs.slice(1).entries()) {
          const before = inputs[at] ?? []
          assert.deepStrictEqual(input.slice(0, before.length), before, "what was sent stays to the letter")
        }
        yield* ended(server, mark)
      }),
    60_000
  )

  it.live("waits in a search for a server that is late, and says which one failed (R48)", () =>
    Effect.gen(function*() {
      const { mark, model, server } = yield* serving(
        { late: FixtureServer.entry("Catalogue", "--late", "5000", "40"), dead: { command: "no-such-program-here" } },
        searching,
        { toolSearch: { mode: "always" } }
      )
      const parts = yield* say(server, yield* begin(server), "find compare glaciers")
      const [search = "", called] = texts(parts, "tool-result")
      assert.strictEqual(called, `compare_glaciers_harbour {"since":"2026-01-01"}`)
      assert.match(search, /"failed":\[\{"server":"dead","why":"[^"]+/)
      assert.notInclude(search, "waiting")
      assert.notInclude(JSON.stringify(model.requests[0]?.body["tools"]), "glaciers")
      yield* ended(server, mark)
    }), 60_000)

  it.live(
    "sends at most 128 of 300 tools also without deferral, the built-in ones among them, and finds the rest (R49)",
    () =>
      Effect.gen(function*() {
        const { mark, model, server } = yield* serving(
          { big: FixtureServer.entry("Catalogue", "300") },
          searching,
          { toolSearch: { mode: "never" } }
        )
        yield* ready(server)
        const parts = yield* say(server, yield* begin(server), "find big_weigh_violins_orchard")
        assert.deepStrictEqual(texts(parts, "tool-result").slice(1), [`weigh_violins_orchard {"since":"2026-01-01"}`])
        for (const { body, problem } of model.requests) {
          const names = Object(body["tools"]).map(nameOf)
          assert.strictEqual(problem, null)
          assert.isAtMost(names.length, 128)
          assert.includeMembers(names, ["grep", "list_dir", "view_file", "tool_search"])
        }
        assert.isTrue(parts.some((part) => /has to search for these/.test(String(part["message"]))))
        yield* ended(server, mark)
      }),
    60_000
  )
})

const nameOf = (tool: unknown): string => Object(tool).name ?? Object(tool).function?.name
