/** The status of a server, as `mcp list --json`, `GET /api/mcp/servers` and the page show it. */
import { ServerAuth, StatusError } from "@boocode/mcp-client/Schemas"
import { TOOL_CLASSES } from "@boocode/mcp-config"
import * as Schema from "effect/Schema"

/**
 * One step of an attempt: `start` (until something is asked), `headersHelper`, the method that was waited for, or
 * `its work`, which is what follows until the connection is lost.
 */
export const StepTime = Schema.Struct({ step: Schema.String, millis: Schema.Number })
export type StepTime = typeof StepTime.Type

/** The states a server can be in. */
export const ServerState = Schema.Literals([
  "disabled",
  "needs-approval",
  "connecting",
  "ready",
  "needs-auth",
  "failed",
  "stopped"
])
export type ServerState = typeof ServerState.Type

/** The capabilities that a server declares. */
export const ServerCapabilities = Schema.Struct({
  tools: Schema.Boolean,
  prompts: Schema.Boolean,
  resources: Schema.Boolean,
  /** Whether it tells of updates of single resources. */
  subscribe: Schema.Boolean,
  completions: Schema.Boolean,
  /** Whether it sends log messages. */
  logging: Schema.Boolean
})
export type ServerCapabilities = typeof ServerCapabilities.Type

/** One server as it stands. Holds no secret. */
export const ServerStatus = Schema.Struct({
  name: Schema.String,
  transport: Schema.NullOr(Schema.Literals(["stdio", "streamableHttp", "sse"])),
  state: ServerState,
  source: Schema.String,
  /** `personal`: each person has a server of their own, and this is how that of one person stands. */
  sharing: Schema.Literals(["shared", "personal"]),
  /** The number of people whose instance of a personal server runs now. Absent for one that all share. */
  instances: Schema.optionalKey(Schema.Int),
  /** The names of the values that a personal server takes from each person. Absent for one that all share. */
  secrets: Schema.optionalKey(Schema.Array(Schema.String)),
  /** The people who see it, as `for` of its entry says; empty for nobody, absent for everyone and for those who manage nothing. */
  for: Schema.optionalKey(Schema.Array(Schema.String)),
  /** False for a server of a project file, whose words count for less. */
  isTrusted: Schema.Boolean,
  /** Tools that passed discovery. */
  tools: Schema.Int,
  /** Tools among them that declare neither `readOnlyHint` nor the older `readOnly`. */
  undeclared: Schema.Int,
  /** Tools among them that models call after a person's yes only: `ask` of the entry names them, or they write. */
  asks: Schema.Int,
  /** Whether `ask` of the entry fits `resources`: models read resources of this server after a person's yes only. */
  asksResources: Schema.Boolean,
  /** `writes` of the entry: whether its writing tools are offered, each call with a person's yes. Null leaves it to the host. */
  writes: Schema.NullOr(Schema.Literals(["off", "ask"])),
  /** How many tools of each class it has. Those that are left out only because they write are among them. */
  classes: Schema.Struct({
    reads: Schema.Int,
    writes: Schema.Int,
    destroys: Schema.Int,
    undeclared: Schema.Int
  }),
  tokens: Schema.Int,
  /** Tools that are not as they were pinned: changed, added and removed ones; all, when that cannot be told. */
  toolsChanged: Schema.Int,
  /** The first 100 tools that discovery left out. */
  rejected: Schema.Array(Schema.Struct({
    tool: Schema.String,
    reason: Schema.String,
    class: Schema.Literals(TOOL_CLASSES),
    openWorld: Schema.Boolean,
    /** Whether it is left out only because it writes, so that `"writes": "ask"` of the entry would offer it. */
    writer: Schema.Boolean
  })),
  /** How many more it left out. */
  rejectedMore: Schema.Int,
  /** A hint how a person can offer the tools that are left out only because they write; null where there are none. */
  offer: Schema.NullOr(Schema.String),
  warnings: Schema.Array(Schema.String),
  protocolVersion: Schema.NullOr(Schema.String),
  serverInfo: Schema.NullOr(Schema.Struct({ name: Schema.String, version: Schema.String })),
  /**
   * Its instructions, at most 4,000 characters: its own words, so not to be believed. Kept while it is
   * asleep or away; null before the first connection, and where it says nothing.
   */
  instructions: Schema.NullOr(Schema.String),
  /** As of the last connection; null before the first one. */
  capabilities: Schema.NullOr(ServerCapabilities),
  /** From which level on its log messages are wanted; null where it declares no logging, and before the first connection. */
  logLevel: Schema.NullOr(Schema.String),
  /** Null where no OAuth of this server is known. */
  auth: Schema.NullOr(ServerAuth),
  pid: Schema.NullOr(Schema.Int),
  /** True for a ready server of which nothing runs (`lazy`, `idleTtl`): its next call starts it. False while one does. */
  idle: Schema.Boolean,
  /** From start to the first tool list; null before that. */
  connectMillis: Schema.NullOr(Schema.Number),
  /** The steps of the last attempt that ended, in order: the last one is where it failed. Empty before that. */
  steps: Schema.Array(StepTime),
  restarts: Schema.Int,
  /** While its first start may be downloading its program: how long that may take. Absent otherwise. */
  downloadMillis: Schema.optionalKey(Schema.Number),
  /** While it is `connecting` this says why the last connection was lost: the server goes on at another node. */
  error: Schema.NullOr(StatusError)
})
export type ServerStatus = typeof ServerStatus.Type
