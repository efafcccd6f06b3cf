/** A registry whose tools and answers a test gives. */
import {
  type CallOptions,
  type CallResult,
  McpError,
  McpErrors,
  McpRegistries,
  McpRegistry,
  type McpTool
} from "@boocode/mcp-registry"
import { ToolGlob } from "@boocode/tool-glob"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"

export const tool = (server: string, name: string, fields: Partial<McpTool> = {}): McpTool => ({
  name: `${server}_${name}`,
  server,
  tool: name,
  title: null,
  description: `does ${name}`,
  inputSchema: { type: "object", properties: {} },
  outputSchema: null,
  annotations: {},
  class: "undeclared",
  isOpenWorld: false,
  target: null,
  tokens: 10,
  maxResultBytes: 5_000_000,
  isAlwaysLoaded: false,
  needsApproval: false,
  isTrusted: true,
  ...fields
})

export const answer = (fields: Partial<CallResult> = {}): CallResult => ({
  isError: false,
  content: [{ type: "text", text: "done" }],
  structuredContent: null,
  millis: 3,
  ...fields
})

type Call = (name: string, args: unknown, options?: CallOptions) => Effect.Effect<CallResult, McpError>

export const layer = (tools: ReadonlyArray<McpTool>, call: Call): Layer.Layer<McpRegistry | McpRegistries> => {
  const unknown = (name: string) =>
    Effect.fail(new McpError({ server: null, reason: new McpErrors.UnknownServer({ name, nearest: [] }) }))
  const registry = Layer.succeed(
    McpRegistry,
    McpRegistry.of({
      audiences: Effect.succeed(new Map()),
      servers: Effect.succeed([]),
      server: unknown,
      tools: Effect.succeed(tools),
      rejected: Effect.succeed([]),
      writers: Effect.succeed([]),
      appTools: Effect.succeed([]),
      view: (patterns) =>
        Effect.succeed({
          tools: patterns === undefined ? tools : tools.filter(({ name }) => ToolGlob.compile(patterns).allows(name)),
          warnings: []
        }),
      tool: unknown,
      call,
      callTool: (held, args, options) => call(held.name, args, options),
      prompts: () => Effect.die("not used"),
      prompt: unknown,
      resources: () => Effect.die("not used"),
      readResource: unknown,
      complete: unknown,
      watchResource: () => Stream.die("not used"),
      setLogLevel: unknown,
      login: unknown,
      logout: unknown,
      refresh: unknown,
      health: unknown,
      apply: Effect.die("not used"),
      reload: Effect.die("not used"),
      applied: Stream.empty,
      start: unknown,
      stop: unknown,
      restart: unknown,
      events: Stream.empty,
      news: Stream.empty,
      own: () => Effect.succeed(null),
      settled: Effect.succeed({ connected: [], failed: [] }),
      settledServer: unknown,
      log: unknown,
      trustDetails: unknown,
      approve: unknown,
      reject: unknown,
      revoke: unknown
    })
  )
  return Layer.provideMerge(McpRegistries.layerSame, registry)
}
