/** What each provider is sent and answers: its requests in the pieces that it reads, and the answers of a script as it streams them. */
import * as ChatCompletions from "../../test/servers/model/ChatCompletions.ts"
import { type Json, object, objects, text } from "../../test/servers/model/Json.ts"
import * as Messages from "../../test/servers/model/Messages.ts"
import * as Responses from "../../test/servers/model/Responses.ts"
import type { Dialect, Step } from "../../test/servers/model/Script.ts"
import type { Piece, Prompt } from "./PrefixCost.ts"

export interface Wire {
  readonly title: string
  /** A model of which the program itself knows how its tools are left to search. */
  readonly model: string
  /** Whether the provider keeps what stands before a mark, and nothing else. */
  readonly byMarks: boolean
  /** The names of the tools that are defined at the beginning. */
  readonly tools: (body: Json) => ReadonlyArray<string>
  readonly prompt: (body: Json) => Prompt
  /** A stream of one answer. */
  readonly answer: (body: Json, steps: ReadonlyArray<Step>, id: string) => string
}

const MARK = "cache_control"

const piece = (value: unknown): Piece => ({ text: JSON.stringify(unmarked(value)), isMarked: isMarked(value) })

const isMarked = (value: unknown): boolean => MARK in object(value)

/** A mark is no part of what is kept. */
const unmarked = (value: unknown): unknown => {
  const { [MARK]: _, ...rest } = object(value)
  return typeof value === "object" && value !== null && !Array.isArray(value) ? rest : value
}

const plain = (pieces: ReadonlyArray<unknown>): Prompt => ({ pieces: pieces.map(piece), deferred: [] })

const streamed = (dialect: Dialect): Wire["answer"] => (body, steps, id) =>
  [...dialect.stream(dialect.read(body), steps, id)].filter((piece) => typeof piece === "string").join("")

const completions: Omit<Wire, "title" | "model"> = {
  byMarks: false,
  tools: (body) => objects(body["tools"]).map((tool) => text(object(tool["function"])["name"])),
  prompt: (body) => plain([...objects(body["tools"]), ...objects(body["messages"])]),
  answer: streamed(ChatCompletions.dialect)
}

const responses: Omit<Wire, "title" | "model"> = {
  byMarks: false,
  tools: (body) => objects(body["tools"]).map((tool) => text(tool["name"])),
  prompt: (body) => plain([...objects(body["tools"]), ...objects(body["input"])]),
  answer: streamed(Responses.dialect)
}

const messages: Omit<Wire, "title" | "model"> = {
  byMarks: true,
  tools: (body) => objects(body["tools"]).filter((tool) => tool["defer_loading"] !== true).map(nameOf),
  prompt: (body) => {
    const tools = objects(body["tools"])
    const deferred = new Map(tools.filter(isDeferred).map((tool) => [nameOf(tool), JSON.stringify(tool)]))
    const blocks = objects(body["messages"]).flatMap(({ content, role }) =>
      (typeof content === "string" ? [{ type: "text", text: content }] : objects(content))
        .map((block) => ({ role, ...block, ...expanded(block, deferred) }))
    )
    return {
      pieces: [...tools.filter((tool) => !isDeferred(tool)), ...objects(body["system"]), ...blocks].map(piece),
      deferred: [...deferred.values()]
    }
  },
  answer: streamed(Messages.dialect)
}

const nameOf = (tool: Json): string => text(tool["name"])

const isDeferred = (tool: Json): boolean => tool["defer_loading"] === true

/** The model reads a definition where a result refers to it. */
const expanded = (block: Json, definitions: ReadonlyMap<string, string>): Json =>
  block["type"] !== "tool_result" || !Array.isArray(block["content"]) ? {} : {
    content: objects(block["content"]).map((part) =>
      part["type"] === "tool_reference" ? definitions.get(text(part["tool_name"])) : part
    )
  }

const gemini: Omit<Wire, "title" | "model"> = {
  byMarks: false,
  tools: (body) => declarations(body).map(nameOf),
  prompt: (body) => plain([...declarations(body), object(body["systemInstruction"]), ...objects(body["contents"])]),
  answer: (_, steps, id) => {
    const parts = steps.flatMap((step): ReadonlyArray<Json> => {
      if (step.type === "text") return [{ text: step.text }]
      return step.type === "call" ? [{ functionCall: { name: step.name, args: JSON.parse(step.args) } }] : []
    })
    const usageMetadata = { promptTokenCount: 5, candidatesTokenCount: 2, totalTokenCount: 7 }
    const candidate = { content: { role: "model", parts }, finishReason: "STOP", index: 0 }
    return `data: ${JSON.stringify({ candidates: [candidate], usageMetadata, responseId: id })}\n\n`
  }
}

const declarations = (body: Json): ReadonlyArray<Json> =>
  objects(body["tools"]).flatMap((tools) => objects(tools["functionDeclarations"]))

export const WIRES: ReadonlyArray<Wire> = [
  { ...completions, title: "OpenAI-compatible", model: "openai/qwen3" },
  { ...responses, title: "OpenAI Responses", model: "responses/gpt-5.2" },
  { ...responses, title: "OpenAI Responses, definitions added", model: "responses/gpt-5.6-sol" },
  { ...messages, title: "Anthropic", model: "anthropic/claude-sonnet-4-20250514" },
  { ...messages, title: "Anthropic, definitions deferred", model: "anthropic/claude-sonnet-5" },
  { ...gemini, title: "Gemini", model: "google/gemini-2.5-pro" }
]
