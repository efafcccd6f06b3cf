/** The parts of a turn as people read them: text on standard output, all else as calm lines on standard error. */
import type { Part } from "@boocode/chat"
import type { Paint } from "./Paint.ts"
import { indented, oneLine, plain } from "./PlainText.ts"

const RESULT_LINES = 6

/** The lines about one part that are not the answer itself. `toolOf` gives the name of the tool of a call. */
export const partLines = (part: Part, toolOf: (id: string) => string, paint: Paint): ReadonlyArray<string> => {
  switch (part.type) {
    case "tool-call":
      return [`${paint.dim("→")} ${paint.bold(oneLine(part.name))} ${paint.dim(oneLine(JSON.stringify(part.args)))}`]
    case "tool-progress":
      return [paint.dim(`  ${progress(part)}`)]
    case "tool-result":
      return resultLines(part, toolOf(part.id), paint)
    case "warning":
      return [`${paint.careful("warning")}  ${plain(part.message)}`]
    case "error":
      return [`${paint.bad("error")}  ${plain(part.message)}`, `       ${paint.dim(plain(part.hint))}`]
    case "finish":
      return endings[part.reason] === undefined ? [] : [paint.careful(endings[part.reason] ?? "")]
    default:
      return []
  }
}

const endings: Partial<Record<Extract<Part, { readonly type: "finish" }>["reason"], string>> = {
  length: "the answer was cut: it reached the length the model allows",
  steps: "stopped: the turn reached the number of model requests its agent allows",
  stopped: "stopped",
  "content-filter": "the provider's content filter ended the answer"
}

const progress = (part: Extract<Part, { readonly type: "tool-progress" }>): string => {
  const share = part.total === null ? `${part.progress}` : `${part.progress}/${part.total}`
  return part.message === null ? share : `${share} ${oneLine(part.message)}`
}

const resultLines = (
  part: Extract<Part, { readonly type: "tool-result" }>,
  tool: string,
  paint: Paint
): ReadonlyArray<string> => {
  const lines = indented(part.text, "  ")
  const more = lines.length - RESULT_LINES
  return [
    resultTitle(part, tool, paint),
    ...lines.slice(0, RESULT_LINES).map((line) => paint.dim(cut(line))),
    ...(more > 0 ? [paint.dim(`  … ${more} more ${more === 1 ? "line" : "lines"}`)] : [])
  ]
}

/** The line above a result. */
export const resultTitle = (
  part: Extract<Part, { readonly type: "tool-result" }>,
  tool: string,
  paint: Paint
): string => {
  const mark = part.isError ? paint.bad("✗") : paint.good("←")
  return `${mark} ${oneLine(tool)} ${paint.dim(`${Math.round(part.millis)} ms`)}`
}

const cut = (line: string): string => line.length <= 200 ? line : `${line.slice(0, 199)}…`
