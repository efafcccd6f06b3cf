/** Every part of the protocol through the gateway: clients of both eras, each with servers of both eras. */
import { McpRegistry } from "@boocode/mcp-registry"
import { assert, describe, it } from "@effect/vitest"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import * as Effect from "effect/Effect"
import * as Offers from "./servers/interop/Offers.ts"
import * as Deadline from "./support/Deadline.ts"
import * as FixtureServer from "./support/FixtureServer.ts"
import * as GatewayHost from "./support/GatewayHost.ts"

const SERVERS = {
  old: { ...FixtureServer.program("interop/Sdk1"), protocol: "legacy" },
  new: { ...FixtureServer.program("interop/Sdk2"), protocol: "auto" }
}

const ROOT = "file:///home/of/the/client"
const LEVEL = "io.modelcontextprotocol/logLevel"

/** A client, the server that it tries, and what it was told so far. */
interface At {
  readonly client: Client
  readonly era: "legacy" | "modern"
  readonly server: string
  readonly told: { updates: Array<string>; logs: Array<string>; changes: number }
}

const connected = async (url: string, era: At["era"]): Promise<Omit<At, "server">> => {
  const told: At["told"] = { updates: [], logs: [], changes: 0 }
  const client = new Client({ name: `a client of the ${era} era`, version: "1" }, {
    capabilities: { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} },
    versionNegotiation: { mode: era === "modern" ? { pin: "2026-07-28" } : "legacy" }
  })
  client.setRequestHandler(
    "elicitation/create",
    ({ params }) => params.mode === "url" ? { action: "accept" } : { action: "accept", content: { name: "Ada" } }
  )
  client.setRequestHandler("sampling/createMessage", () => ({
    ...{ role: "assistant" as const, model: "the client's", stopReason: "endTurn" },
    content: { type: "text" as const, text: "boo" }
  }))
  client.setRequestHandler("roots/list", () => ({ roots: [{ uri: ROOT }] }))
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => void told.updates.push(params.uri))
  client.setNotificationHandler("notifications/message", ({ params }) => void told.logs.push(String(params.data)))
  client.setNotificationHandler("notifications/tools/list_changed", () => void told.changes++)
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}?${era}`)))
  return { client, era, told }
}

const said = async ({ client, server }: At, tool: string, args: Record<string, unknown> = {}, meta = {}) => {
  const params = { name: `${server}_${tool}`, arguments: args, _meta: meta }
  const { content, isError } = await client.callTool(params, { onprogress: () => {} })
  const text = content.map((block) => block.type === "text" ? block.text : "").join("")
  return isError === true ? assert.fail(text) : text
}

const until = async (holds: () => boolean | Promise<boolean>) => {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 20))
}

/** The resources of two servers that have the same URIs. */
const uriOf = ({ server }: At) => `boocode://server/${server}/${encodeURIComponent(Offers.NOTES)}`

const names = async ({ client }: At) => (await client.listTools()).tools.map(({ name }) => name)

