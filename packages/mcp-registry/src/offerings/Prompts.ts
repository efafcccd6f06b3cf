/** The prompts of servers: texts that a person picks and fills in. */
import type { ItemList } from "@boocode/mcp-client/Connection"
import { InvalidArguments } from "@boocode/mcp-client/McpError"
import { CleanText, JsonRpc, JsonValue } from "@boocode/mcp-client/Text"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { Completion, CompletionRequest, McpPrompt, PromptResult } from "../model/Offered.ts"
import * as Passed from "../model/Passed.ts"
import * as ListCache from "./ListCache.ts"
import * as Resources from "./Resources.ts"

export type { McpPrompt, PromptResult } from "../model/Offered.ts"

/** The prompts of a listing; one that is malformed costs itself only, and is told of. */
export const ofListing = (server: string, listing: ItemList): ListCache.Listed<McpPrompt> =>
  ListCache.decodeItems(listing, "prompt", "name", (item, name) => ({
    server,
    name,
    title: ListCache.textOf(item["title"]),
    description: ListCache.textOf(item["description"]),
    arguments: ListCache.objectsOf(item["arguments"]).flatMap((argument) => {
      const name = ListCache.identifierOf(argument["name"])
      if (name === null) return []
      const { description, required, title } = argument
      return [{
        name,
        title: ListCache.textOf(title),
        description: ListCache.textOf(description),
        required: required === true
      }]
    }),
    ...Passed.of(item)
  }))

/** Arguments as the protocol wants them, which is as texts. Fails when one that is required is not there. */
export const encodeArguments = (
  prompt: McpPrompt,
  args: Schema.JsonObject
): Result.Result<Schema.JsonObject, InvalidArguments> => {
  const given = Object.entries(args).filter(([, value]) => value !== null)
  const missing = prompt.arguments.filter(({ name, required }) => required && !given.some(([key]) => key === name))
  if (missing.length > 0) {
    const names = missing.map(({ name }) => name).join(", ")
    return Result.fail(
      new InvalidArguments({ tool: prompt.name, detail: `${names} must be given`, try: howToGive(prompt) })
    )
  }
  return Result.succeed(
    Object.fromEntries(given.map(([key, value]) => [key, typeof value === "string" ? value : JSON.stringify(value)]))
  )
}

const howToGive = (prompt: McpPrompt): string => {
  const example = prompt.arguments.map(({ name }) => `"${name}": "…"`).join(", ")
  return `arguments of a prompt are one JSON object of texts: {${example}}`
}

/** The answer to `prompts/get`, cleaned and within this many bytes. */
export const toResult = (raw: Schema.JsonObject, maxBytes: number): PromptResult => {
  const capped = Resources.makeCapped(maxBytes)
  const cleaned = JsonValue.mapTexts({ messages: raw["messages"] ?? [] }, CleanText.clean)
  const messages = ListCache.objectsOf(cleaned?.["messages"]).flatMap(({ content, role }) =>
    blocksOf(content).map((block) => ({
      role: role === "assistant" ? "assistant" as const : "user" as const,
      content: capped.block(block)
    }))
  )
  return { description: ListCache.textOf(raw["description"]), messages, truncated: capped.truncated() }
}

/** The protocol wants one block; some servers give a text, or a list. */
const blocksOf = (content: Schema.Json | undefined): ReadonlyArray<Schema.JsonObject> => {
  if (typeof content === "string") return [{ type: "text", text: content }]
  if (Array.isArray(content)) return content.flatMap(blocksOf)
  return JsonRpc.isObject(content) ? [content] : []
}

export type { Completion, CompletionRequest } from "../model/Offered.ts"

/** The completion of a server that suggests nothing. */
export const NONE: Completion = { values: [], hasMore: false }

const MOST = 100

/** The parameters of `completion/complete`. */
export const encodeCompletion = ({ argument, context, ref }: CompletionRequest): Schema.JsonObject => ({
  ref,
  argument,
  ...(context === undefined || context === null ? {} : { context })
})

export const toCompletion = (raw: Schema.JsonObject): Completion => {
  const completion = JsonRpc.isObject(raw["completion"]) ? raw["completion"] : {}
  const values = Array.isArray(completion["values"])
    ? completion["values"].filter((value) => typeof value === "string")
    : []
  return {
    values: values.slice(0, MOST).map(CleanText.clean),
    hasMore: completion["hasMore"] === true || values.length > MOST
  }
}
