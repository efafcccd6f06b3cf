/** One chat as `chat` leads it, over whichever chats there are. */
import type { Answer, Chat, ChatWrite, CommandMode, Part, QuestionReply } from "@boocode/chat"
import type { ToolDocument } from "@boocode/chat-server/Documents"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import * as Stream from "effect/Stream"
import * as ChatIds from "../lines/ChatIds.ts"
import { Failed } from "../terminal/Failure.ts"
import { ChatBackend, type Format, type Message, type Partner } from "./ChatBackend.ts"

/** Which chat is led: a new one, the last that was used, or the one of an id. */
export type Which = { readonly _tag: "New" } | { readonly _tag: "Last" } | { readonly _tag: "Id"; readonly id: string }

export interface RunningTurn {
  /** Its parts as they come, up to `finish`. The turn goes on when nobody reads them any more. */
  readonly parts: Stream.Stream<Part, Failed>
  /** The parts with a `seq` above this one, up to `finish`. */
  readonly after: (seq: number) => Stream.Stream<Part, Failed>
  /** False when its message waited and was taken back elsewhere. */
  readonly isKept: Effect.Effect<boolean, Failed>
}

export class ChatConversation extends Context.Service<ChatConversation, {
  /** Whether no model is named, so that the command mode answers. */
  readonly isCommandMode: Effect.Effect<boolean, Failed>
  /** Waits for servers that still connect, 3 s at most. The first turn of a new chat does so itself. */
  readonly ready: Effect.Effect<void>
  /** Starts the turn of a message, which may call a prompt of a server. */
  readonly say: (message: Message) => Effect.Effect<RunningTurn, Failed>
  /** The turn that was running before; null when there was none. */
  readonly running: Effect.Effect<RunningTurn | null, Failed>
  readonly stop: Effect.Effect<void>
  readonly answer: (approval: string, answer: Answer) => Effect.Effect<void, Failed>
  readonly reply: (question: string, reply: QuestionReply) => Effect.Effect<void, Failed>
  readonly chat: Effect.Effect<Chat, Failed>
  readonly exported: (format: Format) => Effect.Effect<string, Failed>
  /** Goes on in a new chat with the agent and model of the start. */
  readonly begin: Effect.Effect<void, Failed>
  readonly address: (partner: Partial<Partner>) => Effect.Effect<void, Failed>
  /** The write mode of the chat; null where it cannot be told. */
  readonly write: Effect.Effect<ChatWrite | null, Failed>
  /** Gives the chat a write mode; null leaves it to permissions.jsonc. */
  readonly setWrite: (write: ChatWrite | null) => Effect.Effect<void, Failed>
  /** The agent and the model that answer; null is the command mode. */
  readonly who: Effect.Effect<{ readonly agent: string; readonly model: string | null }, Failed>
  readonly backend: Pick<ChatBackend["Service"], "agents" | "models" | "servers" | "settled">
  readonly tools: Effect.Effect<ReadonlyArray<typeof ToolDocument.Type>, Failed>
}>()("cli/ChatConversation") {}

export const layer = (partner: Partner, which: Which) => Layer.effect(ChatConversation, make(partner, which))

