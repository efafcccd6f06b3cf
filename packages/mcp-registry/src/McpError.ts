/**
 * The one module of errors: every reason says which server, what happened, and what to try.
 */
import * as Schema from "effect/Schema"
import type { StatusError } from "./ServerStatus.ts"

/** What every reason can tell besides its words; absent means "does not apply". */
interface Details {
  readonly message: string
  readonly hint: string
}

const seconds = (millis: number): string => millis % 1000 === 0 ? `${millis / 1000} s` : `${millis} ms`
const nearestHint = (nearest: ReadonlyArray<string>, otherwise: string): string =>
  nearest.length === 0 ? otherwise : `did you mean ${nearest.join(", ")}?`
/** The last words that say something: a line that names an error, where there is one, else the last three. */
const tail = (stderr: string): string => {
  const lines = stderr.split("\n").map((line) => line.trim()).filter((line) => line !== "")
  const named = lines.findLast((line) => /^\w*(Error|Exception)\b.*:/.test(line))
  return lines.length === 0 ? "" : `; it last wrote: ${named ?? lines.slice(-3).join(" | ")}`
}

/** The entry cannot be used as it is written. @category reasons */
export class InvalidEntry extends Schema.TaggedError<InvalidEntry>()("InvalidEntry", {
  detail: Schema.String,
  try: Schema.String
}) implements Details {
  override get message() {
    return this.detail
  }
  get hint() {
    return this.try
  }
}

/** A variable of the entry is not set. @category reasons */
export class VariableUnset extends Schema.TaggedError<VariableUnset>()("VariableUnset", {
  detail: Schema.String,
  try: Schema.String
}) implements Details {
  override get message() {
    return this.detail
  }
  get hint() {
    return this.try
  }
}

/** The command is nowhere on the searched path. @category reasons */
export class CommandNotFound extends Schema.TaggedError<CommandNotFound>()("CommandNotFound", {
  command: Schema.String,
  searched: Schema.Array(Schema.String)
}) implements Details {
  override get message() {
    const where = this.isPath
      ? "there is no such file"
      : `searched ${this.searched.join(":") || "nothing, PATH is empty"}`
    return `command not found: ${this.command} (${where})`
  }
  get hint() {
    return this.isPath
      ? `check the path, or install what belongs there`
      : `install ${this.command}, or write its full path as "command"`
  }
  private get isPath() {
    return /[/\\]/.test(this.command)
  }
}

/** The operating system refused to start the command. @category reasons */
export class SpawnFailed extends Schema.TaggedError<SpawnFailed>()("SpawnFailed", {
  command: Schema.String,
  detail: Schema.String,
  cause: Schema.optionalKey(Schema.Defect())
}) implements Details {
  override get message() {
    return `could not start ${this.command}: ${this.detail}`
  }
  get hint() {
    return `check that ${this.command} may be executed and that "cwd" is a folder`
  }
}

/** The process ended although it was needed. @category reasons */
export class Exited extends Schema.TaggedError<Exited>()("Exited", {
  during: Schema.String,
  exitCode: Schema.NullOr(Schema.Int),
  signal: Schema.NullOr(Schema.String),
  stderr: Schema.String,
  /** From the start to the end; absent where it is not known. */
  afterMillis: Schema.optionalKey(Schema.Number)
}) implements Details {
  override get message() {
    const how = this.exitCode === null
      ? (this.signal === null ? "was ended by a signal" : `was ended by ${this.signal}`)
      : `exited with code ${this.exitCode}`
    const after = this.afterMillis === undefined ? "" : ` after ${seconds(this.afterMillis)},`
    return `the server ${how}${after} during ${this.during}${tail(this.stderr)}`
  }
  get hint() {
    return this.stderr === ""
      ? "run the command by hand to see why it ends"
      : "its last lines on standard error say why; correct that and restart it"
  }
}

