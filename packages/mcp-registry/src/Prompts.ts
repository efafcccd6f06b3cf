/**
 * The prompts of servers: texts that a person picks and fills in.
 */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Capped from "./Capped.ts"
import * as CleanText from "./CleanText.ts"
import type { ItemList } from "./Connection.ts"
import * as Items from "./Items.ts"
import { InvalidArguments } from "./McpError.ts"
import type { McpPrompt, PromptResult } from "./shapes/Prompt.ts"
import * as JsonRpc from "./transport/JsonRpc.ts"
import * as ToolPrint from "./trust/ToolPrint.ts"

export type { McpPrompt, PromptResult } from "./shapes/Prompt.ts"

/** The prompts of a listing; one that is malformed costs itself only, and is told of. @category decoding */
export const ofListing = (server: string, listing: ItemList): Items.Listed<McpPrompt> =>
  Items.decode(listing, "prompt", "name", (item, name) => ({
    server,
    name,
    title: Items.textOf(item["title"]),
    description: Items.textOf(item["description"]),
    arguments: Items.objectsOf(item["arguments"]).flatMap((argument) => {
      const name = Items.identifierOf(argument["name"])
      if (name === null) return []
      const { description, required, title } = argument
      return [{ name, title: Items.textOf(title), description: Items.textOf(description), required: required === true }]
    })
  }))

/** Arguments as the protocol wants them, which is as texts. Fails when one that is required is not there. @category encoding */
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

/** The answer to `prompts/get`, cleaned and within this many bytes. @category decoding */
export const toResult = (raw: Schema.JsonObject, maxBytes: number): PromptResult => {
  const capped = Capped.make(maxBytes)
  const cleaned = ToolPrint.mapTexts({ messages: raw["messages"] ?? [] }, CleanText.clean)
  const messages = Items.objectsOf(cleaned?.["messages"]).flatMap(({ content, role }) =>
    blocksOf(content).map((block) => ({
      role: role === "assistant" ? "assistant" as const : "user" as const,
      content: capped.block(block)
    }))
  )
  return { description: Items.textOf(raw["description"]), messages, truncated: capped.truncated() }
}

/** The protocol wants one block; some servers give a text, or a list. */
const blocksOf = (content: Schema.Json | undefined): ReadonlyArray<Schema.JsonObject> => {
  if (typeof content === "string") return [{ type: "text", text: content }]
  if (Array.isArray(content)) return content.flatMap(blocksOf)
  return JsonRpc.isObject(content) ? [content] : []
}
