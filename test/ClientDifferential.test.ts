/** Our client and the official SDK's, each in the same conversation with the same scripted server: what comes out is the same. */
import { assert, describe, it } from "@effect/vitest"
import { Client, type JSONRPCMessage, ProtocolError, type Transport } from "@modelcontextprotocol/client"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Connection } from "../packages/mcp-client/src/contract/Connection.ts"
import * as Revision from "../packages/mcp-client/src/contract/Revision.ts"
import * as Conversation from "../packages/mcp-client/src/rpc/Conversation.ts"
import * as ScriptedChannel from "../packages/mcp-client/test/support/ScriptedChannel.ts"

type Json = Schema.JsonObject
type Era = "legacy" | "modern"

/** The server: what it answers to a request; a list says something before the answer. */
type Script = (method: string, params: Json) => Answer | ReadonlyArray<Json | Answer>
type Answer = { readonly result: Json } | { readonly error: Json } | "nothing"

/** One thing that a client is asked to do. */
type Step =
  | { readonly do: "tools" | "prompts" | "resources" | "templates" | "ping" }
  | { readonly do: "call"; readonly name: string; readonly args: Json; readonly isCancelled?: boolean }
  | { readonly do: "prompt"; readonly name: string; readonly args?: Readonly<Record<string, string>> }
  | { readonly do: "read"; readonly uri: string }
  | { readonly do: "complete"; readonly name: string; readonly value: string }

/** What a client made of a step, and what it sent for it. */
interface Outcome {
  readonly came: unknown
  readonly progress: ReadonlyArray<unknown>
}

const CAPABILITIES = { tools: {}, prompts: {}, resources: {}, completions: {}, logging: {} }
const INFO = { name: "scripted", version: "1" }

const objectOf = (value: unknown): Json => Schema.is(Schema.Record(Schema.String, Schema.Json))(value) ? value : {}

/** A server that speaks one era, and answers everything but the handshake by the script. */
const server = (era: Era, script: Script) => (message: Json): ReadonlyArray<Json> => {
  const { id, method, params } = message
  if (id === undefined || typeof method !== "string") return []
  const reply = (answer: Answer): ReadonlyArray<Json> => {
    if (answer === "nothing") return []
    if ("error" in answer) return [{ jsonrpc: "2.0", id, error: answer.error }]
    const more = era === "modern" ? { resultType: "complete" } : {}
    return [{ jsonrpc: "2.0", id, result: { ...answer.result, ...more } }]
  }
  if (method === "initialize") {
    return reply({ result: { protocolVersion: "2025-11-25", capabilities: CAPABILITIES, serverInfo: INFO } })
  }
  if (method === "server/discover") {
    return reply({
      result: {
        supportedVersions: [Revision.MODERN],
        capabilities: CAPABILITIES,
        ttlMs: 0,
        cacheScope: "private",
        _meta: { "io.modelcontextprotocol/serverInfo": INFO }
      }
    })
  }
  const said = script(method, objectOf(params))
  return (Array.isArray(said) ? said : [said]).flatMap((one) =>
    one === "nothing" || "result" in one || "error" in one ? reply(one) : [withToken(one, objectOf(params))]
  )
}

/** A progress notification says the token that came with the request. */
const withToken = (message: Json, { _meta }: Json): Json => ({
  jsonrpc: "2.0",
  ...message,
  params: { ...objectOf(message["params"]), progressToken: objectOf(_meta)["progressToken"] ?? null }
})

/** Without what only one of the two adds, or keeps. */
const plain = (value: unknown): unknown => {
  const { _meta, cacheScope: _scope, nextCursor: _cursor, resultType: _type, ttlMs: _ttl, ...rest } = objectOf(value)
  return rest
}

const wireOf = (sent: ReadonlyArray<Json>) =>
  sent
    .filter(({ method }) => method !== "initialize" && method !== "server/discover")
    .map(({ method, params }) => {
      const { _meta, reason: _, requestId, ...rest } = objectOf(params)
      // Both number their requests, and begin elsewhere.
      return [method, requestId === undefined ? rest : "an id of its own"]
    })

const ours = (era: Era, answer: (message: Json) => ReadonlyArray<Json>, steps: ReadonlyArray<Step>) =>
  Effect.gen(function*() {
    const scripted = ScriptedChannel.make({ answer })
    const [discovered] = answer({ id: 0, method: "server/discover" })
    const discover = objectOf(discovered?.["result"])
    const modern = Revision.isDiscovered(discover) ? { kind: "modern", discover } as const : assert.fail("not modern")
    const connection = yield* Conversation.open({
      channel: scripted.channel,
      era: era === "modern" ? modern : Revision.OLD,
      isRemembered: false,
      maxMessageBytes: 1_000_000
    })
    const outcomes = yield* Effect.forEach(steps, (step) => ourStep(connection, step))
    return { wire: wireOf(scripted.sent), outcomes, version: connection.protocolVersion, info: connection.serverInfo }
  }).pipe(Effect.scoped)

