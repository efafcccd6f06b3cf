/** The tools of an `effect/ai` request as AI SDK tools: schemas as they are, non-strict unless a tool says otherwise. */
import type { JSONSchema7, LanguageModelV4CallOptions, LanguageModelV4FunctionTool } from "@ai-sdk/provider"
import * as AiError from "effect/ai/AiError"
import type * as LanguageModel from "effect/ai/LanguageModel"
import * as Tool from "effect/ai/Tool"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as DeferredTool from "./DeferredTool.ts"

/**
 * The `tools` and `toolChoice` of a request; both keys are absent without tools, since providers refuse an empty list.
 * Fails for a tool that only its provider can run and for one whose schema has no JSON form.
 */
export const encode = (
  options: Pick<LanguageModel.ProviderOptions, "tools" | "toolChoice">
): Effect.Effect<Pick<LanguageModelV4CallOptions, "tools" | "toolChoice">, AiError.AiErrorReason> =>
  options.tools.length === 0
    ? Effect.succeed({})
    : Effect.map(Effect.forEach(options.tools, encodeTool), (tools) => ({ tools, ...encodeChoice(options.toolChoice) }))

const encodeTool = (tool: Tool.Any): Effect.Effect<LanguageModelV4FunctionTool, AiError.AiErrorReason> =>
  Tool.isProviderDefined(tool)
    ? Effect.fail(toolError(tool, "tools that the provider runs are not supported"))
    : Effect.try({
      try: () => functionTool(tool),
      catch: (cause) => toolError(tool, Predicate.isError(cause) ? cause.message : String(cause))
    })

const functionTool = (tool: Tool.Any): LanguageModelV4FunctionTool => {
  const description = Tool.getDescription(tool)
  // OpenAI makes schemas strict by itself where nothing is said of it.
  const strict = Tool.getStrictMode(tool) ?? false
  const inputSchema = Tool.getJsonSchema(tool)
  return {
    type: "function",
    name: tool.name,
    inputSchema: isJsonSchema(inputSchema) ? inputSchema : { type: "object" },
    ...(description === undefined ? {} : { description }),
    ...(DeferredTool.isDeferred(tool) ? { providerOptions: DeferredTool.LEFT_OUT } : {}),
    strict
  }
}

/** Says what TypeScript cannot know: a provider passes any object on as it is. */
export const isJsonSchema = (schema: unknown): schema is JSONSchema7 => Predicate.isObject(schema)

const toolError = (tool: Tool.Any, description: string) =>
  new AiError.ToolConfigurationError({ toolName: tool.name, description })

const encodeChoice = (
  choice: LanguageModel.ToolChoice<string>
): Pick<LanguageModelV4CallOptions, "toolChoice"> => {
  // `auto` is what every provider does unasked, and some local servers refuse the key.
  if (choice === "auto") return {}
  if (choice === "none" || choice === "required") return { toolChoice: { type: choice } }
  if ("tool" in choice) return { toolChoice: { type: "tool", toolName: choice.tool } }
  return choice.mode === "required" ? { toolChoice: { type: "required" } } : {}
}
