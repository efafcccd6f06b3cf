/**
 * What a server is doing, as `mcp list --json`, `GET /api/mcp/servers` and the page show it.
 */
import * as Schema from "effect/Schema"
import { StepTime } from "./StepTimes.ts"

/**
 * The states a server can be in.
 *
 * @category schemas
 */
export const ServerState = Schema.Literals([
  "disabled",
  "needs-approval",
  "connecting",
  "ready",
  "needs-auth",
  "failed",
  "stopped"
])

/**
 * The states a server can be in.
 *
 * @category models
 */
export type ServerState = typeof ServerState.Type

/**
 * Why a server is not ready. `_tag` is the reason's name in `McpError`; what does not apply is null.
 *
 * @category schemas
 */
export const StatusError = Schema.Struct({
  _tag: Schema.String,
  message: Schema.String,
  hint: Schema.String,
  exitCode: Schema.NullOr(Schema.Int),
  signal: Schema.NullOr(Schema.String),
  /** The last lines of standard error, at most 8 KB. */
  stderr: Schema.NullOr(Schema.String),
  /** A JSON-RPC error code or an HTTP status. */
  code: Schema.NullOr(Schema.Int),
  method: Schema.NullOr(Schema.String),
  limitMillis: Schema.NullOr(Schema.Number)
})

/**
 * Why a server is not ready.
 *
 * @category models
 */
export type StatusError = typeof StatusError.Type

/**
 * One server as it stands (DESIGN 3.2). Holds no secret.
 *
 * @category schemas
 */
export const ServerStatus = Schema.Struct({
  name: Schema.String,
  transport: Schema.NullOr(Schema.Literals(["stdio", "streamableHttp", "sse"])),
  state: ServerState,
  source: Schema.String,
  /** Tools that passed discovery. */
  tools: Schema.Int,
  /** Tools among them that declare neither `readOnlyHint` nor the older `readOnly`. */
  undeclared: Schema.Int,
  /** Tools among them that `ask` of the entry names: models call them after a person's yes only. */
  asks: Schema.Int,
  tokens: Schema.Int,
  /** Tools that are not as they were pinned: changed, added and removed ones; all, when that cannot be told. */
  toolsChanged: Schema.Int,
  rejected: Schema.Array(Schema.Struct({ tool: Schema.String, reason: Schema.String })),
  warnings: Schema.Array(Schema.String),
  protocolVersion: Schema.NullOr(Schema.String),
  serverInfo: Schema.NullOr(Schema.Struct({ name: Schema.String, version: Schema.String })),
  pid: Schema.NullOr(Schema.Int),
  /** True for a ready server that nothing is connected to (`lazy`, `idleTtl`): its next call starts it. */
  idle: Schema.Boolean,
  /** From start to the first tool list; null before that. */
  connectMillis: Schema.NullOr(Schema.Number),
  /** Of the last attempt at a connection that came to its end, in order: the last one is where it failed. Empty before that. */
  steps: Schema.Array(StepTime),
  restarts: Schema.Int,
  error: Schema.NullOr(StatusError)
})

/**
 * One server as it stands.
 *
 * @category models
 */
export type ServerStatus = typeof ServerStatus.Type