const make = Effect.fnUntraced(function*(partner: Partner, which: Which) {
  const chats = yield* ChatBackend
  const led = yield* Ref.make<Partner & { readonly id: string }>(yield* opened(chats, partner, which))
  const withId = <A, E>(use: (id: string) => Effect.Effect<A, E>) => Effect.flatMap(Ref.get(led), ({ id }) => use(id))
  const address = (partner: Partial<Partner>) =>
    Effect.flatMap(withId((id) => chats.update(id, partner)), (chat) => Ref.set(led, chat))
  const named = {
    ...(partner.agent === null ? {} : { agent: partner.agent }),
    ...(partner.model === null ? {} : { model: partner.model })
  }
  if (which._tag !== "New" && Object.keys(named).length > 0) yield* address(named)

  const chat = withId(chats.get)
  const turnOf = (id: string, turn: number, first: number): RunningTurn => {
    const after = (seq: number) =>
      chats.events(id, seq).pipe(Stream.filter((part) => part.turn === turn), Stream.takeUntil(isEnd))
    const isKept = Effect.map(chats.get(id), ({ turns }) => turns.some((one) => one.turn === turn))
    return { parts: after(first), after, isKept }
  }
  return ChatConversation.of({
    isCommandMode: Effect.gen(function*() {
      const { agent, model } = yield* Ref.get(led)
      return [model, ...yield* chats.modelsOf(agent)].every((id) => (id ?? "").trim() === "" || id === COMMAND_MODE)
    }),
    ready: which._tag === "New" ? Effect.void : Effect.asVoid(Effect.timeoutOption(chats.settled, PATIENCE)),
    say: Effect.fnUntraced(function*(message) {
      const { id } = yield* Ref.get(led)
      const sent = yield* chats.send(id, message)
      if (typeof sent === "number") return turnOf(id, sent, 0)
      return {
        parts: Stream.takeUntil(sent, isEnd),
        after: (seq) => Stream.takeUntil(chats.events(id, seq), isEnd),
        isKept: Effect.succeed(true)
      }
    }),
    running: which._tag === "New" ? Effect.succeed(null) : Effect.map(chat, ({ id, running, turns }) => {
      if (running === null) return null
      const first = turns.find((one) => one.turn === running)?.parts[0]?.seq
      return turnOf(id, running, first === undefined ? lastSeq(turns) : first - 1)
    }),
    stop: withId(chats.stop),
    answer: (approval, answer) => withId((id) => chats.answer(id, approval, answer)),
    reply: chats.reply,
    chat,
    exported: (format) => withId((id) => chats.export(id, format)),
    begin: Effect.flatMap(chats.create(partner), (chat) => Ref.set(led, chat)),
    address,
    write: Effect.gen(function*() {
      const { write } = yield* chat
      if (write !== null && isHolding(write, yield* DateTime.now)) return write
      const mode = yield* chats.standardWrite
      return mode === null ? null : { mode, until: null }
    }),
    setWrite: (write) => Effect.asVoid(withId((id) => chats.update(id, { write }))),
    backend: chats,
    who: Effect.gen(function*() {
      const { agent, model } = yield* Ref.get(led)
      const [first] = agent === null ? yield* chats.agents : []
      const named = [model, ...yield* chats.modelsOf(agent)].find((id) => (id ?? "").trim() !== "")
      return { agent: agent ?? first?.name ?? "Assistant", model: named === COMMAND_MODE ? null : named ?? null }
    }),
    tools: Effect.flatMap(Ref.get(led), ({ agent }) => chats.tools(agent))
  })
})

const opened = Effect.fnUntraced(function*(chats: ChatBackend["Service"], partner: Partner, which: Which) {
  if (which._tag === "New") return yield* chats.create(partner)
  if (which._tag === "Id") return yield* chats.get(yield* ChatIds.whole(chats.list, which.id))
  const [last] = yield* chats.list(null, 1)
  return last ?? (yield* NO_CHAT)
})

const PATIENCE = "3 seconds"

const NO_CHAT = new Failed({
  tag: "UnknownChat",
  message: "there is no chat to go on with",
  hint: "boocode chat MESSAGE, without --continue, begins one"
})

/** Written out: the whole of chat is loaded by those that run chats. */
const COMMAND_MODE: typeof CommandMode.ID = "command"

const isHolding = ({ until }: ChatWrite, now: DateTime.DateTime): boolean =>
  until === null || Option.exists(DateTime.make(until), DateTime.isGreaterThan(now))

const isEnd = (part: Part): boolean => part.type === "finish"

const lastSeq = (turns: Chat["turns"]): number =>
  turns.reduce((highest, { parts }) => Math.max(highest, parts.at(-1)?.seq ?? 0), 0)
