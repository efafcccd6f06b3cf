/** The parts of a turn on a terminal: text on standard output, everything else as lines on standard error. */
import type { Part } from "@boocode/chat"
import * as Effect from "effect/Effect"
import * as ProgramLines from "../lines/ProgramLines.ts"
import type { Options } from "../options/Options.ts"
import { errorLines } from "../terminal/Failure.ts"
import { atMost, counted, indented, oneLine, Output, type Paint, plain } from "../terminal/Output.ts"

const RESULT_LINES = 6

/** The lines about a part, without the answer's own text. `toolOf` gives the tool of a call. */
export const partLines = (part: Part, toolOf: (id: string) => string, paint: Paint): ReadonlyArray<string> => {
  switch (part.type) {
    case "tool-call":
      return callLines(part, paint)
    case "tool-progress":
      return [paint.dim(`  ${progress(part)}`)]
    case "tool-result":
      return [resultTitle(part, toolOf(part.id), paint), ...firstLines(part.text, paint)]
    case "approval-answer":
      return answerLines(part, paint)
    case "question-answer":
      return repliedLines(part, paint)
    case "sampling-result":
      return sampledLines(part, paint)
    case "retry":
      return [
        `${paint.careful("again")}  ${oneLine(part.message)}; try ${part.attempt} of ${part.limit} in ${
          seconds(part.delayMillis)
        }`
      ]
    case "compaction":
      return [paint.dim(compacted(part))]
    case "summary":
      return [paint.dim(summedUp(part))]
    case "message":
      return [`${paint.dim("you")}  ${oneLine(part.text)}`]
    case "warning":
      return [`${paint.careful("warning")}  ${plain(part.message)}`]
    case "error":
      return errorLines(part, paint)
    case "finish":
      return endings[part.reason] === undefined ? [] : [paint.careful(endings[part.reason] ?? "")]
    default:
      return []
  }
}

const callLines = (part: Extract<Part, { readonly type: "tool-call" }>, paint: Paint): ReadonlyArray<string> => {
  const title = `${paint.dim("→")} ${paint.bold(oneLine(part.name))}`
  return ProgramLines.isProgram(part)
    ? [title, ...ProgramLines.source(ProgramLines.sourceOf(part), Infinity, paint, "  ")]
    : [`${title} ${paint.dim(oneLine(JSON.stringify(part.args)))}`]
}

const endings: Partial<Record<Extract<Part, { readonly type: "finish" }>["reason"], string>> = {
  length: "the answer was cut: it reached the length the model allows",
  steps: "stopped: the turn reached the number of model requests its agent allows",
  stopped: "stopped",
  interrupted: "interrupted: the program ended while it ran",
  "content-filter": "the provider's content filter ended the answer"
}

/** An approved call shows its result, which is enough. */
const answerLines = (
  { decision, reason }: Extract<Part, { readonly type: "approval-answer" }>,
  paint: Paint
): ReadonlyArray<string> => {
  if (decision === "deny") return [`${paint.careful("denied")}${reason === null ? "" : `  ${oneLine(reason, 400)}`}`]
  return decision === "expired" ? [paint.careful(reason === null ? "nobody answered in time" : oneLine(reason))] : []
}

/** Only answers that a person did not give here are shown. */
const repliedLines = (
  { action, reason }: Extract<Part, { readonly type: "question-answer" }>,
  paint: Paint
): ReadonlyArray<string> => {
  if (reason !== null) return [paint.dim(`  ${oneLine(reason)}`)]
  return action === "accept" ? [] : [paint.careful(action === "decline" ? "  declined" : "  cancelled")]
}

const sampledLines = (
  { error, millis, text }: Extract<Part, { readonly type: "sampling-result" }>,
  paint: Paint
): ReadonlyArray<string> => {
  if (error !== null) return [`  ${paint.bad("✗")} the model did not answer the server: ${oneLine(error, 400)}`]
  return [`  the model told the server ${paint.dim(`${Math.round(millis)} ms`)}`, ...firstLines(text, paint)]
}

const seconds = (millis: number): string => `${Math.max(1, Math.round(millis / 1000))} s`