/** A step of the handshake took longer than it may. @category reasons */
export class HandshakeTimeout extends Schema.TaggedError<HandshakeTimeout>()("HandshakeTimeout", {
  method: Schema.String,
  limitMillis: Schema.Number,
  stderr: Schema.String,
  /** What it wrote instead that is no message. */
  said: Schema.Array(Schema.String)
}) implements Details {
  override get message() {
    const said = this.said.map((line) => `; ${line}`).join("")
    return `no answer to ${this.method} within ${seconds(this.limitMillis)}${said}${tail(this.stderr)}`
  }
  get hint() {
    return `if the server is only slow to start, raise "startupTimeout"; else run it by hand`
  }
}

/** The handshake was answered, but not with what the protocol asks for. @category reasons */
export class HandshakeFailed extends Schema.TaggedError<HandshakeFailed>()("HandshakeFailed", {
  method: Schema.String,
  detail: Schema.String,
  code: Schema.NullOr(Schema.Int),
  stderr: Schema.String
}) implements Details {
  override get message() {
    return `${this.method} failed: ${this.detail}${tail(this.stderr)}`
  }
  get hint() {
    return "check that this is an MCP server and that its transport is the one configured"
  }
}

/** Both sides have no protocol revision in common. @category reasons */
export class ProtocolMismatch extends Schema.TaggedError<ProtocolMismatch>()("ProtocolMismatch", {
  offered: Schema.Array(Schema.String),
  supported: Schema.Array(Schema.String)
}) implements Details {
  override get message() {
    return `no common protocol revision: we speak ${this.offered.join(", ")}; it speaks ${
      this.supported.join(", ") || "none it names"
    }`
  }
  get hint() {
    return this.offered.length === 1 ? `try "protocol": "auto", or update the server` : "update the server"
  }
}

/** The tools could not be listed. @category reasons */
export class ListFailed extends Schema.TaggedError<ListFailed>()("ListFailed", {
  method: Schema.String,
  detail: Schema.String,
  code: Schema.NullOr(Schema.Int),
  limitMillis: Schema.NullOr(Schema.Number),
  stderr: Schema.String
}) implements Details {
  override get message() {
    return `${this.method} failed: ${this.detail}${tail(this.stderr)}`
  }
  get hint() {
    return "the server connected but could not list; its own log should say why"
  }
}

/** The server asks for authorization and none is configured. @category reasons */
export class AuthRequired extends Schema.TaggedError<AuthRequired>()("AuthRequired", {
  code: Schema.Int
}) implements Details {
  override get message() {
    return `the server asks for authorization (HTTP ${this.code})`
  }
  get hint() {
    return `add the header that it wants to "headers" of the entry, for instance "Authorization": "Bearer \${TOKEN}"`
  }
}

/** The configured credentials were refused. @category reasons */
export class AuthRejected extends Schema.TaggedError<AuthRejected>()("AuthRejected", {
  code: Schema.Int
}) implements Details {
  override get message() {
    return `the server refused the configured credentials (HTTP ${this.code})`
  }
  get hint() {
    return "check the value of the header that carries them"
  }
}

/** An HTTP status that is not part of the protocol. @category reasons */
export class HttpStatus extends Schema.TaggedError<HttpStatus>()("HttpStatus", {
  method: Schema.String,
  code: Schema.Int,
  detail: Schema.String
}) implements Details {
  override get message() {
    return `HTTP ${this.code} to ${this.method}${this.detail === "" ? "" : `: ${this.detail}`}`
  }
  get hint() {
    return this.code === 404 ? "check the path of the url" : "try again later, or ask whoever runs the server"
  }
}

/** The connection is gone. @category reasons */
export class ConnectionLost extends Schema.TaggedError<ConnectionLost>()("ConnectionLost", {
  detail: Schema.String,
  /** True when the request surely reached nobody. */
  unsent: Schema.optionalKey(Schema.Boolean)
}) implements Details {
  override get message() {
    return `the connection was lost: ${this.detail}`
  }
  get hint() {
    return "restart the server, or check the network between here and there"
  }
}