const ourStep = Effect.fnUntraced(function*(connection: Connection, step: Step): Effect.fn.Return<Outcome> {
  const progress: Array<unknown> = []
  const running = yield* Effect.forkChild(ourRequest(connection, step, progress), { startImmediately: true })
  if (step.do === "call" && step.isCancelled === true) {
    yield* Fiber.interrupt(running)
    return { came: "cancelled", progress }
  }
  const came = yield* Fiber.join(running).pipe(
    Effect.map(plain),
    Effect.catch((reason) =>
      Effect.succeed(
        reason._tag === "RequestFailed" ? { code: reason.code, message: reason.detail } : { failed: reason._tag }
      )
    )
  )
  return { came, progress }
})

const ourRequest = (connection: Connection, step: Step, progress: Array<unknown>) => {
  switch (step.do) {
    case "tools":
      return Effect.map(connection.listTools, ({ tools }): Json => ({ tools }))
    case "prompts":
    case "resources":
      return Effect.map(connection.list(step.do), ({ items }): Json => ({ [step.do]: items }))
    case "templates":
      return Effect.map(connection.list(step.do), ({ items }): Json => ({ resourceTemplates: items }))
    case "ping":
      return Effect.as(connection.ping, {})
    case "call":
      return connection.call({
        tool: step.name,
        args: step.args,
        onProgress: ({ message, progress: done, total }) => progress.push({ message, progress: done, total })
      })
    case "prompt":
      return connection.inquire({ method: "prompts/get", params: promptOf(step) })
    case "read":
      return connection.inquire({ method: "resources/read", params: { uri: step.uri } })
    case "complete":
      return connection.inquire({ method: "completion/complete", params: completion(step) })
  }
}

const completion = ({ name, value }: { readonly name: string; readonly value: string }) => ({
  ref: { type: "ref/prompt" as const, name },
  argument: { name: "a", value }
})

const promptOf = ({ args, name }: Extract<Step, { readonly do: "prompt" }>) =>
  args === undefined ? { name } : { name, arguments: args }

const theirs = (era: Era, answer: (message: Json) => ReadonlyArray<Json>, steps: ReadonlyArray<Step>) =>
  Effect.gen(function*() {
    const sent: Array<Json> = []
    const transport: Transport = {
      start: () => Promise.resolve(),
      close: () => Promise.resolve(),
      send: (message) => {
        const written = objectOf(JSON.parse(JSON.stringify(message)))
        sent.push(written)
        // It handles a notification later than an answer that comes in the same turn.
        void (async () => {
          for (const reply of answer(written)) {
            await new Promise((resolve) => setImmediate(resolve))
            transport.onmessage?.(JSON.parse(JSON.stringify(reply)) as JSONRPCMessage)
          }
        })()
        return Promise.resolve()
      }
    }
    const client = new Client(INFO, era === "modern" ? { versionNegotiation: { mode: { pin: Revision.MODERN } } } : {})
    yield* Effect.promise(() => client.connect(transport))
    const outcomes = yield* Effect.forEach(steps, (step) => Effect.promise(() => theirStep(client, step)))
    const version = client.getNegotiatedProtocolVersion()
    yield* Effect.promise(() => client.close())
    return { wire: wireOf(sent), outcomes, version, info: client.getServerVersion() }
  })

const theirStep = async (client: Client, step: Step): Promise<Outcome> => {
  const progress: Array<unknown> = []
  try {
    return { came: plain(await theirRequest(client, step, progress)), progress }
  } catch (error) {
    if (step.do === "call" && step.isCancelled === true) return { came: "cancelled", progress }
    if (error instanceof ProtocolError) return { came: { code: error.code, message: error.message }, progress }
    throw error
  }
}

const theirRequest = (client: Client, step: Step, progress: Array<unknown>): Promise<unknown> => {
  switch (step.do) {
    case "tools":
      return client.listTools()
    case "prompts":
      return client.listPrompts()
    case "resources":
      return client.listResources()
    case "templates":
      return client.listResourceTemplates()
    case "ping":
      return client.getNegotiatedProtocolVersion() === Revision.MODERN ? client.discover() : client.ping()
    case "call": {
      const abort = new AbortController()
      const called = client.callTool({ name: step.name, arguments: step.args }, {
        signal: abort.signal,
        onprogress: ({ message = null, progress: done, total = null }) =>
          progress.push({ message, progress: done, total })
      })
      if (step.isCancelled === true) setImmediate(() => abort.abort())
      return called
    }
    case "prompt":
      return client.getPrompt(promptOf(step))
    case "read":
      return client.readResource({ uri: step.uri })
    case "complete":
      return client.complete(completion(step))
  }
}

