/**
 * The prompts and resources of all servers, and whose are not among them.
 */
import * as Schema from "effect/Schema"
import { McpPrompt } from "./Prompt.ts"
import { McpResource, McpResourceTemplate } from "./Resource.ts"

const missing = {
  /** Servers that may bring more: they connect, sleep without ever having been asked, or take their time. */
  waiting: Schema.Array(Schema.String),
  /** Servers whose list cannot be had, and why. */
  failed: Schema.Array(Schema.Struct({ server: Schema.String, message: Schema.String, hint: Schema.String })),
  /** What was wrong with lists that could be had, each led by its server. */
  warnings: Schema.Array(Schema.String)
}

/** The prompts there are, sorted by server and then as it lists them, and whose are not among them. @category schemas */
export const PromptList = Schema.Struct({ prompts: Schema.Array(McpPrompt), ...missing })

/** The prompts there are. @category models */
export type PromptList = typeof PromptList.Type

/** The resources there are, in the same order. @category schemas */
export const ResourceList = Schema.Struct({
  resources: Schema.Array(McpResource),
  templates: Schema.Array(McpResourceTemplate),
  ...missing
})

/** The resources there are. @category models */
export type ResourceList = typeof ResourceList.Type
