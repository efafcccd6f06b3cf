import { McpRegistries, McpRegistry, type McpTool, type RejectedTool, type ServerStatus } from "@boocode/mcp-registry"
import { ToolGlob } from "@boocode/tool-glob"
import { type AgentTool, ResultFiles, ToolResult } from "@boocode/toolkit"
import * as LanguageModel from "effect/ai/LanguageModel"
import type * as Prompt from "effect/ai/Prompt"
import type * as Response from "effect/ai/Response"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import type { Agent } from "../../src/agents/Agent.ts"

export const agent: Agent = {
  name: "A",
  description: null,
  model: null,
  tools: null,
  steps: 5,
  temperature: null,
  prompt: "Be brief.",
  file: null,
  line: null
}

export const finish = (
  reason: Response.FinishPartEncoded["reason"] = "stop",
  input?: number,
  output?: number
): Response.StreamPartEncoded => ({
  type: "finish",
  reason,
  response: undefined,
  usage: {
    inputTokens: { uncached: undefined, total: input, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: output, text: undefined, reasoning: undefined }
  }
})

export const says = (...deltas: ReadonlyArray<string>): ReadonlyArray<Response.StreamPartEncoded> => [
  { type: "text-start", id: "t" },
  ...deltas.map((delta) => ({ type: "text-delta" as const, id: "t", delta })),
  { type: "text-end", id: "t" }
]

export const calls = (id: string, name: string, params: unknown = {}): Response.StreamPartEncoded => ({
  type: "tool-call",
  id,
  name,
  params,
  providerExecuted: false
})

type Answer = Stream.Stream<Response.StreamPartEncoded, never> | ReadonlyArray<Response.StreamPartEncoded>

/** A model that gives one answer after the other, and what it was asked. */
export const model = (answers: ReadonlyArray<Answer>) => {
  const asked: Array<LanguageModel.ProviderOptions> = []
  return Effect.map(
    LanguageModel.make({
      generateText: () => Effect.die("not used"),
      streamText: (options) =>
        Stream.suspend(() => {
          const answer = answers[asked.length] ?? []
          asked.push(options)
          return Stream.isStream(answer) ? answer : Stream.fromIterable(answer)
        })
    }),
    (model) => ({ model, asked })
  )
}

export const tool = (
  name: string,
  run: AgentTool["run"] = () => Effect.succeed(ToolResult.success(`${name} ran`))
): AgentTool => ({
  name,
  server: name.includes("_") ? name.split("_")[0] ?? null : null,
  description: `The tool ${name}.`,
  inputSchema: { type: "object", properties: {} },
  tokens: 10,
  isAlwaysLoaded: false,
  run
})

export const files = (kept: Array<string> = []) =>
  Layer.succeed(ResultFiles, {
    write: (content) => Effect.sync(() => `file-${kept.push(String(content))}`),
    keep: (text) => Effect.sync(() => `file-${kept.push(text)}`),
    read: () => Effect.succeed(null),
    bytes: () => Effect.succeed(null)
  })

/** The roles and contents of a prompt in short: `user hi`, `assistant say hi, call 1 f`, `tool 1 ok`. */
export const outline = (messages: ReadonlyArray<Prompt.Message>): ReadonlyArray<string> =>
  messages.map((message) => {
    if (message.role === "system") return `system ${message.content}`
    return `${message.role} ${message.content.map(partOutline).join(", ")}`
  })

const partOutline = (part: Prompt.Part): string => {
  switch (part.type) {
    case "text":
      return `"${part.text}"`
    case "reasoning":
      return `(${part.text} ${JSON.stringify(part.options)})`
    case "tool-call":
      return `call ${part.id} ${part.name}`
    case "tool-result":
      return `${part.isFailure ? "error" : "result"} ${part.id} ${String(part.result)}`
    default:
      return part.type
  }
}