/** What becomes of these steps, which has to be the same in both clients. */
const agreed = (era: Era, script: Script, steps: ReadonlyArray<Step>) =>
  Effect.gen(function*() {
    const answer = server(era, script)
    const our = yield* ours(era, answer, steps)
    const their = yield* theirs(era, answer, steps)
    assert.deepStrictEqual(our.outcomes, their.outcomes)
    assert.deepStrictEqual(our.wire, their.wire)
    assert.strictEqual(our.version, their.version)
    // The SDK's client tells of no `serverInfo` in the `_meta` of a discovery.
    assert.deepStrictEqual(our.info, their.info ?? INFO)
    return our
  })

const text = (value: string) => ({ content: [{ type: "text", text: value }] })
const pages = (key: string, items: ReadonlyArray<Json>, size: number) => ({ cursor }: Json): Answer => {
  const from = typeof cursor === "string" ? Number(cursor) : 0
  const more = from + size < items.length ? { nextCursor: String(from + size) } : {}
  return { result: { [key]: items.slice(from, from + size), ...more, ttlMs: 0, cacheScope: "private" } }
}
const tool = (name: string, more: Json = {}): Json => ({ name, inputSchema: { type: "object" }, ...more })
const failed = (code: number, message: string): Answer => ({ error: { code, message } })

const ERAS: ReadonlyArray<Era> = ["legacy", "modern"]
const cached = { ttlMs: 0, cacheScope: "private" }

/** What server-everything answered to the SDK's client. */
const RECORDED = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({
  method: Schema.String,
  params: Schema.Record(Schema.String, Schema.Json),
  came: Schema.Array(Schema.Union([
    Schema.Struct({ result: Schema.Record(Schema.String, Schema.Json) }),
    Schema.Struct({ error: Schema.Record(Schema.String, Schema.Json) }),
    Schema.Struct({ method: Schema.String, params: Schema.Record(Schema.String, Schema.Json) })
  ]))
})))(JSON.parse(readFileSync(join(import.meta.dirname, "fixtures/recorded-everything.json"), "utf8")))

const keyOf = (method: string, params: Json) => `${method} ${JSON.stringify(params)}`

const stepOf = ({ method, params }: { readonly method: string; readonly params: Json }): Step => {
  const { arguments: args, name, uri } = params
  switch (method) {
    case "tools/list":
      return { do: "tools" }
    case "prompts/list":
      return { do: "prompts" }
    case "resources/list":
      return { do: "resources" }
    case "resources/templates/list":
      return { do: "templates" }
    case "tools/call":
      return { do: "call", name: String(name), args: objectOf(args) }
    case "prompts/get":
      return { do: "prompt", name: String(name) }
    case "resources/read":
      return { do: "read", uri: String(uri) }
    default:
      return assert.fail(`${method} is no step`)
  }
}

const Items = Arbitrary.array(
  Arbitrary.schema(Schema.Struct({
    title: Schema.String,
    description: Schema.String,
    inputSchema: Schema.Struct({
      type: Schema.Literal("object"),
      // Its parser drops a property that is called __proto__.
      properties: Schema.Record(
        Schema.Literals(["", "a", "a b", "ä", "constructor", "$ref"]),
        Schema.Struct({ type: Schema.Literals(["string", "number"]) })
      )
    })
  })),
  { maxLength: 12 }
)