const compacted = (
  { limit, results, tokensAfter, tokensBefore, turns }: Extract<Part, { readonly type: "compaction" }>
): string => {
  const left = [
    ...(results === 0 ? [] : [counted(results, "old result")]),
    ...(turns === 0 ? [] : [counted(turns, "old turn")])
  ]
  const numbers = `about ${tokensBefore} tokens became ${tokensAfter}, the model takes ${limit}`
  return `the model does not see ${left.join(" and ") || "a part of the chat"} any more: ${numbers}`
}

const summedUp = ({ from, to, tokens }: Extract<Part, { readonly type: "summary" }>): string => {
  const turns = from === to ? `turn ${from}` : `turns ${from} to ${to}`
  return `the model reads a note of about ${tokens} tokens in place of ${turns}`
}

export const progress = (part: Extract<Part, { readonly type: "tool-progress" }>): string => {
  const share = part.total === null ? `${part.progress}` : `${part.progress}/${part.total}`
  return part.message === null ? share : `${share} ${oneLine(part.message)}`
}

const firstLines = (text: string, paint: Paint): ReadonlyArray<string> =>
  atMost(
    indented(text, "  ").map((line) => paint.dim(line.length <= 200 ? line : `${line.slice(0, 199)}…`)),
    RESULT_LINES,
    paint
  )

/** The line above a result. */
const resultTitle = (
  part: Extract<Part, { readonly type: "tool-result" }>,
  tool: string,
  paint: Paint
): string => {
  const mark = part.isError ? paint.bad("✗") : paint.good("←")
  return `${mark} ${oneLine(tool)} ${paint.dim(`${Math.round(part.millis)} ms`)}`
}

const sourceLines = (sources: ReadonlyMap<string, string>, paint: Paint): ReadonlyArray<string> =>
  Array.from(sources, ([address, title]) => paint.dim(`  from ${oneLine(title)} ${oneLine(address, 400)}`))

/** Shows parts one after the other, and minds an unfinished line and the tools of calls. */
export type Show = (part: Part) => Effect.Effect<void>

export const makePartShower = Effect.fnUntraced(
  function*(options: Options, isCommandMode: boolean): Effect.fn.Return<Show, never, Output> {
    const output = yield* Output
    if (options.json) return (part) => output.documentLine(part)
    const names = new Map<string, string>()
    /** The calls that programs made, whose results the programs take. */
    const made = new Set<string>()
    /** The pages that the answer is from; they stand under it. */
    const sources = new Map<string, string>()
    let isLineOpen = false
    const closeLine = Effect.suspend(() => {
      const wasOpen = isLineOpen
      isLineOpen = false
      return wasOpen ? output.text("\n") : Effect.void
    })
    return (part) => {
      if (part.type === "tool-call") {
        names.set(part.id, part.name)
        if (part.program !== undefined) made.add(part.id)
      }
      if (part.type === "source") sources.set(part.address, part.title)
      if (part.type === "text-delta") {
        isLineOpen = part.text === "" ? isLineOpen : !part.text.endsWith("\n")
        return output.text(part.text)
      }
      if (part.type === "tool-result" && isCommandMode) {
        // No model will tell about this result: it is the answer.
        const title = resultTitle(part, names.get(part.id) ?? part.id, output.notePaint)
        return Effect.andThen(
          output.notes([title]),
          output.text(part.text.endsWith("\n") ? part.text : `${part.text}\n`)
        )
      }
      const told = partLines(part, (id) => names.get(id) ?? id, output.notePaint)
      const all = part.type === "finish" ? [...sourceLines(sources, output.notePaint), ...told] : told
      if (part.type === "finish") sources.clear()
      const isMade = (part.type === "tool-call" || part.type === "tool-result") && made.has(part.id)
      const lines = isMade ? all.slice(0, 1).map((line) => `  ${line}`) : all
      const isBreak = lines.length > 0 || part.type === "finish" || part.type === "approval" ||
        part.type === "question"
      return Effect.andThen(isBreak ? closeLine : Effect.void, output.notes(lines))
    }
  }
)
