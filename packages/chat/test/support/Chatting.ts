/** Chats over scripted services, and how a test talks to them. */
import { LanguageModels, ModelFacts, ModelUnavailable } from "@boocode/language-models"
import { type AgentTool, type Deferral, PermissionText } from "@boocode/toolkit"
import { Sandbox } from "@boocode/toolkit/code"
import type * as LanguageModel from "effect/ai/LanguageModel"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as MemoryDisk from "../../../mcp-client/test/support/MemoryDisk.ts"
import type { Agent } from "../../src/agents/Agent.ts"
import { Agents } from "../../src/agents/Agents.ts"
import { Questions, type QuestionsOptions } from "../../src/asking/Questions.ts"
import { ToolApprovals } from "../../src/asking/ToolApprovals.ts"
import type { ChatsOptions } from "../../src/chats/ChatEngine.ts"
import { Chats } from "../../src/chats/Chats.ts"
import type { ChatHomes } from "../../src/fleet/ChatHomes.ts"
import type { ChatTidings } from "../../src/fleet/ChatTidings.ts"
import * as FleetChats from "../../src/fleet/FleetChats.ts"
import { Undos } from "../../src/journal/Undos.ts"
import type { Message } from "../../src/model/Chat.ts"
import type { Part } from "../../src/model/Part.ts"
import { PermissionFiles } from "../../src/permissions/PermissionFiles.ts"
import { Spending } from "../../src/spending/Spending.ts"
import { ChatStore } from "../../src/store/ChatStore.ts"
import * as MemoryChatStore from "../../src/store/MemoryChatStore.ts"
import { WorkspaceTools } from "../../src/tools/WorkspaceTools.ts"
import { FIRST, type User } from "../../src/users/CurrentUser.ts"
import { asPerson, type OwnChats } from "./AsPerson.ts"
import * as Scripted from "./Scripted.ts"
import { agent } from "./Scripted.ts"

export interface Setup {
  readonly agents?: readonly [Agent, ...ReadonlyArray<Agent>]
  readonly builtIn?: ReadonlyArray<AgentTool>
  readonly models?: Readonly<Record<string, LanguageModel.LanguageModel>>
  readonly environment?: string | null
  readonly world?: Partial<Scripted.World>
  readonly toolSearch?: Deferral.Policy
  readonly titles?: "model" | "message"
  /** Who is asked before calls. */
  readonly approvals?: Partial<typeof ToolApprovals.Service>
  /** A person's own permissions.jsonc, read anew at each call: calls pass the gate, and a person is asked. */
  readonly permissions?: () => string
  /** Built-in tools that write. */
  readonly writers?: ReadonlyArray<AgentTool>
  /** What keeps what calls replace. */
  readonly undos?: Partial<typeof Undos.Service>
  /** How servers ask; without it there is nobody to ask. */
  readonly questions?: QuestionsOptions
  /** How much every model reads, and the like. */
  readonly facts?: Partial<ModelFacts.ModelFacts>
  /** Where programs of models run. */
  readonly sandbox?: Sandbox["Service"]
  readonly codeMode?: "auto" | "on" | "off"
  /** What people may use of models; by default everything. */
  readonly spending?: Partial<typeof Spending.Service>
  /** What an earlier program left. */
  readonly store?: ChatStore["Service"]
  /** The other programs over the store. */
  readonly fleet?: Layer.Layer<ChatHomes | ChatTidings>
}

const worldOf = (changes: Partial<Scripted.World> = {}): Scripted.World => ({
  servers: [],
  tools: [],
  warnings: [],
  settled: Effect.void,
  call: () => Effect.die("not used"),
  ...changes
})

