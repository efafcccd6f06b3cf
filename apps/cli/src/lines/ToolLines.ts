/** Tools as `mcp tools` and `mcp search` show them to people. */
import type { ToolDocument } from "@boocode/chat-server/Documents"
import { SchemaDialect } from "@boocode/toolkit"
import * as Result from "effect/Result"
import { indented, oneLine, pad, type Paint } from "../terminal/Output.ts"

type Tool = typeof ToolDocument.Type

/** One line a tool. */
export const toolLines = (tools: ReadonlyArray<Tool>, paint: Paint): ReadonlyArray<string> => {
  if (tools.length === 0) return ["no tools"]
  const name = Math.max(...tools.map((tool) => tool.name.length))
  return tools.map((tool) =>
    `${paint.bold(pad(tool.name, name))}  ${asking(tool, paint)}${oneLine(told(tool), 100)}`.trimEnd()
  )
}

/** What a model calls only after a person's yes. */
const asking = ({ needsApproval }: Tool, paint: Paint): string => needsApproval ? `${paint.careful("asks first")} ` : ""

/** What helps to choose: the title where it says more than the name, and what the description begins with. */
const told = ({ description, title, tool }: Tool): string => {
  const first = description?.split("\n").map((line) => line.trim()).find((line) => line !== "") ?? ""
  const isNews = title !== null && letters(title) !== letters(tool) && !letters(first).startsWith(letters(title))
  return [isNews ? title : "", first].filter((words) => words !== "").join(": ")
}

const letters = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "")

/** A tool with its schema in a dialect, and what the dialect cannot say; or why it cannot be said in it at all. */
export type SpokenTool = Tool & {
  readonly schema: {
    /** What it is written in: `openai` where `openai-strict` cannot say it. */
    readonly dialect: SchemaDialect.SchemaDialect
    readonly losses: ReadonlyArray<{ readonly [Key in keyof SchemaDialect.Loss]: string }>
    /** Null when it can be said; `inputSchema` is then in the dialect, else as its server declared it. */
    readonly reason: string | null
  }
}

export const inDialect = (
  tools: ReadonlyArray<Tool>,
  dialect: SchemaDialect.SchemaDialect
): ReadonlyArray<SpokenTool> =>
  tools.map((tool) =>
    Result.match(SchemaDialect.convert(dialect, tool.inputSchema), {
      onFailure: (reason) => ({ ...tool, schema: { dialect, losses: [], reason } }),
      onSuccess: ({ dialect, losses, schema }) => ({
        ...tool,
        inputSchema: schema,
        schema: { dialect, losses: losses.map(({ detail, path }) => ({ path, detail })), reason: null }
      })
    })
  )

/** Each tool with its schema, a line for each thing that was lost, and an empty line before the next tool. */
export const schemaLines = (tools: ReadonlyArray<SpokenTool>, paint: Paint): ReadonlyArray<string> =>
  tools.length === 0 ? ["no tools"] : tools.flatMap((tool, at) => [...(at === 0 ? [] : [""]), ...spoken(tool, paint)])

const spoken = (tool: SpokenTool, paint: Paint): ReadonlyArray<string> => {
  const { inputSchema, name, schema } = tool
  return [
    `${paint.bold(name)}  ${asking(tool, paint)}${oneLine(told(tool), 100)}`.trimEnd(),
    ...(schema.reason === null
      ? indented(JSON.stringify(inputSchema, null, 2), "  ")
      : [`  ${paint.bad("left out")}  ${oneLine(schema.reason, 400)}`]),
    ...schema.losses.map(({ detail, path }) =>
      `  ${paint.careful("lost")}  ${path === "" ? "" : `${oneLine(path, 200)}: `}${oneLine(detail, 400)}`
    )
  ]
}