describe.each(ERAS)("The two clients, in a %s conversation", (era) => {
  it.live("list tools, prompts, resources and templates, all pages of them", () =>
    Effect.gen(function*() {
      const tools = [tool("one"), tool("two", { title: "Two" }), tool("three", { annotations: { readOnlyHint: true } })]
      const lists: Readonly<Record<string, (params: Json) => Answer>> = {
        "tools/list": pages("tools", tools, 2),
        "prompts/list": pages("prompts", [{ name: "p", arguments: [{ name: "a", required: true }] }, { name: "q" }], 1),
        "resources/list": pages("resources", [{ uri: "a:1", name: "A", mimeType: "text/plain" }], 9),
        "resources/templates/list": pages("resourceTemplates", [{ uriTemplate: "a:{x}", name: "T" }], 1)
      }
      const script: Script = (method, params) => lists[method]?.(params) ?? failed(-32601, "no")
      const { outcomes } = yield* agreed(era, script, [
        { do: "tools" },
        { do: "prompts" },
        { do: "resources" },
        { do: "templates" }
      ])
      assert.deepStrictEqual(outcomes[0]?.came, { tools })
    }))

  it.live("get results, errors of tools and errors of JSON-RPC", () =>
    Effect.gen(function*() {
      const answers: Readonly<Record<string, Answer>> = {
        good: { result: { ...text("fine"), structuredContent: { n: 1 } } },
        bad: { result: { ...text("broken"), isError: true } },
        media: { result: { content: [{ type: "image", data: "AAAA", mimeType: "image/png" }] } },
        link: { result: { content: [{ type: "resource_link", uri: "a:1", name: "A" }] } },
        none: failed(-32602, "no such tool"),
        own: failed(-32050, "a code of its own")
      }
      const script: Script = (_, { name }) => answers[String(name)] ?? failed(-32603, "no")
      const steps = Object.keys(answers).map((
        name
      ) => ({ do: "call", name, args: { name, deep: [{ a: null }] } } as const))
      const { outcomes } = yield* agreed(era, script, steps)
      assert.deepInclude(outcomes[4]?.came, { code: -32602 })
    }))

  it.live("read resources, get prompts, complete, and ask whether the server is there", () =>
    Effect.gen(function*() {
      const answers: Readonly<Record<string, Answer>> = {
        "resources/read": {
          result: { contents: [{ uri: "a:1", text: "A" }, { uri: "a:2", blob: "AAAA" }], ...cached }
        },
        "prompts/get": { result: { messages: [{ role: "user", content: { type: "text", text: "Do it" } }] } },
        "completion/complete": { result: { completion: { values: ["ab", "ac"], total: 2, hasMore: false } } },
        ping: { result: {} }
      }
      const { outcomes } = yield* agreed(era, (method) => answers[method] ?? failed(-32601, "Method not found"), [
        { do: "read", uri: "a:1" },
        { do: "prompt", name: "p", args: { a: "b" } },
        { do: "complete", name: "p", value: "a" },
        ...era === "legacy" ? [{ do: "ping" } as const] : []
      ])
      assert.lengthOf(outcomes, era === "legacy" ? 4 : 3)
    }))

  it.live("hear progress in order, and nothing of it after the answer", () =>
    Effect.gen(function*() {
      const told = (params: Json) => ({ method: "notifications/progress", params })
      const script: Script = () => [
        told({ progress: 1 }),
        told({ progress: 2, total: 4 }),
        told({ progress: 3, total: 4, message: "nearly" }),
        { result: text("done") },
        told({ progress: 4, total: 4 })
      ]
      const { outcomes } = yield* agreed(era, script, [{ do: "call", name: "slow", args: {} }])
      assert.lengthOf(outcomes[0]?.progress ?? [], 3)
    }))

  it.live("tell the server once that a call is cancelled", () =>
    Effect.gen(function*() {
      const script: Script = (_, { name }) => name === "never" ? "nothing" : { result: text("after") }
      const { wire } = yield* agreed(era, script, [
        { do: "call", name: "never", args: {}, isCancelled: true },
        { do: "call", name: "next", args: {} }
      ])
      assert.deepInclude(wire, ["notifications/cancelled", "an id of its own"])
    }))

  it.live.prop(
    "take generated lists and results for the same",
    [Items, Arbitrary.array(Arbitrary.schema(Schema.String), { maxLength: 5 })],
    ([items, words]) => {
      const tools = items.map((item, index) => tool(`t${index}`, item))
      const list = pages("tools", tools, 5)
      const script: Script = (method, params) =>
        method === "tools/list"
          ? list(params)
          : { result: { content: words.map((word) => ({ type: "text", text: word })), structuredContent: { words } } }
      return agreed(era, script, [{ do: "tools" }, { do: "call", name: "t0", args: { words } }])
    },
    { arbitrary: { runs: 30 } }
  )
})

describe("The two clients, in a recorded conversation", () => {
  it.live("take a recording of server-everything for the same", () =>
    Effect.gen(function*() {
      const said = new Map(RECORDED.map(({ came, method, params }) => [keyOf(method, params), came]))
      const script: Script = (method, { _meta, ...params }) =>
        (said.get(keyOf(method, params)) ?? assert.fail(`${method} is not in the recording`)).map((one) =>
          "result" in one ? { result: { ...one.result, ...cached } } : one
        )
      const { outcomes } = yield* agreed("legacy", script, RECORDED.map(stepOf))
      assert.lengthOf(outcomes, RECORDED.length)
    }))
})
