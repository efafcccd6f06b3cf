/** Programs that a model writes in a chat, with real servers, the real sandbox and a model over HTTP. */
import { ProgramNames, Signatures } from "@boocode/toolkit/code"
import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { existsSync, readFileSync } from "node:fs"
import { stripTypeScriptTypes } from "node:module"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import * as ModelServer from "./servers/ModelServer.ts"
import * as AppServer from "./support/AppServer.ts"
import * as ChatServer from "./support/ChatServer.ts"
import { folder } from "./support/Command.ts"
import * as FixtureServer from "./support/FixtureServer.ts"

interface Part {
  readonly type: string
  readonly id: string
  readonly call: string
  readonly name: string
  readonly program?: string
  readonly line?: number
  readonly text: string
  readonly isError: boolean
}

const FILES = 30

const ready = <R>(start: Effect.Effect<ChatServer.ChatServer, never, R>) =>
  Effect.tap(start, (server) => ChatServer.until(server.get("/api/health"), ({ body }) => body["ready"] === true))

/** A chat server whose agent writes programs. Its model runs the text of a message, and then says what came of it. */
const serving = Effect.gen(function*() {
  const texts = yield* folder(
    Object.fromEntries(Array.from({ length: FILES }, (_, at) => [`${at}.txt`, "word ".repeat(at + 1)]))
  )
  const state = yield* folder({})
  const ledger = join(state, "ledger.txt")
  const servers = {
    "text-files": FixtureServer.entry("Files", texts),
    ledger: { ...FixtureServer.entry("Ledger", ledger), ask: ["write"] }
  }
  const place = yield* folder({
    "data/settings.json": JSON.stringify({ titles: "message" }),
    "data/AGENTS.md": "---\nname: Coder\ncode: true\n---\n",
    "data/mcp.json": JSON.stringify({ mcpServers: servers })
  })
  const model = yield* ModelServer.make(({ results, text }) =>
    results.length > 0 || !text.includes("\n")
      ? [ModelServer.text("It is done.")]
      : [ModelServer.call("execute", { code: text })]
  )
  const env = { OPENAI_BASE_URL: `${model.url}/v1`, BOOCODE_MODEL: "openai/m", BOOCODE_STATE_DIR: state }
  return {
    model,
    start: ready(AppServer.start(join(place, "data"), env)),
    /** One that can be killed. */
    process: ready(ChatServer.start(join(place, "data"), env)),
    /** The programs that are kept. */
    kept: Effect.sync(() => {
      const database = new DatabaseSync(join(state, "chats.sqlite"), { readOnly: true })
      const rows = database.prepare("SELECT file FROM files").all()
      database.close()
      return rows.map(({ file }) => String(file))
    }),
    written: () => existsSync(ledger) ? readFileSync(ledger, "utf8").trim().split("\n") : []
  }
})

const chatOn = Effect.fnUntraced(function*(server: ChatServer.ChatServer, given?: string) {
  const id = given ?? String((yield* server.post("/api/chats", {})).body["id"])
  // A test reads what it asks for; a wrong shape is a failed assertion.
  const parts = Effect.map(
    server.get(`/api/chats/${id}`),
    ({ body }) =>
      (body["turns"] as ReadonlyArray<{ readonly parts: ReadonlyArray<Part> }>).flatMap(({ parts }) => parts)
  )
  return {
    id,
    send: (text: string) => server.stream(`/api/chats/${id}/messages`, { text }),
    /** The approvals that wait, once there are so many. */
    waiting: (count: number) =>
      ChatServer.until(
        Effect.map(parts, (all) => {
          const over = new Set(all.flatMap((part) => part.type === "approval-answer" ? [part.id] : []))
          return all.filter((part) => part.type === "approval" && !over.has(part.id))
        }),
        (some) => some.length === count
      ),
    answer: (approval: string, decision: string, more: object = {}) =>
      server.post(`/api/chats/${id}/approvals/${approval}`, { decision, ...more }),
    ended: Effect.andThen(
      ChatServer.until(server.get(`/api/chats/${id}`), ({ body }) => body["running"] === null),
      parts
    )
  }
})

const resultOf = (parts: ReadonlyArray<unknown>, id: string): Part =>
  (parts as ReadonlyArray<Part>).find((part) => part.type === "tool-result" && part.id === id) ??
    assert.fail(`no result of ${id}`)

