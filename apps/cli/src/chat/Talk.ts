/** The loop of a conversation: one message after the other, each turn shown as it goes. */
import type { Part } from "@boocode/chat"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Ref from "effect/Ref"
import * as Semaphore from "effect/Semaphore"
import type { TypedHistory } from "../backend/Backend.ts"
import type { Message } from "../backend/ChatBackend.ts"
import { ChatConversation, type RunningTurn } from "../backend/ChatConversation.ts"
import * as SpentTokens from "../lines/SpentTokens.ts"
import type { Options } from "../options/Options.ts"
import { type Failed, printed } from "../terminal/Failure.ts"
import { Keyboard } from "../terminal/Keyboard.ts"
import { oneLine, Output } from "../terminal/Output.ts"
import * as TrustQuestions from "../trust/TrustQuestions.ts"
import * as ChatLines from "./ChatLines.ts"
import * as EarlyMessages from "./EarlyMessages.ts"
import * as FollowedTurn from "./FollowedTurn.ts"
import * as Greeting from "./Greeting.ts"
import * as LineCompletion from "./LineCompletion.ts"
import * as SlashCommands from "./SlashCommands.ts"
import * as TerminalTurn from "./TerminalTurn.ts"

export interface TalkRequest {
  /** The first message; null leaves it to the keyboard. */
  readonly first: Message | null
  /** Whether there may be earlier turns. */
  readonly isContinued: boolean
  /** Whether more messages follow from the keyboard. */
  readonly interactive: boolean
  readonly answering: FollowedTurn.Answering
  /** The note for a conversation without a model. */
  readonly withoutModel: string
  /** Whether a running server keeps messages that are typed while it answers. */
  readonly hasQueue: boolean
  readonly history: Effect.Effect<TypedHistory>
}

type Finish = Extract<Part, { readonly type: "finish" }>["reason"]

