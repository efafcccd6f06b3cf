/** The prompts and resources of all servers, and whose are not among them. */
import * as Schema from "effect/Schema"
import { Passed } from "./Passed.ts"

/** One prompt of a server, under the name that goes on the wire. */
export const McpPrompt = Schema.Struct({
  server: Schema.String,
  name: Schema.String,
  title: Schema.NullOr(Schema.String),
  description: Schema.NullOr(Schema.String),
  arguments: Schema.Array(Schema.Struct({
    name: Schema.String,
    title: Schema.NullOr(Schema.String),
    description: Schema.NullOr(Schema.String),
    required: Schema.Boolean
  })),
  ...Passed
})
export type McpPrompt = typeof McpPrompt.Type

/** A filled prompt: messages for a model, each with one block of content as the server wrote it. */
export const PromptResult = Schema.Struct({
  description: Schema.NullOr(Schema.String),
  messages: Schema.Array(Schema.Struct({
    role: Schema.Literals(["user", "assistant"]),
    content: Schema.JsonObject
  })),
  /** Where it is larger than the entry's `maxResultBytes`. */
  truncated: Schema.NullOr(Schema.Struct({ bytes: Schema.Int, shownBytes: Schema.Int }))
})
export type PromptResult = typeof PromptResult.Type

const described = {
  server: Schema.String,
  name: Schema.String,
  title: Schema.NullOr(Schema.String),
  description: Schema.NullOr(Schema.String),
  mimeType: Schema.NullOr(Schema.String),
  ...Passed
}

/** One resource of a server. */
export const McpResource = Schema.Struct({
  ...described,
  uri: Schema.String,
  /** In bytes, as the server says. */
  size: Schema.NullOr(Schema.Finite)
})
export type McpResource = typeof McpResource.Type

/** A template of resource URIs (RFC 6570). */
export const McpResourceTemplate = Schema.Struct({ ...described, uriTemplate: Schema.String })
export type McpResourceTemplate = typeof McpResourceTemplate.Type

/** One of the documents that reading a resource brings. Either `text` or `blob` is null. */
export const ResourceContent = Schema.Struct({
  uri: Schema.String,
  mimeType: Schema.NullOr(Schema.String),
  text: Schema.NullOr(Schema.String),
  /** In base64. Null also where it is larger than the entry's `maxResultBytes`: then `truncated` is true. */
  blob: Schema.NullOr(Schema.String),
  /** Whether it is larger than the entry's `maxResultBytes`, so that its end, or all of a blob, is missing. */
  truncated: Schema.Boolean,
  ...Passed
})
export type ResourceContent = typeof ResourceContent.Type

const missing = {
  /** Servers that may bring more: they connect, sleep without ever having been asked, or take their time. */
  waiting: Schema.Array(Schema.String),
  /** Servers whose list cannot be had, and why. */
  failed: Schema.Array(Schema.Struct({ server: Schema.String, message: Schema.String, hint: Schema.String })),
  /** Faults of lists that could be had, each led by its server. */
  warnings: Schema.Array(Schema.String)
}

/** The prompts there are, sorted by server and then as it lists them, and whose are not among them. */
export const PromptList = Schema.Struct({ prompts: Schema.Array(McpPrompt), ...missing })
export type PromptList = typeof PromptList.Type

/** The resources there are, in the same order. */
export const ResourceList = Schema.Struct({
  resources: Schema.Array(McpResource),
  templates: Schema.Array(McpResourceTemplate),
  ...missing
})
export type ResourceList = typeof ResourceList.Type

/** A request for completions of one argument. */
export const CompletionRequest = Schema.Struct({
  ref: Schema.Union([
    Schema.Struct({ type: Schema.Literal("ref/prompt"), name: Schema.String }),
    Schema.Struct({
      type: Schema.Literal("ref/resource"),
      uri: Schema.String.annotate({ description: "the template, or the URI" })
    })
  ]),
  argument: Schema.Struct({ name: Schema.String, value: Schema.String }),
  context: Schema.optionalKey(Schema.NullOr(Schema.Struct({
    arguments: Schema.Record(Schema.String, Schema.String).annotate({ description: "those that are filled in already" })
  })))
})
export type CompletionRequest = typeof CompletionRequest.Type

/** Suggested values, at most 100. */
export const Completion = Schema.Struct({ values: Schema.Array(Schema.String), hasMore: Schema.Boolean })
export type Completion = typeof Completion.Type

/** A resource changed, or may have. */
export const ResourceUpdate = Schema.Struct({
  server: Schema.String,
  /** The URI that changed: the one that is watched, or one below it. */
  uri: Schema.String,
  /** When that was heard, in milliseconds since 1970. */
  at: Schema.Number
})
export type ResourceUpdate = typeof ResourceUpdate.Type