export const status = (name: string, state: ServerStatus["state"], message?: string): ServerStatus => ({
  name,
  transport: "stdio",
  state,
  sharing: "shared",
  source: "mcp.json",
  isTrusted: true,
  tools: 0,
  undeclared: 0,
  asks: 0,
  asksResources: false,
  writes: null,
  classes: { reads: 0, undeclared: 0, writes: 0, destroys: 0 },
  tokens: 0,
  toolsChanged: 0,
  rejected: [],
  rejectedMore: 0,
  offer: null,
  warnings: [],
  protocolVersion: null,
  serverInfo: null,
  instructions: null,
  capabilities: null,
  logLevel: null,
  auth: null,
  pid: null,
  idle: false,
  connectMillis: null,
  steps: [],
  restarts: 0,
  error: message === undefined ? null : {
    _tag: "SpawnFailed",
    message,
    hint: "",
    exitCode: null,
    signal: null,
    stderr: null,
    code: null,
    method: null,
    limitMillis: null
  }
})

export const mcpTool = (server: string, name: string): McpTool => ({
  name: `${server}_${name}`,
  server,
  tool: name,
  title: null,
  description: `Does ${name}.`,
  inputSchema: { type: "object", properties: {} },
  outputSchema: null,
  annotations: {},
  class: "undeclared",
  isOpenWorld: false,
  target: null,
  tokens: 1,
  maxResultBytes: 5_000_000,
  isAlwaysLoaded: false,
  needsApproval: false,
  isTrusted: true
})

export interface World {
  servers: ReadonlyArray<ServerStatus>
  tools: ReadonlyArray<McpTool>
  rejected?: ReadonlyArray<RejectedTool>
  /** Tools that are left out only because they write. */
  writers?: ReadonlyArray<McpTool>
  warnings: ReadonlyArray<string>
  settled: Effect.Effect<void>
  call: McpRegistry["Service"]["call"]
  /** Where servers are declared. */
  file?: string
  /** Of the entries of servers. */
  hash?: string
}

const DECLARED = {
  decision: "not-needed",
  by: null,
  hash: null,
  entry: [],
  changes: null,
  problem: null,
  tools: null,
  seen: ""
} as const

/** A registry whose servers and tools a test changes as it goes. */
export const registry = (world: World) =>
  Layer.provideMerge(
    McpRegistries.layerSame,
    Layer.succeed(
      McpRegistry,
      McpRegistry.of({
        audiences: Effect.succeed(new Map()),
        servers: Effect.sync(() => world.servers),
        server: () => Effect.die("not used"),
        tools: Effect.sync(() => world.tools),
        rejected: Effect.sync(() => world.rejected ?? []),
        writers: Effect.sync(() => world.writers ?? []),
        appTools: Effect.succeed([]),
        view: (patterns) =>
          Effect.sync(() => ({
            tools: world.tools.filter(({ name }) => patterns === undefined || ToolGlob.compile(patterns).allows(name)),
            warnings: patterns?.length === 0 ? [] : world.warnings
          })),
        tool: () => Effect.die("not used"),
        call: (name, args, options) => world.call(name, args, options),
        callTool: (tool, args, options) => world.call(tool.name, args, options),
        prompts: () => Effect.die("not used"),
        prompt: () => Effect.die("not used"),
        resources: () => Effect.die("not used"),
        readResource: () => Effect.die("not used"),
        complete: () => Effect.die("not used"),
        watchResource: () => Stream.die("not used"),
        setLogLevel: () => Effect.die("not used"),
        refresh: () => Effect.die("not used"),
        health: () => Effect.die("not used"),
        apply: Effect.die("not used"),
        reload: Effect.die("not used"),
        applied: Stream.empty,
        start: () => Effect.die("not used"),
        stop: () => Effect.die("not used"),
        restart: () => Effect.die("not used"),
        events: Stream.empty,
        news: Stream.empty,
        own: () => Effect.succeed(null),
        settled: Effect.suspend(() => Effect.as(world.settled, { connected: [], failed: [] })),
        settledServer: (name) => Effect.suspend(() => Effect.as(world.settled, status(name, "ready"))),
        log: () => Effect.die("not used"),
        login: () => Effect.die("not used"),
        logout: () => Effect.die("not used"),
        trustDetails: (server) =>
          Effect.sync(() => ({
            ...DECLARED,
            server,
            file: world.file ?? "/data/mcp.json",
            hash: world.hash ?? DECLARED.hash
          })),
        approve: () => Effect.die("not used"),
        reject: () => Effect.die("not used"),
        revoke: () => Effect.die("not used")
      })
    )
  )
