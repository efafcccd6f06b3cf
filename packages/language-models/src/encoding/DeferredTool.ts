/**
 * Tools whose definitions a model reads when a result refers to them. The provider keeps them out of what a model is told at first,
 * and out of the beginning that it has in its cache, so that they may come and go.
 */
import type { LanguageModelV4ToolResultOutput } from "@ai-sdk/provider"
import type * as Prompt from "effect/ai/Prompt"
import type * as Tool from "effect/ai/Tool"
import * as Context from "effect/Context"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

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

/** The references of a result, as Anthropic takes them. */
export const references = (
  { options }: Prompt.ToolResultPart
): Extract<LanguageModelV4ToolResultOutput, { type: "content" }>["value"] =>
  Option.match(decodeNames(options[KEY]), { onNone: () => [], onSome: ({ names }) => names })
    .map((toolName) => ({ type: "custom", providerOptions: { anthropic: { type: "tool-reference", toolName } } }))
