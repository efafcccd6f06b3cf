/** The documents that the HTTP API answers with, as far as no package has them already. */
import type { Agent } from "@boocode/chat"
import { ChatSummary } from "@boocode/chat/Chat"
import { TOOL_CLASSES } from "@boocode/mcp-config"
import type { McpTool } from "@boocode/mcp-registry"
import { ServerStatus } from "@boocode/mcp-registry/Schemas"
import { PermissionRule } from "@boocode/toolkit"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"

export const Health = Schema.Struct({
  status: Schema.Literals(["starting", "joining", "ok", "draining", "closing", "failing"]).annotate({
    description:
      "`starting` until everything is built, `closing` after a signal to end, `failing` while the database of " +
      "the chats does not answer; of a node of a fleet also `joining` until the others know it, and `draining` after " +
      "somebody said so"
  }),
  ready: Schema.Boolean.annotate({ description: "true while `status` is ok and no MCP server is connecting" }),
  servers: Schema.NullOr(Schema.Struct({ ready: Schema.Int, failed: Schema.Int, connecting: Schema.Int })).annotate({
    description: "null without the token, where one is needed"
  }),
  proof: Schema.NullOr(Schema.String).annotate({
    description:
      "HMAC-SHA-256 of `proof:` and `nonce` with the secret of the announcement in the state folder; null without a nonce"
  })
})

export const ServerEvent = Schema.Struct({ type: Schema.Literal("server"), ...ServerStatus.fields })

export const Names = Schema.Array(Schema.String)

/** Names of servers. */
export const Applied = {
  added: Names,
  removed: Names,
  changed: Names.annotate({ description: "made anew, enabled or disabled; not ready yet where that takes time" })
}

export const ConfigProblem = Schema.Struct({
  file: Schema.String,
  line: Schema.NullOr(Schema.Int).annotate({ description: "from 1; null when the file could not be read at all" }),
  column: Schema.NullOr(Schema.Int),
  message: Schema.String,
  hint: Schema.String
})

export const ConfigProblems = Schema.Array(ConfigProblem).annotate({
  description: "what keeps whole configuration files from being used, now"
})

export const ConfigurationEvent = Schema.Struct({
  type: Schema.Literal("configuration"),
  servers: Names.annotate({ description: "every server there is" }),
  ...Applied,
  problems: ConfigProblems
})

export const Refreshed = Schema.Struct({
  servers: Schema.Array(ServerStatus).annotate({ description: "every server as it stands then" }),
  refreshed: Names.annotate({ description: "servers whose tools were listed again" }),
  failed: Schema.Array(Schema.Struct({ server: Schema.String, message: Schema.String, hint: Schema.String })).annotate({
    description: "servers whose tools could not be listed, and why"
  })
})

export const ToolDocument = Schema.Struct({
  name: Schema.String,
  server: Schema.String,
  tool: Schema.String,
  title: Schema.NullOr(Schema.String),
  description: Schema.NullOr(Schema.String),
  inputSchema: Schema.JsonObject,
  outputSchema: Schema.optionalKey(Schema.JsonObject).annotate({
    description: "what its structured answers look like; left out where its server does not say"
  }),
  annotations: Schema.JsonObject,
  class: Schema.Literals(TOOL_CLASSES).annotate({
    description: "what it does to the world: as it says of itself, unless its server's entry says otherwise"
  }),
  openWorld: Schema.Boolean.annotate({ description: "it says that it reaches beyond what its server holds" }),
  needsApproval: Schema.Boolean.annotate({
    description: "no model's call of it without a person's yes: `ask` of its server's entry, or it writes"
  }),
  tokens: Schema.Int
})

export const FoundToolDocument = Schema.Struct({
  ...ToolDocument.fields,
  score: Schema.Finite.annotate({ description: "how well it fits; comparable within one search only" })
})

export const FoundTools = Schema.Struct({
  tools: Schema.Array(FoundToolDocument).annotate({ description: "the best first" }),
  waiting: Names.annotate({ description: "servers that still connect and may bring more" }),
  failed: Names.annotate({ description: "servers whose tools cannot be had" })
})

export const toolDocument = (tool: McpTool): typeof ToolDocument.Type => ({
  ...Struct.pick(tool, SHARED),
  openWorld: tool.isOpenWorld,
  ...(tool.outputSchema === null ? {} : { outputSchema: tool.outputSchema })
})

const SHARED = Struct.keys(Struct.omit(ToolDocument.fields, ["openWorld", "outputSchema"]))