/** The process keeps dying. @category reasons */
export class CrashLoop extends Schema.TaggedError<CrashLoop>()("CrashLoop", {
  restarts: Schema.Int,
  exitCode: Schema.NullOr(Schema.Int),
  stderr: Schema.String
}) implements Details {
  override get message() {
    return `the server died ${this.restarts} times in a row${tail(this.stderr)}`
  }
  get hint() {
    return "it is tried again at a slow pace; correct the cause and restart it"
  }
}

/** The entry comes from a project file and nobody approved it. @category reasons */
export class NotApproved extends Schema.TaggedError<NotApproved>()("NotApproved", {
  file: Schema.String
}) implements Details {
  override get message() {
    return `${this.file} is a project file, and its servers do not start until somebody approved them`
  }
  get hint() {
    return `read the entry; to use it, run with --config ${this.file}, or copy it into your own file`
  }
}

/** `start` of a server that runs. @category reasons */
export class AlreadyRunning extends Schema.TaggedError<AlreadyRunning>()("AlreadyRunning", {
  state: Schema.String
}) implements Details {
  override get message() {
    return `the server is already running (${this.state})`
  }
  get hint() {
    return "use restart to start it anew"
  }
}

/** `stop` of a server that does not run. @category reasons */
export class NotRunning extends Schema.TaggedError<NotRunning>()("NotRunning", {
  state: Schema.String
}) implements Details {
  override get message() {
    return `the server is not running (${this.state})`
  }
  get hint() {
    return "start it first"
  }
}

/** No server of that name is configured. @category reasons */
export class UnknownServer extends Schema.TaggedError<UnknownServer>()("UnknownServer", {
  name: Schema.String,
  nearest: Schema.Array(Schema.String)
}) implements Details {
  override get message() {
    return `no server is called ${this.name}`
  }
  get hint() {
    return nearestHint(this.nearest, "mcp list shows which servers there are")
  }
}

/** No tool of that name is known. @category reasons */
export class UnknownTool extends Schema.TaggedError<UnknownTool>()("UnknownTool", {
  name: Schema.String,
  nearest: Schema.Array(Schema.String)
}) implements Details {
  override get message() {
    return `no tool is called ${this.name}`
  }
  get hint() {
    return nearestHint(this.nearest, "list the tools to see which there are")
  }
}

/** The tool was left out at discovery, so it is not called either. @category reasons */
export class RejectedByPolicy extends Schema.TaggedError<RejectedByPolicy>()("RejectedByPolicy", {
  tool: Schema.String,
  why: Schema.String
}) implements Details {
  override get message() {
    return `${this.tool} was rejected: ${this.why}`
  }
  get hint() {
    return "mcp list shows every rejected tool and why"
  }
}

/** The server of the tool is not ready. @category reasons */
export class NotReady extends Schema.TaggedError<NotReady>()("NotReady", {
  state: Schema.String,
  why: Schema.NullOr(Schema.String)
}) implements Details {
  override get message() {
    return `the server is ${this.state}${this.why === null ? "" : `: ${this.why}`}`
  }
  get hint() {
    return this.state === "connecting" ? "try again in a moment" : "start or restart the server"
  }
}

/** The arguments are not a JSON object. @category reasons */
export class InvalidArguments extends Schema.TaggedError<InvalidArguments>()("InvalidArguments", {
  tool: Schema.String,
  detail: Schema.String
}) implements Details {
  override get message() {
    return `bad arguments for ${this.tool}: ${this.detail}`
  }
  get hint() {
    return "arguments are one JSON object, as the tool's inputSchema describes it"
  }
}

/** A call was silent, or went on, for longer than it may. @category reasons */
export class CallTimeout extends Schema.TaggedError<CallTimeout>()("CallTimeout", {
  tool: Schema.String,
  limitMillis: Schema.Number,
  limit: Schema.Literals(["timeout", "maxTotalTimeout"])
}) implements Details {
  override get message() {
    return this.limit === "timeout"
      ? `${this.tool} said nothing for ${seconds(this.limitMillis)}`
      : `${this.tool} was not done after ${seconds(this.limitMillis)}`
  }
  get hint() {
    return `raise "${this.limit}" of the entry if the tool needs longer`
  }
}

