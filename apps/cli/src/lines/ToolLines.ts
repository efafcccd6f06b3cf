/** Tools as `mcp tools`, `mcp search` and `/tools` show them to people. */
import type { ToolDocument } from "@boocode/chat-server/Documents"
import { oneLine, pad, type Paint } from "../terminal/Output.ts"

type Tool = typeof ToolDocument.Type

export const toolLines = (tools: ReadonlyArray<Tool>, paint: Paint): ReadonlyArray<string> => {
  if (tools.length === 0) return ["no tools"]
  const width = Math.max(...tools.map((tool) => tool.name.length))
  return tools.map((tool) => toolLine(tool, width, paint))
}

export const toolLine = (tool: Tool, width: number, paint: Paint): string => {
  const asks = tool.needsApproval ? `${paint.careful("asks first")} ` : ""
  return `${paint.bold(pad(tool.name, width))}  ${asks}${oneLine(summary(tool), 100)}`.trimEnd()
}

/** The title where it says more than the name, and the first line of the description. */
const summary = ({ description, title, tool }: Tool): string => {
  const first = description?.split("\n").map((line) => line.trim()).find((line) => line !== "") ?? ""
  const isNews = title !== null && letters(title) !== letters(tool) && !letters(first).startsWith(letters(title))
  return [isNews ? title : "", first].filter((words) => words !== "").join(": ")
}

const letters = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "")
