/** Tools as `mcp tools` and `mcp search` show them to people. */
import type { ToolDocument } from "@boocode/chat-server/ApiDocuments"
import { Dialect } from "@boocode/toolkit"
import * as Result from "effect/Result"
import type { Paint } from "./Paint.ts"
import { indented, oneLine, pad } from "./PlainText.ts"

type Tool = typeof ToolDocument.Type

/** One line a tool. */
export const toolLines = (tools: ReadonlyArray<Tool>, paint: Paint): ReadonlyArray<string> => {
  if (tools.length === 0) return ["no tools"]
  const name = Math.max(...tools.map((tool) => tool.name.length))
  return tools.map((tool) =>
    `${paint.bold(pad(tool.name, name))}  ${oneLine(tool.title ?? tool.description ?? "", 100)}`.trimEnd()
  )
}

/** A tool with its schema in a dialect, and what the dialect cannot say; or why it cannot be said in it at all. */
export type SpokenTool = Tool & {
  readonly schema: {
    /** What it is written in: `openai` where `openai-strict` cannot say it. */
    readonly dialect: Dialect.Dialect
    readonly losses: ReadonlyArray<{ readonly [Key in keyof Dialect.Loss]: string }>
    /** Null when it can be said; `inputSchema` is then in the dialect, else as its server declared it. */
    readonly reason: string | null
  }
}

export const inDialect = (tools: ReadonlyArray<Tool>, dialect: Dialect.Dialect): ReadonlyArray<SpokenTool> =>
  tools.map((tool) =>
    Result.match(Dialect.convert(dialect, tool.inputSchema), {
      onFailure: (reason) => ({ ...tool, schema: { dialect, losses: [], reason } }),
      onSuccess: ({ dialect, losses, schema }) => ({
        ...tool,
        inputSchema: schema,
        schema: { dialect, losses: losses.map(({ detail, path }) => ({ path, detail })), reason: null }
      })
    })
  )

/** Each tool with its schema, and a line for each thing that was lost. */
export const schemaLines = (tools: ReadonlyArray<SpokenTool>, paint: Paint): ReadonlyArray<string> =>
  tools.length === 0 ? ["no tools"] : tools.flatMap(({ inputSchema, name, schema }) => [
    paint.bold(name),
    ...(schema.reason === null
      ? indented(JSON.stringify(inputSchema, null, 2), "  ")
      : [`  ${paint.bad("left out")}  ${oneLine(schema.reason, 400)}`]),
    ...schema.losses.map(({ detail, path }) =>
      `  ${paint.careful("lost")}  ${path === "" ? "" : `${oneLine(path, 200)}: `}${oneLine(detail, 400)}`
    )
  ])