export const AgentsEvent = Schema.Struct({
  type: Schema.Literal("agents").annotate({ description: "a file of agents changed: ask for them again" })
})

/** The write mode of chats that have none of their own. */
export const FileWriteMode = Schema.Literals(PermissionRule.MODES).annotate({
  description: "`write` of permissions.jsonc: the write mode of chats that have none of their own"
})

export const PermissionsEvent = Schema.Struct({
  type: Schema.Literal("permissions").annotate({
    description: "a file of permissions changed: ask for the rules again. The first one tells the mode of now"
  }),
  write: FileWriteMode
})

export const ModelsEvent = Schema.Struct({
  type: Schema.Literal("models").annotate({
    description: "a provider of models changed, or the model of chats that name none: ask for them again"
  })
})

/** A chat began or changed: its title, who answers, what runs and what waits. */
export const ChatEvent = Schema.Struct({ type: Schema.Literal("chat"), chat: ChatSummary })

export const ChatRemovedEvent = Schema.Struct({ type: Schema.Literal("chat-removed"), id: Schema.String })

export const AgentDocument = Schema.Struct({
  name: Schema.String,
  description: Schema.NullOr(Schema.String),
  model: Schema.NullOr(Schema.String),
  tools: Schema.NullOr(Schema.Array(Schema.String)).annotate({ description: "patterns; null is every tool" }),
  ask: Schema.optional(Schema.Array(Schema.String)).annotate({
    description: "patterns of tools whose calls need a person's yes"
  }),
  code: Schema.optional(Schema.Boolean).annotate({
    description: "whether its model writes programs that call tools; left out, the settings say"
  }),
  for: Schema.optional(Schema.Array(Schema.String)).annotate({
    description: "who sees it: admins, group:NAME or names of people; left out, everyone"
  }),
  steps: Schema.Int,
  temperature: Schema.NullOr(Schema.Finite),
  file: Schema.NullOr(Schema.String).annotate({
    description: "where it is written; null for the agent there is without"
  }),
  line: Schema.NullOr(Schema.Int),
  prompt: Schema.String,
  editable: Schema.Boolean,
  why: Schema.NullOr(Schema.String).annotate({ description: "why it cannot be changed here; null when it can" })
})

export const agentDocument = (agent: Agent, why: string | null): typeof AgentDocument.Type => ({
  ...agent,
  editable: why === null,
  why
})

export const AgentProblemDocument = Schema.Struct({
  name: Schema.NullOr(Schema.String),
  file: Schema.String,
  line: Schema.Int,
  message: Schema.String
})

export const SuggestedModel = Schema.Struct({
  id: Schema.String,
  contextTokens: Schema.NullOr(Schema.Int).annotate({ description: "how much it reads, its answer included" }),
  inputPrice: Schema.NullOr(Schema.Finite).annotate({ description: "in US dollars for a million tokens" }),
  outputPrice: Schema.NullOr(Schema.Finite),
  seesImages: Schema.NullOr(Schema.Boolean)
})

const ChosenModel = Schema.Struct({
  ...SuggestedModel.fields,
  used: Schema.NullOr(Schema.String).annotate({ description: "when a chat with it was used last; null for never" })
})

export const Models = Schema.Struct({
  default: Schema.NullOr(Schema.String).annotate({
    description: "the model of a chat that names none; null is the built-in command mode"
  }),
  models: Schema.Array(Schema.Struct({
    provider: Schema.String.annotate({ description: "its name; the list is sorted by it" }),
    ready: Schema.Boolean,
    missing: Schema.NullOr(Schema.String).annotate({ description: "what to do to use this provider" }),
    example: Schema.String.annotate({ description: "a model id that works with it" }),
    suggested: Schema.Array(ChosenModel).annotate({
      description: "at most 300, the newest first; empty when it is not ready"
    })
  })),
  command: Schema.Struct({
    active: Schema.Boolean.annotate({ description: "true when a chat that names no model is in command mode" }),
    help: Schema.String.annotate({ description: "how to configure a model" })
  })
})

export const about = (description: string) => OpenApi.annotations({ description })

/** A key that may be left out or null. */
export const nullable = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

/** The number of a line, part or event; 0 is before the first. */
export const Seq = Schema.NumberFromString.check(Schema.isInt(), Schema.isGreaterThanOrEqualTo(0))

/** The path parameter `:name`. */
export const describeName = { name: Schema.String }