/** Succeeds with the reason why the last turn ended. */
export const talk = Effect.fnUntraced(function*(options: Options, request: TalkRequest) {
  const conversation = yield* ChatConversation
  const { backend, isCommandMode, ready, running, tools } = conversation
  // A line that is typed meanwhile comes behind the message that is on its way.
  const saying = Semaphore.makeUnsafe(1)
  const say = (message: Message) => saying.withPermit(conversation.say(message))
  const early = yield* EarlyMessages.make(request.hasQueue, say)
  const output = yield* Output
  const isShown = output.notesAreTerminal && !options.json
  // Servers connect while a person types the first message.
  const servers = yield* Effect.forkChild(ready)
  const last = yield* Ref.make<Finish>("stop")
  let isTold = false
  let told: ReadonlySet<string> = new Set()
  let spent = SpentTokens.NONE

  const shower = Effect.fnUntraced(function*(isCommand: boolean) {
    if (!isShown) return yield* ChatLines.makePartShower(options, isCommand)
    // Tools that cannot be asked for have names all the same.
    const known = yield* Effect.orElseSucceed(tools, () => [])
    const titles = known.flatMap(({ name, title }) => title === null ? [] : [[name, title] as const])
    return yield* TerminalTurn.make(isCommand, { titles: new Map(titles), told })
  })
  const follow = Effect.fnUntraced(function*(started: Effect.Effect<RunningTurn, Failed>, isCall: boolean) {
    const isWithoutModel = yield* isCommandMode
    if (isWithoutModel && !isTold) yield* output.notes([request.withoutModel])
    isTold = isWithoutModel
    const isCommand = isWithoutModel || isCall
    const { isCallFailed, reason, usage } = yield* early.during(Effect.scoped(Effect.gen(function*() {
      const show = yield* shower(isCommand)
      return yield* FollowedTurn.follow(yield* started, show, request.answering)
    })))
    if (usage !== null) spent = SpentTokens.add(spent, usage)
    if (isShown && request.interactive) yield* output.notes([""])
    // Then the turn is one call, so a failed call is a failed turn.
    yield* Ref.set(last, isCommand && isCallFailed && reason === "stop" ? "error" : reason)
  })
  /** Whether the conversation goes on. */
  const handle = Effect.fnUntraced(function*(message: Message) {
    yield* Fiber.join(servers)
    const said = yield* SlashCommands.resolve(message)
    // The prompt of a server has to be had before its turn begins.
    if (said._tag === "Say" && SlashCommands.isPrompt(said.message)) {
      yield* Effect.timeoutOption(backend.settled, "3 seconds")
    }
    if (said._tag === "Say") yield* follow(say(said.message), SlashCommands.isCall(said.message))
    if (said._tag === "Begun") spent = SpentTokens.NONE
    return said._tag !== "Leave"
  })
  /** Shows the turn of a message that was sent early. */
  const goOn = Effect.fnUntraced(function*(text: string, sent: Effect.Effect<RunningTurn, Failed>) {
    const turn = yield* sent
    if (yield* turn.isKept) yield* follow(Effect.succeed(turn), SlashCommands.isCall({ text }))
    else yield* output.notes([output.notePaint.dim("this message was taken back elsewhere")])
    return true
  })
  // A mistake in one line does not end the conversation.
  const attempt = (text: string, sent: Effect.Effect<RunningTurn, Failed> | null) =>
    Effect.catchIf(
      sent === null ? handle({ text }) : goOn(text, sent),
      SlashCommands.isRecoverable,
      (error) => Effect.andThen(printed(error), Effect.as(Ref.set(last, "error"), true))
    )

  if (request.interactive && isShown) yield* TrustQuestions.ask
  const before = yield* running
  if (request.interactive) {
    const history = yield* request.history
    told = yield* typing(history, isShown, request.first === null && before === null, early.add)
    if (isShown && request.isContinued) spent = (yield* conversation.chat).usage
    if (before !== null) yield* follow(Effect.succeed(before), false)
    if (request.first !== null) {
      if (isShown) yield* output.notes([`> ${oneLine(request.first.text, 400)}`])
      yield* handle(request.first)
    }
    const keyboard = yield* Keyboard
    const next = Effect.gen(function*() {
      const row = SpentTokens.line(spent)
      if (isShown) yield* output.status(row === null ? [] : [output.notePaint.dim(`  ${row}`)])
      const line = yield* keyboard.message
      yield* output.status([])
      return line
    })
    for (let line = yield* next; line !== null; line = yield* next) {
      if (line.trim() === "") continue
      const sent = early.taken()
      if (output.inputIsTerminal) yield* history.add(line)
      if (!(yield* attempt(line, sent === null ? null : Deferred.await(sent)))) break
    }
  } else {
    if (before !== null) yield* follow(Effect.succeed(before), false)
    if (request.first !== null) yield* handle(request.first)
  }
  return yield* Ref.get(last)
}, Effect.scoped)

/** A person may see no greeting for this long while servers start. */
const PATIENCE = "1 second"

/** Opens the keyboard, and greets at a terminal. */
const typing = Effect.fnUntraced(function*(
  history: TypedHistory,
  isShown: boolean,
  mayWait: boolean,
  waits: (message: string) => void
) {
  const { backend, tools, who, write } = yield* ChatConversation
  const output = yield* Output
  const keyboard = yield* Keyboard
  let names = LineCompletion.NO_NAMES
  let told: ReadonlySet<string> = new Set()
  if (isShown) {
    if (mayWait) yield* Effect.timeoutOption(backend.settled, PATIENCE)
    const all = yield* tools
    const servers = yield* backend.servers
    yield* output.notes(
      Greeting.lines({ ...yield* who, servers, tools: all.length, write: yield* write }, output.notePaint)
    )
    told = Greeting.told(servers)
    const learn = Effect.gen(function*() {
      names = { ...names, tools: all.map(({ name }) => name), agents: (yield* backend.agents).map(({ name }) => name) }
      names = { ...names, models: yield* backend.models }
      yield* backend.settled
      names = { ...names, tools: (yield* tools).map(({ name }) => name) }
    })
    yield* Effect.forkScoped(Effect.ignore(learn))
  }
  yield* keyboard.typing({ history: history.lines, complete: (line) => LineCompletion.of(line, names), waits })
  return told
})
