/** Tools as `mcp tools`, `mcp search` and `/tools` show them to people. */
import type { ToolDocument } from "@boocode/chat-server/Documents"
import { cut, padded, widest, width } from "../terminal/Layout.ts"
import type { Paint } from "../terminal/Output.ts"

type Tool = typeof ToolDocument.Type

/** A row a tool; a name that is too long for a narrow terminal has a row of its own. */
export const toolLines = (tools: ReadonlyArray<Tool>, paint: Paint, columns: number): ReadonlyArray<string> => {
  if (tools.length === 0) return ["no tools"]
  const names = widest(tools.map((tool) => tool.name))
  const column = Number.isFinite(columns) ? Math.min(names, Math.floor(columns * 0.45)) : names
  return tools.flatMap((tool) => {
    const about = aboutOf(tool, Math.min(100, columns - column - 2), paint)
    const name = paint.bold(padded(tool.name, column))
    if (width(tool.name) <= column) return [`${name}  ${about}`.trimEnd()]
    return about === "" ? [name] : [name, `${" ".repeat(column + 2)}${about}`]
  })
}

const aboutOf = (tool: Tool, room: number, paint: Paint): string => {
  const marks = marksOf(tool)
  const length = marks.reduce((sum, { word }) => sum + word.length, 0)
  const painted = marks.map(({ colour, word }) => paint[colour](word)).join("")
  return `${painted}${cut(summary(tool), room - length)}`
}

interface Mark {
  /** With what parts it from the text behind it. */
  readonly word: string
  readonly colour: "dim" | "careful" | "bad"
}

/** The class of a tool that declares one, and whether it asks first. */
const marksOf = (tool: Tool): ReadonlyArray<Mark> => [
  ...(tool.class === "undeclared" ? [] : [{ word: `${tool.class} · `, colour: COLOURS[tool.class] }]),
  ...(tool.needsApproval ? [{ word: "asks first ", colour: "careful" as const }] : [])
]

const COLOURS = { reads: "dim", writes: "careful", destroys: "bad" } as const

/** The title where it says more than the name, and the first line of the description. */
const summary = ({ description, title, tool }: Tool): string => {
  const first = description?.split("\n").map((line) => line.trim()).find((line) => line !== "") ?? ""
  const isNews = title !== null && letters(title) !== letters(tool) && !letters(first).startsWith(letters(title))
  return [isNews ? title : "", first].filter((words) => words !== "").join(": ")
}

const letters = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "")
