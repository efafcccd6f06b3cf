/** The loop of a conversation: one message after the other, each turn shown as it goes, its questions put to the person. */
import type { Part } from "@boocode/chat"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FiberMap from "effect/FiberMap"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import type { Message } from "../backend/ChatBackend.ts"
import { ChatConversation, type RunningTurn } from "../backend/ChatConversation.ts"
import type { Options } from "../options/Options.ts"
import * as TerminalQuestions from "../questions/TerminalQuestions.ts"
import { type Failed, printed } from "../terminal/Failure.ts"
import { Interrupts, Keyboard } from "../terminal/Keyboard.ts"
import { Output } from "../terminal/Output.ts"
import * as ChatLines from "./ChatLines.ts"
import * as SlashCommands from "./SlashCommands.ts"
import * as TerminalApprovals from "./TerminalApprovals.ts"

export interface TalkRequest {
  /** The first message; null leaves it to the keyboard. */
  readonly first: Message | null
  /** Whether more messages follow from the keyboard. */
  readonly interactive: boolean
  /** Tools that are called without a question. */
  readonly allow: ReadonlyArray<string>
  /** The note for a conversation without a model. */
  readonly withoutModel: string
}

type Finish = Extract<Part, { readonly type: "finish" }>["reason"]

/** Succeeds with the reason why the last turn ended. */
export const talk = Effect.fnUntraced(function*(options: Options, request: TalkRequest) {
  const { isCommandMode, running, say, settled } = yield* ChatConversation
  const output = yield* Output
  // Servers connect while a person types the first message.
  const servers = yield* Effect.forkChild(settled)
  const last = yield* Ref.make<Finish>("stop")
  let isTold = false

  const follow = Effect.fnUntraced(function*(started: Effect.Effect<RunningTurn, Failed>, isCall: boolean) {
    const isWithoutModel = yield* isCommandMode
    if (isWithoutModel && !isTold) yield* output.notes([request.withoutModel])
    isTold = isWithoutModel
    const isCommand = isWithoutModel || isCall
    const show = yield* ChatLines.makePartShower(options, isCommand)
    const { isCallFailed, reason } = yield* Effect.scoped(turn(yield* started, show, request.allow))
    // Then the turn is one call, so a failed call is a failed turn.
    yield* Ref.set(last, isCommand && isCallFailed && reason === "stop" ? "error" : reason)
  })
  const handle = Effect.fnUntraced(function*(message: Message) {
    yield* Fiber.join(servers)
    const said = yield* SlashCommands.resolve(message)
    if (said !== null) yield* follow(say(said), SlashCommands.isCall(said))
  })
  // A mistake in one line does not end the conversation.
  const attempt = (text: string) =>
    Effect.catchIf(
      handle({ text }),
      SlashCommands.isRecoverable,
      (error) => Effect.andThen(printed(error), Ref.set(last, "error"))
    )

  const before = yield* running
  if (before !== null) yield* follow(Effect.succeed(before), false)
  if (request.first !== null) yield* handle(request.first)
  if (!request.interactive) return yield* Ref.get(last)
  const keyboard = yield* Keyboard
  const next = keyboard.message(output.notePaint.bold("> "))
  for (let line = yield* next; line !== null; line = yield* next) {
    if (line.trim() !== "") yield* attempt(line)
  }
  return yield* Ref.get(last)
})

/** Shows one turn as it happens. A question is answered while other calls go on. */
const turn = Effect.fnUntraced(
  function*({ after, parts }: RunningTurn, show: ChatLines.Show, allow: ReadonlyArray<string>) {
    const { answer, reply, stop } = yield* ChatConversation
    const { notePaint, notes } = yield* Output
    const interrupts = yield* Interrupts
    yield* interrupts.first(stop)
    const context = yield* Effect.context<Keyboard | Output>()
    const ask = TerminalApprovals.make(allow)
    const questions = yield* FiberMap.make<string>()
    // One question at a time, in the order of the calls.
    const asking = Semaphore.makeUnsafe(1)
    const put = (answered: Effect.Effect<void, Failed, Keyboard | Output>) =>
      asking.withPermit(answered).pipe(
        // Somebody may have answered at the page, or the turn is over.
        Effect.catch(({ message }) => notes([notePaint.dim(message)])),
        Effect.provideContext(context)
      )
    let isCallFailed = false
    /** The questions of each call: approvals, and those of its server. */
    const asked = new Map<string, ReadonlyArray<string>>()
    const remember = (call: string, id: string) => asked.set(call, [...asked.get(call) ?? [], id])
    let shown = 0
    /** Removes a question that needs no answer any more, before anything is printed behind it. */
    const takeAway = (part: Part) => {
      if (part.type === "approval-answer" || part.type === "question-answer") return FiberMap.remove(questions, part.id)
      if (part.type === "tool-result") {
        return Effect.forEach(asked.get(part.id) ?? [], (id) => FiberMap.remove(questions, id), { discard: true })
      }
      return part.type === "finish" ? FiberMap.clear(questions) : Effect.void
    }
    const note = (part: Part) => {
      shown = part.seq
      if (part.type === "tool-result") isCallFailed = part.isError
      if (part.type === "approval") {
        remember(part.call, part.id)
        return FiberMap.run(questions, part.id, put(Effect.flatMap(ask(part), (given) => answer(part.id, given))))
      }
      if (part.type !== "question" || part.isGranted === true) return Effect.void
      if (part.call !== null) remember(part.call, part.id)
      return FiberMap.run(
        questions,
        part.id,
        put(Effect.flatMap(TerminalQuestions.answer(part), (given) => reply(part.id, given)))
      )
    }
    const showAll = (some: Stream.Stream<Part, Failed>) =>
      Stream.tap(some, (part) =>
        Effect.uninterruptible(
          Effect.andThen(Effect.andThen(takeAway(part), show(part)), Effect.suspend(() => note(part)))
        ))
    const end = yield* Stream.runLast(showAll(parts)).pipe(
      // After an interrupt the command still shows how the turn ended.
      Effect.onInterrupt(() =>
        FiberMap.clear(questions).pipe(
          Effect.andThen(stop),
          Effect.andThen(Stream.runDrain(showAll(Stream.suspend(() => after(shown))))),
          Effect.ignore
        )
      )
    )
    const reason: Finish = Option.isSome(end) && end.value.type === "finish" ? end.value.reason : "error"
    return { reason, isCallFailed }
  }
)
