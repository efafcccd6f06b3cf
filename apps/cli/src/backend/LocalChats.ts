/** The chats of the database. Their turns run in this command, and end with it. */
import {
  Agents,
  Chats,
  CurrentUser,
  FIRST,
  OfferedTools,
  PermissionFiles,
  Questions,
  SlashMessage,
  ToolApprovals,
  Undos,
  UnknownAgent,
  type WorkspaceTools
} from "@boocode/chat"
import { toolDocument } from "@boocode/chat-server/Documents"
import type { Environment } from "@boocode/mcp-config"
import { McpRegistry } from "@boocode/mcp-registry"
import { Permissions } from "@boocode/toolkit"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as ErrorHints from "../terminal/ErrorHints.ts"
import { failed } from "../terminal/Failure.ts"
import type { Output } from "../terminal/Output.ts"
import { waiting } from "../terminal/Waiting.ts"
import { ChatBackend, LocalModels } from "./ChatBackend.ts"

/** Anybody who may use the files of the server is its owner. */
const asFirst = Effect.provideService(CurrentUser, FIRST)

export const layer = Layer.effect(
  ChatBackend,
  Effect.gen(function*() {
    const context = yield* Effect.context<McpRegistry | Output | Agents | Chats | Environment | WorkspaceTools>()
    const chats = yield* Chats
    const approvals = yield* ToolApprovals
    const questions = yield* Questions
    const undos = yield* Undos
    const agents = yield* Agents
    const { names, standard } = yield* LocalModels
    const registry = yield* McpRegistry

    const hinted = <A, E extends Parameters<typeof failed>[0]>(effect: Effect.Effect<A, E, CurrentUser>) =>
      Effect.catch(
        asFirst(effect),
        (error) =>
          error instanceof UnknownAgent
            ? Effect.provideContext(ErrorHints.unknownAgent(error), context)
            : failed(error)
      )
    return ChatBackend.of({
      list: (words, limit) =>
        hinted(
          words === null
            ? Effect.map(chats.list, (all) => all.slice(0, limit).map((chat) => ({ ...chat, excerpt: null })))
            : chats.search(words, limit)
        ),
      get: (id) => hinted(chats.get(id)),
      create: (partner) => hinted(chats.create(partner)),
      update: (id, change) => hinted(chats.update(id, change)),
      fork: (id, turn) => hinted(chats.fork(id, turn)),
      remove: (id) => hinted(chats.remove(id)),
      export: (id, format) => Effect.map(hinted(chats.export(id, format)), ({ text }) => text),
      import: (text, format) => hinted(chats.import(text, format)),
      send: Effect.fnUntraced(function*(id, { attachments: files = [], replaces, text }) {
        const attachments = files.map((file) => ({ ...file, mediaType: "", server: null, uri: null }))
        const more = replaces === undefined ? { attachments } : { replaces }
        const given = { text, replaces, agent: null, model: null }
        const words = yield* hinted(Effect.provideContext(SlashMessage.resolve(id, given), context))
        return (yield* hinted(chats.send(id, { ...words, ...more }))).turn
      }),
      events: (id, after) =>
        Stream.provideService(Stream.mapError(chats.events(id, after), failed), CurrentUser, FIRST),
      stop: (id) => Effect.ignore(asFirst(chats.stop(id))),
      answer: (id, approval, answer) => hinted(approvals.answer(id, approval, answer)),
      reply: (question, reply) => hinted(questions.reply(question, reply)),
      writes: (id) => hinted(undos.list(id)),
      undo: (id, write) => hinted(undos.undo(id, write)),
      modelsOf: Effect.fnUntraced(function*(agent) {
        const { model } = yield* hinted(agents.agent(agent))
        return [model, yield* standard]
      }),
      agents: Effect.map(asFirst(agents.list), (list) => list.agents),
      models: names,
      servers: registry.servers,
      tools: Effect.fnUntraced(function*(agent) {
        const offered = OfferedTools.ofAgent(yield* hinted(agents.agent(agent)))
        return (yield* asFirst(Effect.provideContext(offered, context))).tools.map(toolDocument)
      }),
      standardWrite: Effect.map((yield* PermissionFiles).contents, (contents) => Permissions.tableOf(contents).write),
      settled: Effect.asVoid(Effect.provideContext(waiting(registry.settled, registry.servers, null), context))
    })
  })
)
