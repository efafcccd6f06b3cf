/**
 * A turn that goes on after the program was started again.
 */
import type { ResultFiles } from "@boocode/toolkit"
import * as Prompt from "effect/ai/Prompt"
import * as Effect from "effect/Effect"
import * as OpenApprovals from "../approvals/OpenApprovals.ts"
import * as History from "../history/History.ts"
import type { Part, TurnPart } from "../Part.ts"
import * as OpenQuestions from "../questions/OpenQuestions.ts"
import * as ToolCalls from "./ToolCalls.ts"

/**
 * The steps that the turn has made. Calls that wait for a person's yes are run again under their ids, and ask for it
 * again; other calls without a result get an error result, since nobody knows what came of them; an answer without calls
 * broke off, and does not count.
 *
 * **Details**
 *
 * The last step ends with a message of the user. Without one some providers want back what they sign for the turn that
 * runs, which is not kept: Gemini refuses calls without it.
 *
 * @category running
 */
export const steps = Effect.fnUntraced(function*(
  calls: ToolCalls.ToolCalls,
  parts: ReadonlyArray<Part>
): Effect.fn.Return<ReadonlyArray<ReadonlyArray<Prompt.Message>>, never, ResultFiles> {
  const since: Array<TurnPart> = []
  const heard: ToolCalls.ToolCalls = {
    ...calls,
    emit: (part) =>
      Effect.suspend(() => {
        since.push(part)
        return calls.emit(part)
      })
  }
  if (brokeOff(parts)) yield* heard.emit(RESTARTED)
  yield* Effect.forEach(OpenQuestions.closing(parts), heard.emit, { discard: true })
  const open = openCalls(parts)
  const asking = new Set(OpenApprovals.open(parts).map(({ call }) => call))
  yield* Effect.forEach(open.filter(({ id }) => !asking.has(id)), (part) => ToolCalls.takeUp(heard, part))
  yield* ToolCalls.close(heard, "the server ended before it was finished, and nobody knows what came of it")
  const again = yield* Effect.forEach(open.filter(({ id }) => asking.has(id)), (part) => ToolCalls.takeUp(heard, part))
  yield* Effect.forEach(again, (call) => ToolCalls.run(heard, call), { concurrency: "unbounded", discard: true })
  const made = yield* History.steps([...parts, ...since])
  return made.map((messages, index) => index === made.length - 1 ? [...messages, GO_ON] : messages)
})

const RESTARTED: TurnPart = {
  type: "retry",
  attempt: 1,
  limit: 1,
  delayMillis: 0,
  message: "the chat server was started again while the model answered"
}

const GO_ON = Prompt.userMessage({
  content: [
    Prompt.textPart({ text: "(The chat server was started again in between. Go on with what you were doing.)" })
  ]
})

const openCalls = (parts: ReadonlyArray<Part>): ReadonlyArray<Extract<Part, { readonly type: "tool-call" }>> => {
  const answered = new Set(parts.flatMap((part) => part.type === "tool-result" ? [part.id] : []))
  return parts.filter((part) => part.type === "tool-call").filter(({ id }) => !answered.has(id))
}

/** Whether words stand at the end that no call and no retry follows. */
const brokeOff = (parts: ReadonlyArray<Part>): boolean => {
  const last = parts.findLast(({ type }) => type !== "warning" && type !== "compaction")
  return last?.type === "text-delta" || last?.type === "reasoning-delta"
}
