/** Leading a conversation: messages one after the other, each turn shown as it goes, its calls asked about. */
import type { Part } from "@boocode/chat"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FiberMap from "effect/FiberMap"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import { ChatConversation, type Message, type Saying } from "../backend/ChatConversation.ts"
import * as ChatLines from "../lines/ChatLines.ts"
import type { Options } from "../options/Options.ts"
import * as TerminalQuestions from "../questions/TerminalQuestions.ts"
import type { Failed } from "../terminal/Failure.ts"
import { Interrupts, Keyboard } from "../terminal/Keyboard.ts"
import { Output } from "../terminal/Output.ts"
import * as SlashCommands from "./SlashCommands.ts"
import * as TerminalApprovals from "./TerminalApprovals.ts"

export interface TalkRequest {
  /** What is said first; null for nothing. */
  readonly first: Message | null
  /** Whether more messages follow from the keyboard. */
  readonly interactive: boolean
  /** Tools that are called without a question. */
  readonly allow: ReadonlyArray<string>
  /** What a person is told when no model answers. */
  readonly withoutModel: string
}

type Finish = Extract<Part, { readonly type: "finish" }>["reason"]

/** Gives how the last turn ended. */
export const talk = Effect.fnUntraced(function*(options: Options, request: TalkRequest) {
  const { isCommandMode, running, say, settled } = yield* ChatConversation
  const output = yield* Output
  // Started at once, so that servers connect while a person types the first message.
  const servers = yield* Effect.forkChild(settled)
  const last = yield* Ref.make<Finish>("stop")
  let isTold = false

  const follow = Effect.fnUntraced(function*(saying: Effect.Effect<Saying, Failed>) {
    const isCommand = yield* isCommandMode
    if (isCommand && !isTold) yield* output.notes([request.withoutModel])
    isTold = isCommand
    const show = yield* ChatLines.makePartShower(options, isCommand)
    const { isCallFailed, reason } = yield* Effect.scoped(turn(yield* saying, show, request.allow))
    // In the command mode the call is all there is, so its failure is the turn's.
    yield* Ref.set(last, isCommand && isCallFailed && reason === "stop" ? "error" : reason)
  })
  const mean = Effect.fnUntraced(function*(message: Message) {
    yield* Fiber.join(servers)
    const meant = yield* SlashCommands.meant(message)
    if (meant !== null) yield* follow(say(meant))
  })
  // What was wrong with one line of a conversation does not end it.
  const attempt = (text: string) =>
    Effect.catchIf(
      mean({ text }),
      SlashCommands.isForgiven,
      (error) => Effect.andThen(SlashCommands.forgive(error), Ref.set(last, "error"))
    )

  const before = yield* running
  if (before !== null) yield* follow(Effect.succeed(before))
  if (request.first !== null) yield* mean(request.first)
  if (!request.interactive) return yield* Ref.get(last)
  const keyboard = yield* Keyboard
  const next = keyboard.message(output.notePaint.bold("> "))
  for (let line = yield* next; line !== null; line = yield* next) {
    if (line.trim() !== "") yield* attempt(line)
  }
  return yield* Ref.get(last)
})

/** One turn, shown as it happens; a call that asks is answered while the others go on. */
const turn = Effect.fnUntraced(
  function*({ after, parts }: Saying, show: ChatLines.Show, allow: ReadonlyArray<string>) {
    const { answer, reply, stop } = yield* ChatConversation
    const { notePaint, notes } = yield* Output
    const interrupts = yield* Interrupts
    yield* interrupts.first(stop)
    const context = yield* Effect.context<Keyboard | Output>()
    const ask = TerminalApprovals.make(allow)
    const questions = yield* FiberMap.make<string>()
    // One question at a time, in the order of the calls.
    const asking = Semaphore.makeUnsafe(1)
    const question = (request: TerminalApprovals.Request) =>
      asking.withPermit(Effect.flatMap(ask(request), (given) => answer(request.id, given))).pipe(
        // The page may have been quicker, or the turn is over.
        Effect.catch(({ message }) => notes([notePaint.dim(message)])),
        Effect.provideContext(context)
      )
    const told = (one: Extract<Part, { readonly type: "question" }>) =>
      asking.withPermit(Effect.flatMap(TerminalQuestions.answer(one), (given) => reply(one.id, given))).pipe(
        Effect.catch(({ message }) => notes([notePaint.dim(message)])),
        Effect.provideContext(context)
      )
    let isCallFailed = false
    /** What each call asks, a yes or a question of its server. */
    const asked = new Map<string, ReadonlyArray<string>>()
    const remember = (call: string, id: string) => asked.set(call, [...asked.get(call) ?? [], id])
    let shown = 0
    /** A question that needs no answer any more is taken away before anything is shown, which would stand behind it. */
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
        return FiberMap.run(questions, part.id, question(part))
      }
      if (part.type !== "question" || part.isGranted === true) return Effect.void
      if (part.call !== null) remember(part.call, part.id)
      return FiberMap.run(questions, part.id, told(part))
    }
    const showAll = (some: Stream.Stream<Part, Failed>) =>
      Stream.tap(some, (part) =>
        Effect.uninterruptible(
          Effect.andThen(Effect.andThen(takeAway(part), show(part)), Effect.suspend(() => note(part)))
        ))
    const end = yield* Stream.runLast(showAll(parts)).pipe(
      // Whoever ends the command is told how the turn ended.
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
