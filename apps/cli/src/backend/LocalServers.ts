/** The servers that this command started itself. */
import type { CallDenied, YesNeeded } from "@boocode/chat"
import { toolDocument } from "@boocode/chat-server/Documents"
import * as ToolsApi from "@boocode/chat-server/ToolsApi"
import { Agents } from "@boocode/chat/Agents"
import { CurrentUser, FIRST } from "@boocode/chat/CurrentUser"
import * as OfferedTools from "@boocode/chat/OfferedTools"
import * as OwnCall from "@boocode/chat/OwnCall"
import { PermissionFiles } from "@boocode/chat/PermissionFiles"
import * as PromptText from "@boocode/chat/PromptText"
import type { WorkspaceTools } from "@boocode/chat/WorkspaceTools"
import { type McpError, McpRegistry } from "@boocode/mcp-registry"
import { Permissions, type ResultFiles, ToolArguments, ToolSearch } from "@boocode/toolkit"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type * as Path from "effect/Path"
import * as Stream from "effect/Stream"
import * as ErrorHints from "../terminal/ErrorHints.ts"
import { failed } from "../terminal/Failure.ts"
import type { Output } from "../terminal/Output.ts"
import { waiting } from "../terminal/Waiting.ts"
import { Servers } from "./Servers.ts"

type Refusal = CallDenied | YesNeeded

type Around =
  | CurrentUser
  | McpRegistry
  | ResultFiles
  | WorkspaceTools
  | Agents
  | Output
  | FileSystem.FileSystem
  | Path.Path

export const layer = Layer.effect(
  Servers,
  Effect.gen(function*() {
    const registry = yield* McpRegistry
    const agents = yield* Agents
    const context = Context.add(yield* Effect.context<Exclude<Around, CurrentUser>>(), CurrentUser, FIRST)

    const hinted = <A>(asked: Effect.Effect<A, Refusal | McpError, Around>, timeout?: "given" | "takable") =>
      Effect.catch(asked, (error) => error._tag === "McpError" ? ErrorHints.mcpError(error, timeout) : failed(error))
        .pipe(Effect.provideContext(context))

    const seenBy = Effect.fnUntraced(
      function*(name: string | null) {
        const agent = name === null ? null : yield* agents.agent(name)
        return yield* OfferedTools.ofAgent(agent)
      },
      Effect.catchTag("UnknownAgent", ErrorHints.unknownAgent),
      Effect.provideContext(context)
    )

    return Servers.of({
      all: registry.servers,
      settled: Effect.fnUntraced(
        function*(names) {
          // Loads the check of a call's arguments while the servers start, but not before their processes are on their way.
          yield* Effect.forkScoped(Effect.delay(ToolArguments.preload, "30 millis"))
          const wait = names === null
            ? Effect.asVoid(registry.settled)
            : Effect.forEach(names, registry.settledServer, { concurrency: "unbounded", discard: true })
          yield* hinted(waiting(wait, registry.servers, names))
          // A file that cannot be used ends such a command before it starts a server.
          const { write } = Permissions.tableOf(yield* (yield* PermissionFiles).contents)
          return { servers: yield* registry.servers, problems: [], write }
        },
        Effect.scoped
      ),
      tools: (agent) =>
        Effect.map(seenBy(agent), ({ tools, warnings }) => ({ tools: tools.map(toolDocument), warnings })),
      callable: Effect.map(Effect.provideContext(OwnCall.callable, context), (tools) => tools.map(toolDocument)),
      search: Effect.fnUntraced(function*(agent, query) {
        const allowed = (yield* seenBy(agent)).tools
        const [all, servers] = [[...yield* registry.tools, ...yield* registry.writers], yield* registry.servers]
        return yield* ToolsApi.findTools({ index: ToolSearch.make(), all, allowed, servers }, query)
      }),
      prompts: (server) => hinted(registry.prompts(server)),
      prompt: (server, prompt, args) => Effect.map(hinted(registry.prompt(server, prompt, args)), PromptText.filled),
      resources: (server) => hinted(registry.resources(server)),
      read: (server, uri) => hinted(registry.readResource(server, uri)),
      watch: (server, uri) =>
        Stream.catch(
          registry.watchResource(server, uri, { atStart: true }),
          (error) => Stream.fromEffect(hinted(Effect.fail(error)))
        ),
      call: ({ args, isApproved, onProgress, timeout, tool }) =>
        hinted(
          OwnCall.call(tool, args, { timeout: timeout ?? undefined, onProgress: onProgress ?? undefined, isApproved }),
          timeout === null ? "takable" : "given"
        )
    })
  })
)
