/**
 * Tools whose definitions a model reads when a result refers to them. The provider keeps them out of what a model is told at first,
 * and out of the beginning that it has in its cache, so that they may come and go.
 */
import {
  isJSONObject,
  type JSONObject,
  type LanguageModelV4CallOptions,
  type LanguageModelV4FunctionTool,
  type LanguageModelV4Message,
  type LanguageModelV4ToolResultOutput
} from "@ai-sdk/provider"
import type * as Prompt from "effect/ai/Prompt"
import type * as Tool from "effect/ai/Tool"
import * as Context from "effect/Context"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { ProviderTraits } from "../models/ProviderTraits.ts"

/**
 * Marks a tool of a request: `tool.annotate(DeferredTool.Deferred, true)`. Providers without that get it like any other tool, so
 * ask `defersTools` of `ModelFacts` first.
 */
export const Deferred: Context.Reference<boolean> = Context.Reference<boolean>("language-models/DeferredTool", {
  defaultValue: () => false
})

/** Whether a tool is marked. */
export const isDeferred = (tool: Tool.Any): boolean => Context.get(tool.annotations, Deferred)

/** The result of a search, with the names of the tools that it found: the model has them from there on. */
export const referring = (part: Prompt.ToolResultPart, names: ReadonlyArray<string>): Prompt.ToolResultPart =>
  names.length === 0 ? part : { ...part, options: { ...part.options, [KEY]: { names } } }

const KEY = "deferred-tools"

const decodeNames = Schema.decodeUnknownOption(Schema.Struct({ names: Schema.Array(Schema.String) }))

const namesIn = (options: Readonly<Record<string, unknown>> | undefined): ReadonlyArray<string> =>
  Option.match(decodeNames(options?.[KEY]), { onNone: () => [], onSome: ({ names }) => names })

/** The references of a result, as Anthropic takes them. */
export const references = (
  { options }: Prompt.ToolResultPart
): Extract<LanguageModelV4ToolResultOutput, { type: "content" }>["value"] =>
  namesIn(options)
    .map((toolName) => ({ type: "custom", providerOptions: { anthropic: { type: "tool-reference", toolName } } }))

/** The options of a definition that is read later: Anthropic gets it marked, and OpenAI does not get it at the beginning. */
export const LEFT_OUT = { anthropic: { deferLoading: true }, openai: { omitFromRequestTools: true } } as const

/** The request, in which each result that names definitions is followed by those that come for the first time, as OpenAI takes them. */
export const added = (
  call: LanguageModelV4CallOptions,
  { defersTools }: Pick<ProviderTraits, "defersTools">
): LanguageModelV4CallOptions => {
  if (defersTools !== "additions") return call
  const left = new Map(
    (call.tools ?? []).flatMap((tool) =>
      tool.type === "function" && tool.providerOptions?.["openai"]?.["omitFromRequestTools"] === true
        ? [[tool.name, definition(tool)] as const]
        : []
    )
  )
  const taken = (names: ReadonlyArray<string>) =>
    names.flatMap((name) => {
      const found = left.get(name)
      left.delete(name)
      return found === undefined ? [] : [found]
    })
  return {
    ...call,
    prompt: call.prompt.map((message) =>
      message.role !== "tool" ? message : { ...message, content: message.content.map((part) => withAdded(part, taken)) }
    )
  }
}

type ToolContent = Extract<LanguageModelV4Message, { role: "tool" }>["content"][number]

const withAdded = (
  part: ToolContent,
  taken: (names: ReadonlyArray<string>) => Array<JSONObject>
): ToolContent => {
  const additionalTools = part.type === "tool-result" ? taken(namesIn(part.providerOptions)) : []
  return additionalTools.length === 0
    ? part
    : {
      ...part,
      providerOptions: { ...part.providerOptions, openai: { ...part.providerOptions?.["openai"], additionalTools } }
    }
}

const definition = ({ description, inputSchema, name }: LanguageModelV4FunctionTool): JSONObject => ({
  type: "function",
  name,
  ...(description === undefined ? {} : { description }),
  parameters: isJSONObject(inputSchema) ? inputSchema : {},
  strict: false
})
