/** The command mode answers where no language model is configured. It lists tools, and calls the one that it is told to. */
import { ToolArguments } from "@boocode/toolkit"
import * as LanguageModel from "effect/ai/LanguageModel"
import type * as Prompt from "effect/ai/Prompt"
import type * as Response from "effect/ai/Response"
import * as Tool from "effect/ai/Tool"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"

/** The id of the command mode as a model. */
export const ID = "command"

/** Tells a person without a model how to configure one. */
export const HOW_TO_CONFIGURE = [
  "To talk with a language model, connect one with boocode setup, or set one of these variables, in the environment or",
  "in .env beside mcp.json:",
  "  OPENAI_API_KEY, ANTHROPIC_API_KEY or GOOGLE_GENERATIVE_AI_API_KEY",
  "  OPENAI_BASE_URL for a server that speaks OpenAI's chat completions (Ollama, llama.cpp, vLLM); it needs no key",
  "and choose the model: --model openai/…, anthropic/… or google/…, or the variable BOOCODE_MODEL."
].join("\n")

/**
 * The command mode as a language model. `/` lists the tools it is given; `/NAME {json}` calls exactly that tool,
 * without arguments when there is no JSON; after the result it says nothing more. Anything else is answered with what
 * it is.
 */
export const make: Effect.Effect<LanguageModel.LanguageModel> = LanguageModel.make({
  streamText: (options) => Stream.fromIterable(streamed(answer(options))),
  generateText: (options) => Effect.succeed(whole(answer(options)))
})

type Answer =
  | { readonly type: "nothing" }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "call"; readonly id: string; readonly name: string; readonly params: unknown }

const answer = ({ prompt, tools }: LanguageModel.ProviderOptions): Answer => {
  const last = prompt.content.findLast((message) => message.role !== "system")
  // The result of a call is all there is to say.
  if (last?.role !== "user") return { type: "nothing" }
  const text = last.content.findLast((part) => part.type === "text")?.text.trim() ?? ""
  const [, name, json] = /^\/(\S*)\s*([^]*)$/.exec(text) ?? []
  if (name === undefined) return { type: "text", text: `${WHAT_THIS_IS}\n\n${HOW_TO_CONFIGURE}` }
  if (name === "") return { type: "text", text: `${listing(tools)}\n\n${HOW_TO_CONFIGURE}` }
  const params = ToolArguments.parse(name, json)
  return Result.isSuccess(params)
    ? { type: "call", id: `command_${countCalls(prompt) + 1}`, name, params: params.success }
    : { type: "text", text: `The arguments cannot be used: ${params.failure.message}. Nothing was called.` }
}

const WHAT_THIS_IS = "This is the command mode, not a language model: it answers no questions. " +
  "It calls tools: / lists them, /NAME {json} calls one."

const listing = (tools: ReadonlyArray<Tool.Any>): string => {
  if (tools.length === 0) return `${WHAT_THIS_IS}\n\nThis agent has no tools.`
  const lines = tools.map((tool) => `/${tool.name}${line(Tool.getDescription(tool))}`)
  return `${WHAT_THIS_IS}\n\n${lines.join("\n")}`
}

const DESCRIPTION_CHARACTERS = 120

const line = (description: string | undefined): string => {
  const words = [...(description ?? "").replaceAll(/\s+/g, " ").trim()]
  const short = words.slice(0, DESCRIPTION_CHARACTERS).join("")
  return short === "" ? "" : ` — ${short}${words.length > DESCRIPTION_CHARACTERS ? "…" : ""}`
}

const countCalls = (prompt: Prompt.Prompt): number =>
  prompt.content.flatMap((message) =>
    message.role === "assistant" ? message.content.filter((part) => part.type === "tool-call") : []
  ).length

const finish = (reason: "stop" | "tool-calls") => ({
  type: "finish" as const,
  reason,
  response: undefined,
  usage: {
    inputTokens: { uncached: undefined, total: undefined, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: undefined, text: undefined, reasoning: undefined }
  }
})

const streamed = (said: Answer): ReadonlyArray<Response.StreamPartEncoded> => {
  if (said.type === "nothing") return [finish("stop")]
  if (said.type === "call") return [{ ...said, type: "tool-call", providerExecuted: false }, finish("tool-calls")]
  const id = "text"
  return [
    { type: "text-start", id },
    { type: "text-delta", id, delta: said.text },
    { type: "text-end", id },
    finish("stop")
  ]
}

const whole = (said: Answer): Array<Response.PartEncoded> => {
  if (said.type === "nothing") return [finish("stop")]
  if (said.type === "call") return [{ ...said, type: "tool-call", providerExecuted: false }, finish("tool-calls")]
  return [{ type: "text", text: said.text }, finish("stop")]
}
