/** One turn from its first part to its last: shown as it happens, its questions put to the person. */
import type { Part } from "@boocode/chat"
import * as Effect from "effect/Effect"
import * as FiberMap from "effect/FiberMap"
import * as Option from "effect/Option"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import { ChatConversation, type RunningTurn } from "../backend/ChatConversation.ts"
import * as JointApprovals from "../questions/JointApprovals.ts"
import * as TerminalQuestions from "../questions/TerminalQuestions.ts"
import type { Failed } from "../terminal/Failure.ts"
import { Interrupts, type Keyboard } from "../terminal/Keyboard.ts"
import { oneLine, Output } from "../terminal/Output.ts"
import type * as ChatLines from "./ChatLines.ts"
import * as TerminalApprovals from "./TerminalApprovals.ts"

/** How the questions of a turn are answered. */
export interface Answering {
  /** Tools that are called without a question. */
  readonly allow: ReadonlyArray<string>
  /** Without a terminal, whether somebody elsewhere is waited for; else the answer is no at once. */
  readonly waits: boolean
}

type Request = Extract<Part, { readonly type: "approval" }>

const UNUSABLE: ReadonlySet<string> = new Set(["UnusableArguments", "UnusableConditions"])

type Finish = Extract<Part, { readonly type: "finish" }>["reason"]

/** Shows one turn as it happens. A question is answered while other calls go on. */
export const follow = Effect.fnUntraced(
  function*({ after, parts }: RunningTurn, show: ChatLines.Show, { allow, waits }: Answering) {
    const { answer, reply, stop } = yield* ChatConversation
    const { inputIsTerminal, notePaint, notes } = yield* Output
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
    /** An answer that cannot be taken as it is, such as conditions that do not cover the call, is asked for again. */
    const approved = (part: Request): Effect.Effect<void, Failed, Keyboard | Output> =>
      Effect.flatMap(ask(part), (given) => answer(part.id, given)).pipe(
        Effect.catchIf(
          ({ tag }) => inputIsTerminal && UNUSABLE.has(tag),
          ({ message }) => Effect.andThen(notes([notePaint.careful(`    ${oneLine(message, 400)}`)]), approved(part))
        )
      )
    const joint = JointApprovals.make()
    /** One question about all calls of a program that wait now. */
    const approvedWithOthers = Effect.fnUntraced(function*(part: Request) {
      if (!inputIsTerminal || TerminalApprovals.isAllowed(part, allow)) return yield* approved(part)
      const together = yield* joint.with(part)
      const [first, ...others] = together
      if (first === undefined) return
      const given = others.length === 0 ? null : yield* JointApprovals.ask(together)
      if (given !== null) {
        return yield* joint.over(together, answer(first.id, { ...given, also: others.map(({ id }) => id) }))
      }
      joint.part(others)
      yield* approved(part)
    })
    const isElsewhere = waits && !inputIsTerminal
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
      joint.note(part)
      if (part.type === "tool-result") isCallFailed = part.isError
      if (part.type === "approval") {
        remember(part.call, part.id)
        return isElsewhere && !TerminalApprovals.isAllowed(part, allow)
          ? notes([
            notePaint.dim(
              notePaint.typed(`${oneLine(part.name)} waits for a yes: at the page, or in boocode chat -i --continue`)
            )
          ])
          : FiberMap.run(questions, part.id, put(approvedWithOthers(part)))
      }
      if (part.type !== "question" || part.isGranted === true || isElsewhere) return Effect.void
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
    const finish = Option.isSome(end) && end.value.type === "finish" ? end.value : null
    const reason: Finish = finish?.reason ?? "error"
    return { reason, isCallFailed, usage: finish?.usage ?? null }
  }
)
