/** A chat whose turns run in this command. It is kept, and ends with it. */
import { Agents, Chats, CommandMode, Questions, SpokenPrompt, ToolApprovals, UnknownAgent } from "@boocode/chat"
import { toolDocument } from "@boocode/chat-server/Documents"
import { Environment } from "@boocode/mcp-config"
import { McpRegistry } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as ErrorHints from "../terminal/ErrorHints.ts"
import { Failed, failed } from "../terminal/Failure.ts"
import type { Output } from "../terminal/Output.ts"
import { Archive, ChatConversation, type Partner, type Saying, type Which } from "./ChatConversation.ts"
import { settled } from "./Settled.ts"

/** What has to be known of the chat that is led. */
interface Led extends Partner {
  readonly id: string
}

export const layer = (partner: Partner, which: Which) => Layer.effect(ChatConversation, make(partner, which))

const make = Effect.fnUntraced(function*(partner: Partner, which: Which) {
  const around = yield* Effect.context<McpRegistry | Output | Agents | Environment>()
  const chats = yield* Chats
  const approvals = yield* ToolApprovals
  const questions = yield* Questions
  const agents = yield* Agents
  const { variables } = yield* Environment
  const registry = yield* McpRegistry

  const explained = <A, E extends Parameters<typeof failed>[0]>(
    effect: Effect.Effect<A, E>
  ): Effect.Effect<A, Failed> =>
    Effect.catch(
      effect,
      (error) =>
        error instanceof UnknownAgent
          ? Effect.provideContext(ErrorHints.unknownAgent(error), around)
          : failed(error)
    )
  const created = explained(chats.create(partner))
  const address = ({ agent = null, model = null }: Partial<Partner>) =>
    Effect.map(
      explained(chats.update(now.id, { ...(agent === null ? {} : { agent }), ...(model === null ? {} : { model }) })),
      turnTo
    )
  const turnTo = (chat: Led) => {
    now = chat
  }
  const known = Effect.fnUntraced(function*(which: Exclude<Which, { readonly _tag: "New" }>) {
    if (which._tag === "Id") return yield* explained(chats.get(which.id))
    return (yield* explained(chats.list))[0] ?? (yield* NO_CHAT)
  })

  let now: Led = which._tag === "New" ? yield* created : yield* known(which)
  if (which._tag !== "New" && (partner.agent !== null || partner.model !== null)) yield* address(partner)

  const saying = (chat: string, turn: number): Saying => {
    const after = (seq: number) =>
      chats.events(chat, seq).pipe(
        Stream.filter((part) => part.turn === turn),
        Stream.takeUntil((part) => part.type === "finish"),
        Stream.mapError(failed)
      )
    return { parts: after(0), after }
  }
  const chat = Effect.suspend(() => explained(chats.get(now.id)))
  return ChatConversation.of({
    isCommandMode: Effect.gen(function*() {
      const named = yield* explained(agents.agent(now.agent))
      return [now.model, named.model, variables["BOOCODE_MODEL"]].every((id) =>
        (id ?? "").trim() === "" || id === CommandMode.ID
      )
    }),
    settled: Effect.asVoid(Effect.provideContext(settled, around)),
    say: Effect.fnUntraced(function*({ images = [], replaces, text }) {
      const attachments = images.map(({ data, name }) => (
        { kind: "image", name, mediaType: "", data, server: null, uri: null } as const
      ))
      const more = replaces === undefined ? { attachments } : { replaces }
      const words = yield* explained(Effect.provideContext(SpokenPrompt.spoken({ text, replaces }), around))
      const { turn } = yield* explained(chats.send(now.id, { ...words, agent: null, model: null, ...more }))
      return saying(now.id, turn)
    }),
    running: which._tag === "New"
      ? Effect.succeed(null)
      : Effect.map(chat, ({ id, running }) => running === null ? null : saying(id, running)),
    stop: Effect.suspend(() => Effect.ignore(chats.stop(now.id))),
    answer: (approval, answer) => Effect.suspend(() => explained(approvals.answer(now.id, approval, answer))),
    reply: (question, reply) => explained(questions.reply(question, reply)),
    chat,
    exported: (format) => Effect.suspend(() => Effect.map(explained(chats.export(now.id, format)), ({ text }) => text)),
    begin: Effect.map(created, turnTo),
    address,
    tools: Effect.gen(function*() {
      const { tools } = yield* explained(agents.agent(now.agent))
      return (yield* registry.view(tools ?? undefined)).tools.map(toolDocument)
    })
  })
})

export const NO_CHAT = new Failed({
  tag: "UnknownChat",
  message: "there is no chat to go on with",
  hint: "leave out --continue to begin one"
})

// The chats of the database, without a server.

export const archiveLayer = Layer.effect(
  Archive,
  Effect.map(Chats, (chats) =>
    Archive.of({
      list: (words, limit) =>
        told(
          words === null
            ? Effect.map(chats.list, (all) => all.slice(0, limit).map((chat) => ({ ...chat, excerpt: null })))
            : chats.search(words, limit)
        ),
      get: (id) => told(chats.get(id)),
      export: (id, format) => Effect.map(told(chats.export(id, format)), ({ text }) => text),
      import: (text, format) => told(chats.import(text, format)),
      remove: (id) => told(chats.remove(id))
    }))
)

const told = <A, E extends Parameters<typeof failed>[0]>(effect: Effect.Effect<A, E>): Effect.Effect<A, Failed> =>
  Effect.mapError(effect, failed)
