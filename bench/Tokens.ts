/**
 * What the first message of a chat costs: the tokens of the request body as it leaves for the provider, with and without
 * deferral, for 10, 100 and all of the recorded tools. Counted with a real tokenizer (o200k). `node bench/Tokens.ts`
 */
import { Agents, ASSISTANT, Chats, CurrentUser, FIRST, MemoryChatStore, WorkspaceTools } from "@boocode/chat"
import { LanguageModels, ModelFetch } from "@boocode/language-models"
import { McpRegistries, McpRegistry, type McpTool, ToolName, toolView } from "@boocode/mcp-registry"
import { Deferral, ResultFiles } from "@boocode/toolkit"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as References from "effect/References"
import * as Stream from "effect/Stream"
import { encode } from "gpt-tokenizer/encoding/o200k_base"
import { tools } from "./support/Catalogue.ts"

const MODELS = ["openai/gpt-5", "anthropic/claude-sonnet-4-5", "google/gemini-2.5-pro"]
const MODES = ["never", "always", "auto"] as const

const servers = [...new Set(tools.map(({ server }) => server ?? ""))]

/** The recorded tools under the names that models get. */
const catalogue: ReadonlyArray<McpTool> = servers.flatMap((server) => {
  const own = tools.filter((tool) => tool.server === server)
  const names = ToolName.assign(server, own.map(({ tool = "" }) => tool), servers)
  return own.map(({ description, inputSchema, tool = "" }) => {
    const name = names.get(tool) ?? tool
    return {
      name,
      server,
      tool,
      title: null,
      description,
      inputSchema,
      outputSchema: null,
      annotations: {},
      class: "undeclared",
      isOpenWorld: false,
      target: null,
      tokens: Math.ceil(JSON.stringify({ name, description, inputSchema }).length / 4),
      maxResultBytes: 5_000_000,
      isAlwaysLoaded: false,
      needsApproval: false,
      isTrusted: true
    }
  })
})

const registry = (some: ReadonlyArray<McpTool>) =>
  Layer.mock(McpRegistry, {
    servers: Effect.succeed([]),
    settled: Effect.succeed({ connected: [], failed: [] }),
    tools: Effect.succeed(some),
    view: (patterns, own) => Effect.succeed(toolView(some, patterns, own ?? []))
  })

const resultFiles = Layer.unwrap(
  FileSystem.FileSystem.use((files) => Effect.map(files.makeTempDirectoryScoped(), ResultFiles.layer))
)

/** The body of the first request. The provider is not asked: it refuses whatever comes. */
const firstBody = (model: string, some: ReadonlyArray<McpTool>, policy: Deferral.Policy) => {
  const bodies: Array<string> = []
  const refusing: typeof fetch = (_, init) => {
    bodies.push(String(init?.body))
    return Promise.resolve(Response.json({ error: { message: "no", type: "invalid_request_error" } }, { status: 400 }))
  }
  const keys = { OPENAI_API_KEY: "k", ANTHROPIC_API_KEY: "k", GOOGLE_GENERATIVE_AI_API_KEY: "k" }
  const layer = Chats.layer({ model, toolSearch: policy }).pipe(Layer.provide([
    Agents.layer([ASSISTANT]),
    MemoryChatStore.layer,
    Layer.provideMerge(McpRegistries.layerSame, registry(some)),
    WorkspaceTools.layer("workspace").pipe(Layer.provideMerge(resultFiles)),
    LanguageModels.layer.pipe(
      Layer.provide(Layer.succeed(ModelFetch, refusing)),
      Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env: keys })))
    )
  ]))
  return Effect.gen(function*() {
    const chats = yield* Chats
    const { id } = yield* chats.create({ agent: null, model: null })
    yield* chats.send(id, { text: "What is the weather in Paris?", agent: null, model: null })
    yield* Stream.runDrain(Stream.takeUntil(chats.events(id, 0), ({ type }) => type === "finish"))
    return bodies[0] ?? ""
  }).pipe(Effect.provide(layer))
}

const place = (at: number, count: number): number => Math.floor(at * count / catalogue.length)

const main = Effect.gen(function*() {
  for (const model of MODELS) {
    const rows = yield* Effect.forEach([10, 100, catalogue.length], (count) =>
      Effect.gen(function*() {
        // Spread over all servers.
        const some = catalogue.filter((_, at) => place(at, count) !== place(at - 1, count))
        const bodies = yield* Effect.forEach(MODES, (mode) => firstBody(model, some, { ...Deferral.DEFAULT, mode }))
        const [never = 0, always = 0, auto = 0] = bodies.map((body) => encode(body).length)
        return { tools: some.length, "without deferral": never, "with deferral": always, "auto (10,000)": auto }
      }))
    console.log(`${model}: tokens of the first request`)
    console.table(rows)
  }
})

main.pipe(
  Effect.provide(NodeServices.layer),
  Effect.provideService(CurrentUser, FIRST),
  // That the provider refuses is meant.
  Effect.provideService(References.MinimumLogLevel, "Error"),
  NodeRuntime.runMain
)