describe("A model that writes programs", () => {
  it.live(
    "makes 30 calls of a real server in one request, each a part under its program",
    () =>
      Effect.gen(function*() {
        const { model, start } = yield* serving
        const server = yield* start
        const chat = yield* chatOn(server)
        const program = [
          `const names = Array.from({ length: ${FILES} }, (_, at): string => at + ".txt")`,
          "const texts = await Promise.all(names.map((path) => text_files.read_text_file({ path })))",
          "console.log(texts.length, 'files')",
          "return texts.reduce((sum: number, text: any) => sum + text.trim().split(' ').length, 0)"
        ].join("\n")
        const parts = (yield* chat.send(program)) as ReadonlyArray<unknown> as ReadonlyArray<Part>
        const calls = parts.filter(({ type }) => type === "tool-call")
        const [execute] = calls
        assert.deepStrictEqual([calls.length, execute?.name], [FILES + 1, "execute"])
        assert.isTrue(calls.slice(1).every(({ line, program }) => program === execute?.id && line === 2))
        const { isError, text } = resultOf(parts, execute?.id ?? "")
        assert.isFalse(isError, text)
        assert.strictEqual(
          text,
          `Value:\n${
            FILES * (FILES + 1) / 2
          }\n\nConsole:\n30 files\n\nCalls:\n1-30 text-files_read_text_file (line 2): done`
        )
        assert.lengthOf(model.requests, 2)
        assert.isTrue(model.requests.every(({ problem }) => problem === null))
        const [first = ""] = model.requests.map(({ body }) => JSON.stringify(body["tools"]))
        assert.include(first, "text_files.read_text_file(args: { path: string }): Promise<unknown>")
        assert.notInclude(first, "tool_call")
      }),
    120_000
  )

  it.live(
    "goes on after the server was killed, with the yes that comes after it, and makes each call once",
    () =>
      Effect.gen(function*() {
        const { kept, model, process, start, written } = yield* serving
        const first = yield* process
        const before = yield* chatOn(first)
        const program = [
          "const before = await ledger.look({ text: 'before' })",
          "const rows = Array.from({ length: 1000 }, (_, at) => at)",
          "const done = await ledger.write({ text: 'asked' })",
          "await ledger.look({ text: 'after' })",
          "return { before, done, sum: rows.reduce((one, other) => one + other, 0) }"
        ].join("\n")
        yield* Effect.forkChild(Effect.exit(before.send(program)))
        const [request] = yield* before.waiting(1)
        assert.deepStrictEqual(written(), ["look before"])
        const [file] = yield* ChatServer.until(kept, (files) => files.length > 0)
        assert.match(file ?? "", /^"?program-/)
        yield* first.end("SIGKILL", "process")

        const second = yield* start
        const after = yield* chatOn(second, before.id)
        const [again] = yield* after.waiting(1)
        assert.strictEqual(again?.id, request?.id, "it is the same question")
        assert.strictEqual((yield* after.answer(request?.id ?? "", "once")).status, 204)
        const parts = yield* after.ended
        const execute = parts.find(({ name, type }) => type === "tool-call" && name === "execute")
        const { isError, text } = resultOf(parts, execute?.id ?? "")
        assert.isFalse(isError, text)
        assert.include(text, `{"before":"look is done","done":"write is done","sum":499500}`)
        assert.deepStrictEqual(written(), ["look before", "write asked", "look after"])
        assert.deepStrictEqual(yield* kept, [], "it is kept no longer")
        assert.isTrue(model.requests.every(({ problem }) => problem === null))
      }),
    180_000
  )
})

const isObject = (value: unknown): value is Schema.JsonObject => Schema.is(Schema.JsonObject)(value)

const asObject = (schema: unknown): Schema.JsonObject => isObject(schema) ? schema : { type: "object" }

/** Values that keywords of schemas may have, the odd ones too. */
const Texts = Schema.Literals([
  "a",
  "not an identifier",
  "\"quoted\" */",
  "${x}`",
  "\u2028\ud800",
  "__proto__",
  "class",
  ""
])
const leaves = [
  ...["string", "integer", "boolean", "null", "array", "object", "wrong"].map((type) => ({ type })),
  { enum: ["a", "*/ }", -1.5, 1e300, null, { a: 1 }, [1], "\u2028`${"] },
  { const: "\"" },
  { $ref: "#/$defs/self" },
  { $ref: "#" },
  true,
  false,
  {}
]

const SchemaOf = (depth: number): Arbitrary.Arbitrary<Schema.Json> => {
  const leaf = Arbitrary.map(
    Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: leaves.length - 1 }))),
    (at): Schema.Json => leaves[at] ?? {}
  )
  if (depth === 0) return leaf
  const inner = SchemaOf(depth - 1)
  return Arbitrary.map(
    Arbitrary.all({
      kind: Arbitrary.schema(Schema.Literals(["object", "array", "tuple", "anyOf", "allOf", "map", "leaf"])),
      names: Arbitrary.array(Arbitrary.schema(Texts), { maxLength: 3 }),
      parts: Arbitrary.array(inner, { minLength: 3, maxLength: 3 }),
      description: Arbitrary.schema(Texts)
    }),
    ({ description, kind, names, parts }): Schema.Json => {
      const [one = {}, other = {}] = parts
      switch (kind) {
        case "object": {
          const properties = Object.fromEntries(names.map((name, at) => [name, parts[at] ?? {}]))
          return { type: "object", description, properties, required: names.slice(1), additionalProperties: other }
        }
        case "array":
          return { type: ["array", "null"], description, items: one }
        case "tuple":
          return { type: "array", prefixItems: [one, other], items: false }
        case "anyOf":
          return { description, nullable: true, anyOf: [one, other] }
        case "allOf":
          return { allOf: [one, other], properties: { x: one } }
        case "map":
          return { type: "object", additionalProperties: one }
        default:
          return one
      }
    }
  )
}

describe("The signature of a tool", () => {
  it.prop(
    "is TypeScript, whatever its schemas and its words are",
    { input: SchemaOf(3), output: SchemaOf(3), words: Arbitrary.schema(Texts), raw: Arbitrary.schema(Texts) },
    ({ input, output, raw, words }) => {
      const inputSchema = { ...asObject(input), $defs: { self: input } }
      const tool = {
        name: `a_${raw.replaceAll(/\W/g, "_")}`,
        server: "a",
        origin: { tool: raw },
        description: words,
        inputSchema,
        listed: { description: words, inputSchema, outputSchema: output }
      }
      const [of] = ProgramNames.functions([tool])
      if (of === undefined) return assert.fail("no function")
      const signatures = [Signatures.line(of, tool), Signatures.whole(of, tool)]
      for (const signature of signatures) {
        const [, comment = "", rest = ""] = /^(\/\*\*.*\*\/\n)?(.*)$/s.exec(signature) ?? []
        stripTypeScriptTypes(`${comment}declare function ${rest.replace(/^a\.[\w$]+/, "f")}`)
      }
      stripTypeScriptTypes(Signatures.declarations([tool, { ...tool, name: raw || "x", server: null }]))
    }
  )
})
