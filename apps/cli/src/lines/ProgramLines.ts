/** A program that a model wrote, and what came of it, in a few lines. Pure. */
import type { Part } from "@boocode/chat"
import { cut } from "../terminal/Layout.ts"
import { atMost, counted, indented, type Paint, plain } from "../terminal/Output.ts"

type ToolCall = Extract<Part, { readonly type: "tool-call" }>

export const isProgram = ({ name, server }: Pick<ToolCall, "name" | "server">): boolean =>
  server === null && name === "execute"

/** The program as the model wrote it, without control characters. */
export const sourceOf = ({ args }: Pick<ToolCall, "args">): string => {
  const code: unknown = typeof args === "object" && args !== null ? Reflect.get(args, "code") : undefined
  return typeof code === "string" ? plain(code).trimEnd() : ""
}

/** A program of more lines shows its beginning. */
const MOST_LINES = 12
const MOST_RESULT = 6
const WIDEST = 100

/** Its lines, dimmed, with their numbers, so that an error finds its line. */
export const source = (text: string, columns: number, paint: Paint, lead: string): ReadonlyArray<string> => {
  const lines = text.split("\n")
  const shown = lines.slice(0, lines.length <= MOST_LINES + 1 ? lines.length : MOST_LINES)
  const wide = String(shown.length).length
  const room = Math.max(20, Math.min(columns, WIDEST) - lead.length - wide - 2)
  return [
    ...shown.map((line, at) => paint.dim(`${lead}${String(at + 1).padStart(wide)}  ${short(line, room)}`)),
    ...lines.length === shown.length
      ? []
      : [paint.dim(`${lead}${" ".repeat(wide)}  … ${counted(lines.length - shown.length, "more line")}`)]
  ]
}

/** A line cut to its room, with its indentation. */
const short = (line: string, room: number): string => {
  const [start = ""] = /^\s*/.exec(line.replaceAll("\t", "  ")) ?? []
  return `${start}${cut(line, Math.max(8, room - start.length))}`
}

/** The report of its end for the model, without its calls, which stand above. */
export const result = (text: string, columns: number, paint: Paint, lead: string): ReadonlyArray<string> => {
  const [said = ""] = text.split(/(?:^|\n\n)Calls:\n/)
  const lines = indented(said, "").filter((line) => line.trim() !== "")
  const room = Math.min(columns, WIDEST) - lead.length
  return atMost(lines.map((line) => paint.dim(`${lead}${short(line, room)}`)), MOST_RESULT, paint)
}
