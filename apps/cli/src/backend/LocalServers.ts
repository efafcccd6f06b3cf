/** The servers that this command started itself. */
import { toolDocument } from "@boocode/chat-server/Documents"
import * as ToolsApi from "@boocode/chat-server/ToolsApi"
import { Agents } from "@boocode/chat/Agents"
import * as AskWarnings from "@boocode/chat/AskWarnings"
import * as NamedTool from "@boocode/chat/NamedTool"
import * as PromptText from "@boocode/chat/PromptText"
import type { WorkspaceTools } from "@boocode/chat/WorkspaceTools"
import { type McpError, McpRegistry } from "@boocode/mcp-registry"
import { type ResultFiles, ToolArguments, ToolSearch } from "@boocode/toolkit"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as ErrorHints from "../terminal/ErrorHints.ts"
import type { Output } from "../terminal/Output.ts"
import { type Call, Servers } from "./Servers.ts"
import { settled, settledServers } from "./Settled.ts"

export const layer = Layer.effect(
  Servers,
  Effect.gen(function*() {
    const registry = yield* McpRegistry
    const agents = yield* Agents
    const around = yield* Effect.context<McpRegistry | ResultFiles | WorkspaceTools | Agents | Output>()

    const called = ({ args, onProgress, timeout, tool }: Call) =>
      NamedTool.call(tool, args, { timeout: timeout ?? undefined, onProgress: onProgress ?? undefined })

    const seenBy = Effect.fnUntraced(
      function*(name: string | null) {
        const agent = name === null ? null : yield* agents.agent(name)
        const own = yield* NamedTool.builtIn
        const { tools, warnings } = yield* registry.view(agent?.tools ?? undefined, own)
        const asked = yield* AskWarnings.of(agent?.ask ?? [], own)
        return { tools, warnings: [...warnings, ...asked.map((words) => `ask: ${words}`)] }
      },
      Effect.catchTag("UnknownAgent", ErrorHints.unknownAgent),
      Effect.provideContext(around)
    )

    const told = <A>(asked: Effect.Effect<A, McpError>) =>
      Effect.catch(asked, (error) => ErrorHints.mcpError(error)).pipe(Effect.provideContext(around))

    return Servers.of({
      all: registry.servers,
      // A file that cannot be used ends such a command before it starts a server.
      problems: Effect.succeed([]),
      one: (name) =>
        Effect.catchTag(registry.server(name), "McpError", (error) => ErrorHints.mcpError(error)).pipe(
          Effect.provideContext(around)
        ),
      agent: (name) =>
        Effect.asVoid(agents.agent(name)).pipe(
          Effect.catchTag("UnknownAgent", ErrorHints.unknownAgent),
          Effect.provideContext(around)
        ),
      preload: ToolArguments.preload,
      settled: (names) =>
        (names === null ? Effect.asVoid(settled) : Effect.asVoid(settledServers(names))).pipe(
          Effect.catchTag("McpError", (error) => ErrorHints.mcpError(error)),
          Effect.provideContext(around)
        ),
      tools: (name) =>
        Effect.map(seenBy(name), ({ tools, warnings }) => ({ tools: tools.map(toolDocument), warnings })),
      search: Effect.fnUntraced(function*(name, query) {
        const allowed = (yield* seenBy(name)).tools
        const [all, servers] = [yield* registry.tools, yield* registry.servers]
        return yield* ToolsApi.findTools({ index: ToolSearch.make(), all, allowed, servers }, query)
      }),
      prompts: (server) => told(registry.prompts(server)),
      prompt: ({ args, prompt, server }) =>
        Effect.map(
          told(registry.prompt(server, prompt, args)),
          PromptText.filled
        ),
      resources: (server) => told(registry.resources(server)),
      read: (server, uri) => told(registry.readResource(server, uri)),
      watch: (server, uri) =>
        Stream.catch(
          registry.watchResource(server, uri, { atStart: true }),
          (error) => Stream.fromEffect(told(Effect.fail(error)))
        ),
      call: (call) =>
        called(call).pipe(
          Effect.catchTag(
            "McpError",
            (error) => ErrorHints.mcpError(error, call.timeout === null ? "takable" : "given")
          ),
          Effect.provideContext(around)
        )
    })
  })
)