const layer = (
  {
    agents = [agent],
    approvals,
    builtIn = [],
    codeMode,
    environment = null,
    facts,
    fleet,
    models = {},
    permissions,
    questions,
    sandbox,
    spending,
    store,
    titles,
    toolSearch,
    undos,
    writers = []
  }: Setup,
  world: Scripted.World
) =>
  chatsOf({ model: environment, titles, toolSearch, codeMode }, fleet).pipe(
    Layer.provide(sandbox === undefined ? Layer.empty : Layer.succeed(Sandbox, sandbox)),
    Layer.provideMerge(questions === undefined ? Layer.empty : Questions.layer(questions)),
    Layer.provideMerge(permissions === undefined ? Layer.empty : gate(permissions)),
    Layer.provide(Layer.succeed(Spending, { ...Spending.defaultValue(), ...spending })),
    Layer.provide(Layer.mergeAll(
      Agents.layer(agents),
      store === undefined ? MemoryChatStore.layer : Layer.succeed(ChatStore, store),
      Scripted.registry(world),
      Scripted.files(),
      WorkspaceTools.layerOf(builtIn, writers),
      approvals === undefined
        ? Layer.empty
        : Layer.succeed(ToolApprovals, { ...ToolApprovals.defaultValue(), ...approvals }),
      Layer.succeed(Undos, { ...Undos.defaultValue(), ...undos }),
      Layer.succeed(
        LanguageModels,
        LanguageModels.of({
          providers: Effect.succeed([]),
          model: (id) =>
            models[id] === undefined
              ? Effect.fail(new ModelUnavailable({ model: id, detail: "no such model", hint: "set a key" }))
              : Effect.succeed(models[id]),
          facts: (id) =>
            Effect.succeed({
              ...ModelFacts.UNKNOWN,
              wire: id.startsWith("google/") ? "google" : id.startsWith("anthropic/") ? "anthropic" : "openai",
              ...facts,
              learn: () => Effect.void
            }),
          suggested: () => Effect.succeed([]),
          listed: () => Effect.succeed([])
        })
      )
    ))
  )

const chatsOf = (options: ChatsOptions, fleet: Setup["fleet"]) =>
  fleet === undefined ? Chats.layer(options) : Layer.provide(FleetChats.layer({ ...options, grace: 0 }), fleet)

const gate = (permissions: () => string) =>
  ToolApprovals.layer({ file: "/state/allowed-tools.json", ask: [] }).pipe(Layer.provide([
    MemoryDisk.make().layer,
    Layer.succeed(PermissionFiles, {
      contents: Effect.sync(() => [PermissionText.read(permissions(), "permissions.jsonc", "user")])
    })
  ]))

/** The service, in a scope of its own: closing it is the end of the program. */
export const start = (setup: Setup = {}) =>
  Effect.gen(function*() {
    const world = worldOf(setup.world)
    const scope = yield* Scope.make()
    yield* Effect.addFinalizer(() => Scope.close(scope, Exit.void))
    const context = yield* Layer.buildWithScope(layer(setup, world), scope)
    const of = (user: User) => ({
      chats: asPerson(Context.get(context, Chats), user),
      questions: asPerson(Context.get(context, Questions), user),
      approvals: asPerson(Context.get(context, ToolApprovals), user)
    })
    return {
      ...of(FIRST),
      of,
      service: Context.get(context, Chats),
      world,
      scope,
      close: Scope.close(scope, Exit.void)
    }
  })

export const message = (text: string, changes: Partial<Message> = {}): Message => ({
  text,
  agent: null,
  model: null,
  ...changes
})

/** The parts up to the end of a turn. */
export const until = (chats: OwnChats, id: string, turn: number, after = 0) =>
  chats.events(id, after).pipe(
    Stream.takeUntil((part) => part.turn === turn && part.type === "finish"),
    Stream.runCollect
  )

export const brief = (parts: ReadonlyArray<Part>): ReadonlyArray<string> =>
  parts.map((part) =>
    part.type === "text-delta" || part.type === "tool-result"
      ? `${part.turn} ${part.text}`
      : part.type === "warning"
      ? `${part.turn} warning ${part.message}`
      : part.type === "finish"
      ? `${part.turn} ${part.reason}`
      : `${part.turn} ${part.type}`
  )

export const chatWith = (chats: OwnChats, text: string, changes: Partial<Message> = {}) =>
  Effect.gen(function*() {
    const { id } = yield* chats.create({ agent: null, model: null })
    yield* chats.send(id, message(text, changes))
    return { id, parts: yield* until(chats, id, 1) }
  })

/** A store of its own, as a test changes it; it outlives the programs that use it. */
export const newStore = Effect.gen(function*() {
  const scope = yield* Scope.make()
  yield* Effect.addFinalizer(() => Scope.close(scope, Exit.void))
  return yield* Effect.provideContext(ChatStore, yield* Layer.buildWithScope(MemoryChatStore.layer, scope))
})

/** What a disk holds if the program is killed now. */
export const copied = Effect.fnUntraced(function*(store: ChatStore["Service"]) {
  const copy = yield* newStore
  for (const id of yield* store.ids) {
    const chat = (yield* store.get(id)) ?? (yield* Effect.die("no chat"))
    yield* copy.put(chat.record)
    for (const { parts: _, ...turn } of chat.turns) yield* copy.putTurn(id, turn)
    yield* copy.append(id, yield* store.parts(id, 0, 1000))
  }
  return copy
})

/** Lets other fibers go on for a while. */
export const settle = Effect.forEach(Array.from({ length: 50 }), () => Effect.yieldNow, { discard: true })
