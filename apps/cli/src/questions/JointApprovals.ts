/** Approvals of calls of one program that wait at the same moment: one question is about all of them. */
import type { Answer, Part } from "@boocode/chat"
import * as Effect from "effect/Effect"
import { Keyboard } from "../terminal/Keyboard.ts"
import { oneLine, Output, type Paint, plain } from "../terminal/Output.ts"

type Request = Extract<Part, { readonly type: "approval" }>

/** Calls that a program makes at the same moment come one after the other. */
const GATHER = "150 millis"

/** The approvals that wait, as the parts of a turn tell. */
export interface JointApprovals {
  /** Is told each part in order. */
  readonly note: (part: Part) => void
  /**
   * The approvals of its program that wait, this one included; this one alone where a person wants each asked. None when it was
   * answered meanwhile.
   */
  readonly with: (request: Request) => Effect.Effect<ReadonlyArray<Request>>
  /** These are asked about one by one from now on. */
  readonly part: (requests: ReadonlyArray<Request>) => void
  /** Answers these, which are not asked about again unless that fails. */
  readonly over: <E, R>(
    requests: ReadonlyArray<Request>,
    answer: Effect.Effect<void, E, R>
  ) => Effect.Effect<void, E, R>
}

export const make = (): JointApprovals => {
  /** The programs of calls. */
  const programs = new Map<string, string>()
  const waiting = new Map<string, Request>()
  const alone = new Set<string>()
  const near = (request: Request): ReadonlyArray<Request> => {
    const program = programs.get(request.call)
    return [...waiting.values()].filter((one) => programs.get(one.call) === program && !alone.has(one.id))
  }
  return {
    note: (part) => {
      if (part.type === "tool-call" && part.program !== undefined) programs.set(part.id, part.program)
      if (part.type === "approval" && programs.has(part.call)) waiting.set(part.id, part)
      if (part.type === "approval-answer") waiting.delete(part.id)
    },
    with: (request) =>
      programs.has(request.call) && !alone.has(request.id)
        ? Effect.delay(Effect.sync(() => near(request)), GATHER)
        : Effect.succeed([request]),
    over: (requests, answer) =>
      // The first of them that is answered would end this fiber before the others are.
      Effect.uninterruptible(Effect.suspend(() => {
        for (const { id } of requests) waiting.delete(id)
        return Effect.tapError(answer, () => Effect.sync(() => requests.forEach((one) => waiting.set(one.id, one))))
      })),
    part: (requests) => requests.forEach(({ id }) => alone.add(id))
  }
}

/** Asks once about all of them; null where the person wants each asked. */
export const ask = Effect.fnUntraced(function*(
  requests: ReadonlyArray<Request>
): Effect.fn.Return<Answer | null, never, Keyboard | Output> {
  const { notePaint, notes } = yield* Output
  yield* notes([
    "",
    `  ${notePaint.careful("?")} ${notePaint.bold(`${requests.length} calls`)} of the program ask for your yes`,
    ...requests.map((request) => line(request, notePaint))
  ])
  return yield* asked(notePaint)
})

const line = ({ args, class: kind, isTrusted, name, server }: Request, paint: Paint): string => {
  const marks = [...kind === undefined ? [] : [kind], ...server === null || isTrusted ? [] : ["not trusted"]]
  const about = marks.length === 0 ? "" : ` (${marks.join(", ")})`
  return `    ${oneLine(name)} ${paint.dim(`${oneLine(JSON.stringify(args), 400)}${about}`)}`
}

const asked = (paint: Paint): Effect.Effect<Answer | null, never, Keyboard> =>
  Effect.gen(function*() {
    const keyboard = yield* Keyboard
    const said = yield* keyboard.line(`    ${paint.bold("[y] all of them once  [n] none  [e] each by itself")}: `)
    // The end of the input is no.
    if (said === null) return { decision: "deny" }
    const choice = said.trim().toLowerCase()
    if (/^(1|y|yes)$/.test(choice)) return { decision: "once" }
    if (/^(e|each)$/.test(choice)) return null
    if (!/^no?$/.test(choice)) return yield* asked(paint)
    const reason = yield* keyboard.line("    why? the model reads it, and it may stay empty: ")
    return { decision: "deny", reason: reason === null || reason.trim() === "" ? null : plain(reason.trim()) }
  })
