/** The entries of MCP servers: editing, trying, reading what is pasted, importing. */
import { CurrentUser, PersonRegistry, SeenRegistries } from "@boocode/chat"
import { ConfigEditor } from "@boocode/mcp-config"
import { PastedText } from "@boocode/mcp-config/Exchange"
import { McpRegistries, McpRegistry } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { ChatApi } from "../api/ChatApi.ts"
import { toolDocument } from "../api/Documents.ts"
import * as ConnectedClients from "../connections/ConnectedClients.ts"
import * as AddServer from "../entries/AddServer.ts"
import * as EditEntry from "../entries/EditEntry.ts"
import * as EntryDraft from "../entries/EntryDraft.ts"
import { type EntryFailure, entryProblem } from "../entries/EntryProblem.ts"
import { EntryTrial } from "../entries/EntryTrial.ts"
import * as EntryVariables from "../entries/EntryVariables.ts"
import * as ServerImports from "../entries/ServerImports.ts"
import * as StandingEntry from "../entries/StandingEntry.ts"

export const layer = HttpApiBuilder.group(
  ChatApi,
  "entries",
  Effect.fnUntraced(function*(handlers) {
    const managed = yield* SeenRegistries.ManagedRegistries
    /** An admin manages every server, also one that is for others. */
    const managing = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
      Effect.provideService(PersonRegistry.mine(effect), McpRegistries, managed)
    const services = yield* Effect.context<Exclude<Needs, McpRegistry | CurrentUser> | McpRegistries>()
    const answer = <A>(effect: Effect.Effect<A, EntryFailure, Needs>) =>
      Effect.mapError(Effect.provideContext(managing(effect), services), entryProblem)
    return handlers.handleAll({
      entry: ({ params }) => answer(EditEntry.look(params.name)),
      setEntry: ({ params, payload }) => answer(EditEntry.set(params.name, payload)),
      try: ({ payload }) => answer(tried(payload.name, payload)),
      read: ({ payload }) => Effect.provideContext(managing(pasted(payload.text)), services),
      variables: ({ params, payload }) => answer(EntryVariables.set(params.name, payload)),
      connections: () => Effect.provideContext(managing(ConnectedClients.list), services),
      imports: () => answer(ServerImports.look),
      import: ({ payload }) => answer(ServerImports.run(payload))
    })
  })
)

type Needs =
  | Effect.Services<ReturnType<typeof EditEntry.set>>
  | Effect.Services<ReturnType<typeof tried>>
  | Effect.Services<ReturnType<typeof EntryVariables.set>>
  | Effect.Services<ReturnType<typeof ServerImports.run>>
  | Effect.Services<typeof ConnectedClients.list>

/** Tries an entry for the person of the request, with the hidden values of the one that has its name. */
const tried = Effect.fnUntraced(function*(name: string, given: EntryDraft.Given) {
  const registry = yield* McpRegistry
  const isThere = (yield* registry.servers).some((server) => server.name === name)
  const { file, text } = isThere
    ? yield* StandingEntry.find(name)
    : { file: yield* AddServer.dataFile, text: null }
  const { server } = yield* EntryDraft.make(name, given, text, file)
  const { run } = yield* EntryTrial
  const trial = yield* run(server, undefined, (yield* CurrentUser).id)
  return { ...trial, tools: trial.tools.map(toolDocument) }
})

const pasted = Effect.fnUntraced(function*(text: string) {
  const target = yield* AddServer.dataFile
  const { servers, ...rest } = yield* PastedText.read(text, target.path)
  const registry = yield* McpRegistry
  const examples = ConfigEditor.examples(yield* AddServer.textOf(target))
  const names = new Set((yield* registry.servers).map(({ name }) => name))
  return {
    ...rest,
    servers: servers.map((server) => ({
      ...server,
      taken: names.has(server.name) && !examples.includes(server.name)
    }))
  }
})