/** The connection broke after the request was written (Decision 8). @category reasons */
export class OutcomeUnknown extends Schema.TaggedError<OutcomeUnknown>()("OutcomeUnknown", {
  tool: Schema.String,
  why: Schema.String
}) implements Details {
  override get message() {
    return `outcome unknown: ${this.tool} was sent, then ${this.why}; it was not sent again`
  }
  get hint() {
    return "check whether it took effect before calling it again"
  }
}

/** One message was larger than the cap; only its call fails (Decision 11). @category reasons */
export class MessageTooLarge extends Schema.TaggedError<MessageTooLarge>()("MessageTooLarge", {
  bytes: Schema.Number,
  limitBytes: Schema.Number
}) implements Details {
  override get message() {
    return `the answer has ${this.bytes} bytes, more than the ${this.limitBytes} a message may have`
  }
  get hint() {
    return `ask for less, or raise "maxMessageBytes" of the entry`
  }
}

/** The server answered a request with a JSON-RPC error. @category reasons */
export class RequestFailed extends Schema.TaggedError<RequestFailed>()("RequestFailed", {
  method: Schema.String,
  code: Schema.Int,
  detail: Schema.String
}) implements Details {
  override get message() {
    return `${this.method}: ${this.detail} (${this.code})`
  }
  get hint() {
    return "the server refused the request; its words say why"
  }
}

/**
 * Everything that can go wrong with a server or a call.
 *
 * @category errors
 */
export const McpErrorReason = Schema.Union([
  InvalidEntry,
  VariableUnset,
  CommandNotFound,
  SpawnFailed,
  Exited,
  HandshakeTimeout,
  HandshakeFailed,
  ProtocolMismatch,
  ListFailed,
  AuthRequired,
  AuthRejected,
  HttpStatus,
  ConnectionLost,
  CrashLoop,
  NotApproved,
  AlreadyRunning,
  NotRunning,
  UnknownServer,
  UnknownTool,
  RejectedByPolicy,
  NotReady,
  InvalidArguments,
  CallTimeout,
  OutcomeUnknown,
  MessageTooLarge,
  RequestFailed
])

/**
 * Everything that can go wrong with a server or a call.
 *
 * @category models
 */
export type McpErrorReason = typeof McpErrorReason.Type

/**
 * The error of this package: which server (null when none is known), and why.
 *
 * @category errors
 */
export class McpError extends Schema.TaggedError<McpError>()("McpError", {
  server: Schema.NullOr(Schema.String),
  reason: McpErrorReason
}) {
  /** The reason's words, led by the server's name. */
  override get message(): string {
    return this.server === null ? this.reason.message : `${this.server}: ${this.reason.message}`
  }
  /** What to try. */
  get hint(): string {
    return this.reason.hint
  }
}

const field = <A>(reason: McpErrorReason, key: string, is: (value: unknown) => value is A): A | null => {
  const value: unknown = Reflect.get(reason, key)
  return is(value) ? value : null
}
const isNumber = (value: unknown): value is number => typeof value === "number"
const isText = (value: unknown): value is string => typeof value === "string" && value !== ""

/**
 * Gives a reason in the shape that statuses carry.
 *
 * @category encoding
 */
export const toStatusError = (reason: McpErrorReason): StatusError => ({
  _tag: reason._tag,
  message: reason.message,
  hint: reason.hint,
  exitCode: field(reason, "exitCode", isNumber),
  signal: field(reason, "signal", isText),
  stderr: field(reason, "stderr", isText),
  code: field(reason, "code", isNumber),
  method: field(reason, "method", isText),
  limitMillis: field(reason, "limitMillis", isNumber)
})
