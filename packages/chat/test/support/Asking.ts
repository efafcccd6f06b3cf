/** Tools that ask, over a store and a disk in memory, and a person who answers. */
import { McpRegistries, McpRegistry, type McpTool } from "@boocode/mcp-registry"
import { type AgentTool, PermissionText, type RunOptions, ToolArguments, ToolResult } from "@boocode/toolkit"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as MemoryDisk from "../../../mcp-client/test/support/MemoryDisk.ts"
import { ToolApprovals } from "../../src/asking/ToolApprovals.ts"
import { type ChatWrite, NOTHING_OFF } from "../../src/model/Chat.ts"
import type { Emit, Part } from "../../src/model/Part.ts"
import { CallHooks, type HookAnswer, type HookCall } from "../../src/permissions/CallHooks.ts"
import { PermissionFiles } from "../../src/permissions/PermissionFiles.ts"
import { ChatStore } from "../../src/store/ChatStore.ts"
import * as MemoryChatStore from "../../src/store/MemoryChatStore.ts"
import { FIRST } from "../../src/users/CurrentUser.ts"
import { asPerson, type OwnService } from "./AsPerson.ts"
import { settle } from "./Chatting.ts"
import { mcpTool, registry } from "./Scripted.ts"

export const FILE = "/state/allowed-tools.json"

export interface Asking {
  readonly approvals: OwnService<typeof ToolApprovals.Service>
  readonly store: ChatStore["Service"]
  /** What was called, in order. */
  readonly sent: Array<readonly [name: string, args: unknown]>
  readonly parts: (chat?: string) => Effect.Effect<ReadonlyArray<Part>>
  /** A tool of a server, as it is listed. */
  readonly tool: (name: string, changes?: Partial<McpTool>) => AgentTool
  /** Runs a call of a turn of this chat; the parts of the chat so far are what came before. */
  readonly call: (tool: AgentTool, options?: Partial<CallOptions>) => Effect.Effect<ToolResult.ToolResult>
  /** The requests that wait in this chat, the oldest first. */
  readonly requests: (chat?: string) => Effect.Effect<ReadonlyArray<Extract<Part, { readonly type: "approval" }>>>
}

interface CallOptions {
  readonly chat: string
  readonly args: unknown
  readonly callId: string
  readonly agentAsks: ReadonlyArray<string>
  /** The write mode of the chat. */
  readonly write: ChatWrite | null
  readonly isUnattended: boolean
}

export interface Setup {
  readonly disk?: ReturnType<typeof MemoryDisk.make>
  readonly ask?: ReadonlyArray<string>
  readonly store?: ChatStore["Service"]
  /** Where servers are declared. */
  readonly file?: string
  /** What hooks answer. */
  readonly hook?: (call: HookCall) => Pick<HookAnswer, "outcome" | "reason"> | null
  /** A person's own permissions.jsonc; read anew at each call. */
  readonly permissions?: () => string
  /** What servers list now. */
  readonly listed?: ReadonlyArray<McpTool>
}

/** One run of a program. The same store and disk make the next one. */
export const run = <A, E>(
  {
    ask = [],
    disk = MemoryDisk.make(),
    file = "/data/mcp.json",
    hook,
    listed = [],
    permissions = () => "{}",
    store
  }: Setup,
  body: (asking: Asking) => Effect.Effect<A, E>
) => {
  const stores = store === undefined ? MemoryChatStore.layer : Layer.succeed(ChatStore, store)
  const world = { servers: [], tools: listed, warnings: [], settled: Effect.void, call: () => Effect.die("not used") }
  const layer = ToolApprovals.layer({ file: FILE, ask }).pipe(
    Layer.provideMerge(stores),
    Layer.provide([
      disk.layer,
      Layer.provide(declared(file), registry(world)),
      hook === undefined ? Layer.empty : Layer.succeed(CallHooks, {
        ask: ({ source }, call) =>
          Effect.sync(() => {
            const answer = hook(call)
            return answer === null ? null : { ...answer, source }
          })
      }),
      Layer.succeed(PermissionFiles, {
        contents: Effect.sync(() => [PermissionText.read(permissions(), "permissions.jsonc", "user")])
      })
    ])
  )
  return Effect.provide(
    Effect.gen(function*() {
      // What checks arguments is loaded when it is first asked for, which takes as long as it takes.
      yield* Effect.orDie(ToolArguments.usable({ name: "warm", inputSchema: SCHEMA }, {}))
      return yield* body(make(asPerson(yield* ToolApprovals), yield* ChatStore))
    }),
    layer,
    { local: true }
  )
}

const SCHEMA = { type: "object", properties: { path: { type: "string" } } }

/** Every server is declared in this file. */
const declared = (file: string) =>
  Layer.effect(
    McpRegistry,
    Effect.map(McpRegistry, (registry) => ({
      ...registry,
      trustDetails: (server) => Effect.succeed({ ...DETAILS, server, file })
    }))
  ).pipe((layer) => Layer.provideMerge(Layer.fresh(McpRegistries.layerSame), layer))

const DETAILS = {
  decision: "not-needed",
  by: null,
  hash: null,
  entry: [],
  changes: null,
  problem: null,
  tools: null,
  seen: ""
} as const

const make = (approvals: Asking["approvals"], store: ChatStore["Service"]): Asking => {
  const sent: Asking["sent"] = []
  const parts = (chat = "c") => Effect.orDie(store.parts(chat, 0, 1000))
  const emit = (chat: string): Emit => (part) =>
    Effect.flatMap(parts(chat), (all) => Effect.orDie(store.append(chat, [{ ...part, seq: all.length + 1, turn: 1 }])))
  return {
    approvals,
    store,
    sent,
    parts,
    requests: (chat) =>
      Effect.andThen(
        settle,
        Effect.map(parts(chat), (all) => all.flatMap((part) => part.type === "approval" ? [part] : []))
      ),
    tool: (name, changes = {}) => {
      const [server = "", raw = ""] = name.split("_")
      const listed = { ...mcpTool(server, raw), ...changes }
      return {
        ...listed,
        description: listed.description ?? "",
        listed,
        origin: { server, tool: raw, isTrusted: listed.isTrusted },
        inputSchema: SCHEMA,
        run: (args: unknown, _options?: RunOptions) =>
          Effect.sync(() => {
            sent.push([name, args])
            return ToolResult.success("done")
          })
      }
    },
    call: (tool, { agentAsks = [], args = {}, callId = "1", chat = "c", isUnattended = false, write = null } = {}) =>
      Effect.gen(function*() {
        if ((yield* Effect.orDie(store.get(chat))) === null) yield* begin(store, chat)
        const earlier = yield* parts(chat)
        const agent = { ask: agentAsks, name: "A" }
        const turn = { chat, owner: FIRST.id, agent, emit: emit(chat), earlier, write: () => write, isUnattended }
        const [guarded] = approvals.guard(turn)([tool])
        return yield* guarded?.run(args, { callId }) ?? Effect.die("no tool")
      })
  }
}

const begin = (store: ChatStore["Service"], id: string) =>
  Effect.orDie(Effect.andThen(
    store.put({
      id,
      owner: FIRST.id,
      title: "",
      titledBy: "none",
      agent: null,
      model: null,
      pinned: false,
      folder: null,
      off: NOTHING_OFF,
      write: null,
      createdAt: "",
      updatedAt: ""
    }),
    store.putTurn(id, {
      turn: 1,
      text: "",
      agent: "A",
      model: "m",
      createdAt: "",
      state: "running",
      replacedBy: null,
      attachments: [],
      key: null
    })
  ))