const FEATURES: Readonly<Record<string, (at: At) => Promise<unknown>>> = {
  "tools": async (at) => {
    assert.include(await names(at), `${at.server}_echo`)
    assert.strictEqual(await said(at, "echo", { text: "boo" }), "boo")
  },
  "progress": async ({ client, server }) => {
    const steps: Array<number> = []
    await client.callTool({ name: `${server}_count` }, { onprogress: ({ progress }) => steps.push(progress) })
    assert.deepStrictEqual(steps, [...Offers.STEPS])
  },
  "cancellation": async (at) => {
    const counts = async () => (await said(at, "cancelled")).split(" of ").map(Number)
    const [cancelled = 0, begun = 0] = await counts()
    const abort = new AbortController()
    const given = at.client.callTool({ name: `${at.server}_wait` }, { signal: abort.signal }).catch(() => "given up")
    await until(async () => ((await counts())[1] ?? 0) > begun)
    abort.abort()
    assert.strictEqual(await given, "given up")
    await until(async () => ((await counts())[0] ?? 0) > cancelled)
  },
  "logs": async (at) => {
    at.told.logs.length = 0
    await said(at, "log", {}, at.era === "modern" ? { [LEVEL]: "warning" } : {})
    await until(() => at.told.logs.includes("a word"))
  },
  "completion": async ({ client, server }) => {
    const ref = { type: "ref/prompt" as const, name: `${server}_review` }
    const { completion } = await client.complete({ ref, argument: { name: "path", value: "p" } })
    assert.deepStrictEqual(completion.values, ["pear.md"])
  },
  "prompts": async ({ client, server }) => {
    const { prompts } = await client.listPrompts()
    assert.include(prompts.map(({ name }) => name), `${server}_review`)
    const { messages } = await client.getPrompt({ name: `${server}_review`, arguments: { path: "pear.md" } })
    assert.include(JSON.stringify(messages), Offers.review("pear.md"))
  },
  "resources": async (at) => {
    const { resources } = await at.client.listResources()
    assert.include(resources.map(({ uri }) => uri), uriOf(at))
    assert.match(JSON.stringify(await at.client.readResource({ uri: uriOf(at) })), /Buy milk/)
  },
  "subscriptions": async (at) => {
    const uri = uriOf(at)
    if (at.era === "modern") await at.client.listen({ resourceSubscriptions: [uri] })
    else await at.client.subscribeResource({ uri })
    await until(async () => {
      await said(at, "touch")
      return at.told.updates.includes(uri)
    })
  },
  "forms": async (at) => {
    assert.deepStrictEqual(JSON.parse(await said(at, "ask")), { action: "accept", content: { name: "Ada", age: 30 } })
  },
  "addresses to visit": async (at) => assert.include(await said(at, "visit"), "accept"),
  "sampling": async (at) => assert.strictEqual(await said(at, "sample"), "boo"),
  "roots": async (at) => assert.include(await said(at, "roots"), ROOT),
  "instructions": async ({ client, server }) => {
    const instructions = client.getInstructions() ?? ""
    assert.include(instructions.slice(instructions.indexOf(server)), Offers.INSTRUCTIONS)
  },
  "list changes": async (at) => {
    if (at.era === "modern") await at.client.listen({ toolsListChanged: true })
    const before = at.told.changes
    const name = await said(at, "grow")
    await until(async () => at.told.changes > before && (await names(at)).includes(`${at.server}_${name}`))
  }
}

/** Each that does not work says why, or that nothing came. */
const tried = (at: At) =>
  Effect.forEach(Object.entries(FEATURES), ([feature, attempt]) =>
    Effect.tryPromise(() => attempt(at)).pipe(
      Effect.timeout(Deadline.WAIT_MILLIS / 4),
      Effect.match({
        onSuccess: () => [],
        onFailure: (error) => [`${feature}, server ${at.server}: ${String(error.cause ?? error)}`]
      })
    ))

describe("Through a gateway in front of servers of both eras", () => {
  for (const era of ["legacy", "modern"] as const) {
    it.live(`a client of the ${era} era has ${Object.keys(FEATURES).join(", ")}`, () =>
      Effect.gen(function*() {
        const { url } = yield* GatewayHost.serve()
        // The instructions that a client is given as it comes are those of servers that are there.
        yield* McpRegistry.use(({ settled }) => settled)
        const connection = yield* Effect.acquireRelease(
          Effect.promise(() => connected(url, era)),
          ({ client }) => Effect.promise(() => client.close())
        )
        const troubles = yield* Effect.forEach(Object.keys(SERVERS), (server) => tried({ ...connection, server }))
        assert.deepStrictEqual(troubles.flat(2), [])
      }).pipe(Effect.provide(GatewayHost.registry(SERVERS))))
  }
})
