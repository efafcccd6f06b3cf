/** The yes of a person to their own call of a tool that writes: `--allow`, or an answer at the terminal. */
import * as Effect from "effect/Effect"
import type { Call } from "../backend/Servers.ts"
import * as TerminalApprovals from "../chat/TerminalApprovals.ts"
import * as ArgumentLines from "../lines/ArgumentLines.ts"
import { Failed } from "../terminal/Failure.ts"
import { Keyboard } from "../terminal/Keyboard.ts"
import { oneLine, Output } from "../terminal/Output.ts"

export interface Asked extends Pick<Call, "args" | "tool"> {
  /** The patterns of `--allow`. */
  readonly allow: ReadonlyArray<string>
  /** The work around the question. */
  readonly around: <A, E, R>(question: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/** Makes the call, and once more after a yes where it needs one. */
export const needed = <A, R>(
  call: (isApproved: boolean) => Effect.Effect<A, Failed, R>,
  { allow, around, ...what }: Asked
): Effect.Effect<A, Failed, Keyboard | Output | R> =>
  Effect.catchIf(
    call(TerminalApprovals.isAllowed({ name: what.tool }, allow)),
    ({ tag }) => tag === "YesNeeded",
    (error) => Effect.andThen(around(asked(what, error)), call(true))
  )

/** Asks at a terminal; done after a yes. */
const asked = Effect.fnUntraced(function*(
  { args, tool }: Pick<Call, "args" | "tool">,
  { message, tag }: Failed
): Effect.fn.Return<void, Failed, Keyboard | Output> {
  const { inputIsTerminal, notePaint, notes } = yield* Output
  if (!inputIsTerminal) {
    const hint = `there is no terminal to say yes in; the same command with --allow ${tool} allows it`
    return yield* new Failed({ tag, message: oneLine(message, 400), hint })
  }
  yield* notes([
    `  ${notePaint.careful("?")} ${oneLine(message, 400)}`,
    ...ArgumentLines.shown(args, notePaint)
  ])
  const keyboard = yield* Keyboard
  const said = yield* keyboard.line(`    ${notePaint.bold("[y]es  [n]o")}: `)
  if (/^y(es)?$/i.test(said?.trim() ?? "")) return
  return yield* new Failed({
    tag: "NotAllowed",
    message: `${oneLine(tool)} was not called: you did not say yes`,
    hint: "nothing was sent"
  })
})
