/**
 * The one module of errors: every reason says which server, what happened, and what to try.
 */
import * as Schema from "effect/Schema"
import type { StatusError } from "./ServerStatus.ts"
import * as Visible from "./trust/Visible.ts"

/** What every reason can tell besides its words; absent means "does not apply". */
interface Details {
  readonly message: string
  readonly hint: string
}

/** A limit, exactly. */
const seconds = (millis: number): string => millis % 1000 === 0 ? `${millis / 1000} s` : `${millis} ms`
/** How long something lasted, as closely as a person cares. */
const lasted = (millis: number): string => {
  if (millis < 1000) return `${Math.round(millis)} ms`
  if (millis < 60_000) return `${Math.round(millis / 100) / 10} s`
  const minutes = Math.round(millis / 60_000)
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`
}
const nearestHint = (nearest: ReadonlyArray<string>, otherwise: string): string =>
  nearest.length === 0 ? otherwise : `did you mean ${nearest.join(", ")}?`
const codeOf = (code: number | null): string => code === null ? "" : ` (${code})`
const detailOf = (detail: string | undefined): string => detail === undefined || detail === "" ? "" : `: ${detail}`

/** How much is shown of what the server wrote, in characters; several lines share it. */
const SHOWN = 300
const shorten = (line: string, most: number): string =>
  // A cut may fall between the halves of a character.
  line.length > most ? `${line.slice(0, most).replace(/[\uD800-\uDBFF]$/, "")}…` : line
/** Lines that name what went wrong, as programs and their run times write them. */
const NAMED = /^(\w*(Error|Exception)\b.*:|(error|fatal|panic)\b)/i
const NPM = /^npm (error|ERR!)/
/** The last words that say something: a line that names an error, where there is one, else the last three. */
const tail = (stderr: string): string => {
  const lines = stderr.split("\n").map((line) => line.trim()).filter((line) => line !== "")
  if (lines.length === 0) return ""
  const npm = lines.filter((line) => NPM.test(line))
  const named = lines.findLast((line) => NAMED.test(line))
  // What npm says last is where its log is.
  const telling = npm.length > 0 ? npm.slice(0, 2) : named === undefined ? lines.slice(-3) : [named]
  return `; it last wrote to standard error: ${
    telling.map((line) => shorten(line, SHOWN / telling.length)).join(" | ")
  }`
}
const saidOf = (said: ReadonlyArray<string>): string => said.map((line) => `; ${line}`).join("")

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
  /** For a command that is a path from the entry's folder, that folder alone. */
  searched: Schema.Array(Schema.String)
}) implements Details {
  override get message() {
    const where = this.isPath
      ? ["there is no such file", ...this.searched].join(" in ")
      : `searched ${this.searched.join(":") || "nothing, PATH is empty"}`
    return `command not found: ${this.command} (${where})`
  }
  get hint() {
    if (/\s/.test(this.command)) return `"command" is the program alone; what follows it belongs into "args"`
    if (this.isPath) return `check the path, or install what belongs there`
    const maker = MAKERS[this.command]
    return maker === undefined
      ? `install ${this.command}, or write its full path as "command"`
      : `${this.command} comes with ${maker}: install that, or write the full path of ${this.command} as "command"`
  }
  private get isPath() {
    return /[/\\]/.test(this.command)
  }
}

/** What the commands that most entries name come with. */
const MAKERS: Readonly<Record<string, string>> = {
  bunx: "Bun",
  docker: "Docker",
  node: "Node.js",
  npm: "Node.js",
  npx: "Node.js",
  uv: "uv (docs.astral.sh/uv)",
  uvx: "uv (docs.astral.sh/uv)"
}

/** The operating system refused to start the command. @category reasons */
export class SpawnFailed extends Schema.TaggedError<SpawnFailed>()("SpawnFailed", {
  command: Schema.String,
  detail: Schema.String,
  /** Better advice than the usual one. */
  try: Schema.optionalKey(Schema.String),
  cause: Schema.optionalKey(Schema.Defect())
}) implements Details {
  override get message() {
    return `could not start ${this.command}: ${this.detail}`
  }
  get hint() {
    return this.try ?? `check that ${this.command} may be executed and that "cwd" is a folder`
  }
}

/** The process ended although it was needed. @category reasons */
export class Exited extends Schema.TaggedError<Exited>()("Exited", {
  /** The method that was waited for, or `its work`. */
  during: Schema.String,
  exitCode: Schema.NullOr(Schema.Int),
  signal: Schema.NullOr(Schema.String),
  stderr: Schema.String,
  /** From the start to the end; absent where it is not known. */
  afterMillis: Schema.optionalKey(Schema.Number),
  /** What it wrote to standard output that is no message; absent where it is not known. */
  said: Schema.optionalKey(Schema.Array(Schema.String))
}) implements Details {
  override get message() {
    const after = this.afterMillis === undefined ? "" : ` after ${lasted(this.afterMillis)}`
    return `the server ${endOf(this)}${after}${whenOf(this.during)}${wordsOf(this)}`
  }
  get hint() {
    return hintOfEnd(this)
  }
}

const endOf = ({ exitCode, signal }: { readonly exitCode: number | null; readonly signal: string | null }): string =>
  exitCode === null ? `was ended by ${signal ?? "a signal"}` : `exited with code ${exitCode}`

const whenOf = (during: string): string => during === AT_WORK ? ", while it was ready" : `, during ${during}`

/** What a server does once it is ready; a failure during anything else is one of its start. @category constants */
export const AT_WORK = "its work"

/** What it wrote to standard error says more, and both together would be too much for one line. */
const wordsOf = ({ said = [], stderr }: { readonly said?: ReadonlyArray<string>; readonly stderr: string }): string =>
  stderr === "" ? saidOf(said) || "; it wrote nothing to standard error" : tail(stderr)

const hintOfEnd = ({ exitCode, signal, stderr }: Pick<Exited, "exitCode" | "signal" | "stderr">): string => {
  if (stderr !== "") return "its last lines on standard error say why; correct that and start it again"
  if (signal === "SIGKILL") return "the system or somebody killed it; often there was too little memory"
  if (exitCode === 127) return `127 is how a shell says that there is no such command: check what "args" names`
  if (exitCode === 126) return `126 is how a shell says that a command may not be executed: check what "args" names`
  if (exitCode === 0) return `it ended as if its work was done: perhaps it needs an argument such as "--stdio" to serve`
  return "run the command by hand to see why it ends"
}

/** A step of the handshake took longer than it may. @category reasons */
export class HandshakeTimeout extends Schema.TaggedError<HandshakeTimeout>()("HandshakeTimeout", {
  method: Schema.String,
  limitMillis: Schema.Number,
  stderr: Schema.String,
  /** What is worth telling about what it wrote instead. */
  said: Schema.Array(Schema.String),
  /** Better advice than the usual one. */
  try: Schema.optionalKey(Schema.String)
}) implements Details {
  override get message() {
    const limit = `${seconds(this.limitMillis)} ("startupTimeout")`
    return `no answer to ${this.method} within ${limit}${saidOf(this.said)}${tail(this.stderr)}`
  }
  get hint() {
    return this.try ?? `if the server is only slow to start, raise "startupTimeout"; else run it by hand`
  }
}

/** The handshake was answered, but not with what the protocol asks for. @category reasons */
export class HandshakeFailed extends Schema.TaggedError<HandshakeFailed>()("HandshakeFailed", {
  method: Schema.String,
  detail: Schema.String,
  code: Schema.NullOr(Schema.Int),
  stderr: Schema.String,
  /** Better advice than the usual one. */
  try: Schema.optionalKey(Schema.String)
}) implements Details {
  override get message() {
    const what = this.code === null ? `${this.method} failed` : `the server refused ${this.method}`
    return `${what}: ${this.detail}${codeOf(this.code)}${tail(this.stderr)}`
  }
  get hint() {
    if (this.try !== undefined) return this.try
    return this.code === null
      ? "check that this is an MCP server and that its transport is the one configured"
      : "the words are the server's own; its log may say more"
  }
}

/** Both sides have no protocol revision in common. @category reasons */
export class ProtocolMismatch extends Schema.TaggedError<ProtocolMismatch>()("ProtocolMismatch", {
  offered: Schema.Array(Schema.String),
  /** Empty when the server named none. */
  supported: Schema.Array(Schema.String)
}) implements Details {
  override get message() {
    const theirs = this.supported.length === 0 ? "it names none" : `it speaks ${this.supported.join(", ")}`
    return `no common protocol revision: we ask for ${this.offered.join(", ")}; ${theirs}`
  }
  get hint() {
    const newest = this.offered.reduce((a, b) => a > b ? a : b, "")
    // Revisions are dates.
    if (this.supported.length > 0 && this.supported.every((revision) => revision > newest && newest >= NEWEST)) {
      return "the server is newer than this version of BooCode: update BooCode, or use an older server"
    }
    const isNarrowed = this.offered.length === 1 || newest < NEWEST
    return isNarrowed ? `try "protocol": "auto", or update the server` : "update the server"
  }
}

/** The newest revision that is spoken here. */
const NEWEST = "2026-07-28"

/** The tools could not be listed. @category reasons */
export class ListFailed extends Schema.TaggedError<ListFailed>()("ListFailed", {
  method: Schema.String,
  detail: Schema.String,
  code: Schema.NullOr(Schema.Int),
  /** The limit that the listing exceeded; null when it failed for another reason. */
  limitMillis: Schema.NullOr(Schema.Number),
  stderr: Schema.String,
  /** Better advice than the usual one. */
  try: Schema.optionalKey(Schema.String)
}) implements Details {
  override get message() {
    const what = this.limitMillis === null
      ? `${this.method} failed: ${this.detail}${codeOf(this.code)}`
      : `no answer to ${this.method} within ${seconds(this.limitMillis)} ("startupTimeout")`
    return `${what}${tail(this.stderr)}`
  }
  get hint() {
    if (this.try !== undefined) return this.try
    return this.limitMillis === null
      ? "the server connected but could not list; its own log should say why"
      : `the server connected; if it is only slow to list, raise "startupTimeout"`
  }
}

/** The server asks for authorization and none is configured. @category reasons */
export class AuthRequired extends Schema.TaggedError<AuthRequired>()("AuthRequired", {
  code: Schema.Int,
  /** The server's words; absent when it had none. */
  detail: Schema.optionalKey(Schema.String)
}) implements Details {
  override get message() {
    return `the server asks for authorization (HTTP ${this.code})${detailOf(this.detail)}`
  }
  get hint() {
    return `add the header that it wants to "headers" of the entry, for instance "Authorization": "Bearer \${TOKEN}"`
  }
}

/** The configured credentials were refused. @category reasons */
export class AuthRejected extends Schema.TaggedError<AuthRejected>()("AuthRejected", {
  code: Schema.Int,
  /** The server's words; absent when it had none. */
  detail: Schema.optionalKey(Schema.String)
}) implements Details {
  override get message() {
    return `the server refused the configured credentials (HTTP ${this.code})${detailOf(this.detail)}`
  }
  get hint() {
    return this.code === 403
      ? "the credentials may be good but not for this: check what they allow"
      : "check the value of the header that carries them"
  }
}

/** The command of `headersHelper` gave no headers. @category reasons */
export class HeadersHelperFailed extends Schema.TaggedError<HeadersHelperFailed>()("HeadersHelperFailed", {
  detail: Schema.String,
  /** Null when it did not end by itself. */
  exitCode: Schema.NullOr(Schema.Int),
  stderr: Schema.String
}) implements Details {
  override get message() {
    return `the command of "headersHelper" ${this.detail}${tail(this.stderr)}`
  }
  get hint() {
    return "run it by hand in the folder of its file: it has 10 s to print a JSON object of header names and values"
  }
}

/** An HTTP status that is not part of the protocol. @category reasons */
export class HttpStatus extends Schema.TaggedError<HttpStatus>()("HttpStatus", {
  method: Schema.String,
  code: Schema.Int,
  detail: Schema.String,
  /** Better advice than the usual one. */
  try: Schema.optionalKey(Schema.String)
}) implements Details {
  override get message() {
    return `HTTP ${this.code} to ${this.method}${detailOf(this.detail)}`
  }
  get hint() {
    if (this.try !== undefined) return this.try
    if (this.code >= 300 && this.code < 400) return `if that is the server you mean, write its address as "url"`
    if (this.code === 404) return "check the path of the url"
    if (this.code === 405) return `check the path of the url; a server of revision 2024-11-05 needs "type": "sse"`
    if (this.code === 429) return "wait, or ask whoever runs the server for a higher limit"
    return this.code < 500
      ? "the server refuses the request as it is; its words say why"
      : "try again later, or ask whoever runs the server"
  }
}

/** The connection is gone, or never came about. @category reasons */
export class ConnectionLost extends Schema.TaggedError<ConnectionLost>()("ConnectionLost", {
  detail: Schema.String,
  /** True when the request surely reached nobody. */
  unsent: Schema.optionalKey(Schema.Boolean),
  /** What happened, when "the connection was lost" is not it. */
  happened: Schema.optionalKey(Schema.String),
  /** Better advice than the usual one. */
  try: Schema.optionalKey(Schema.String)
}) implements Details {
  override get message() {
    return `${this.happened ?? "the connection was lost"}: ${this.detail}`
  }
  get hint() {
    return this.try ?? "restart the server, or check the network between here and there"
  }
}

/** The process keeps dying. @category reasons */
export class CrashLoop extends Schema.TaggedError<CrashLoop>()("CrashLoop", {
  restarts: Schema.Int,
  exitCode: Schema.NullOr(Schema.Int),
  stderr: Schema.String,
  /** The signal that ended it the last time. */
  signal: Schema.optionalKey(Schema.NullOr(Schema.String)),
  /** What it wrote to standard output that is no message; absent where it is not known. */
  said: Schema.optionalKey(Schema.Array(Schema.String)),
  /** The method that was waited for the last time, or `its work`. */
  during: Schema.optionalKey(Schema.String)
}) implements Details {
  override get message() {
    const when = this.during === undefined ? "" : whenOf(this.during)
    const last = `the last time it ${endOf(this.end)}${when}`
    return `the server died ${this.restarts} times in a row; ${last}${wordsOf(this)}`
  }
  get hint() {
    return `it is tried again once a minute; ${hintOfEnd(this.end)}`
  }
  private get end() {
    return { exitCode: this.exitCode, signal: this.signal ?? null, stderr: this.stderr }
  }
}

/** The entry comes from a project file and nobody approved it. @category reasons */
export class NotApproved extends Schema.TaggedError<NotApproved>()("NotApproved", {
  server: Schema.String,
  file: Schema.String
}) implements Details {
  override get message() {
    return `${this.file} is a project file, and its servers do not start until somebody approved them`
  }
  get hint() {
    return `read the entry; to let it start, boocode mcp approve ${
      Visible.word(this.server)
    }, or approve it on the page`
  }
}

/** A person said that the server is not to start. @category reasons */
export class Rejected extends Schema.TaggedError<Rejected>()("Rejected", {
  server: Schema.String
}) implements Details {
  override get message() {
    return "it was rejected, so it does not start"
  }
  get hint() {
    return `boocode mcp revoke ${Visible.word(this.server)} forgets that`
  }
}

/** A decision could not be kept, so it does not count. @category reasons */
export class DecisionNotKept extends Schema.TaggedError<DecisionNotKept>()("DecisionNotKept", {
  detail: Schema.String
}) implements Details {
  override get message() {
    return `nothing was decided: ${this.detail}`
  }
  get hint() {
    return "check that the folder for state may be written, or approve it for this run only"
  }
}

/** What a person looked at is not what is there any more. @category reasons */
export class EntryChanged extends Schema.TaggedError<EntryChanged>()("EntryChanged", {
  file: Schema.String
}) implements Details {
  override get message() {
    return `${this.file} or the tools changed since you looked at them, so nothing was decided`
  }
  get hint() {
    return "look at it again, then decide"
  }
}

/** A decision on an entry that needs none. @category reasons */
export class ApprovalNotNeeded extends Schema.TaggedError<ApprovalNotNeeded>()("ApprovalNotNeeded", {
  file: Schema.String
}) implements Details {
  override get message() {
    return `${this.file} is no project file, so its servers need no approval`
  }
  get hint() {
    return "to keep the server from starting, disable it or remove its entry"
  }
}

/** The tool is not the one that was approved. @category reasons */
export class ToolsChanged extends Schema.TaggedError<ToolsChanged>()("ToolsChanged", {
  server: Schema.String,
  tool: Schema.String,
  detail: Schema.String
}) implements Details {
  override get message() {
    return `${this.tool} is blocked: ${this.detail}`
  }
  get hint() {
    return `look at what changed; to accept it, boocode mcp approve ${
      Visible.word(this.server)
    }, or approve it on the page`
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
    if (this.state === "needs-approval") return "approve the server first: boocode mcp approve, or the page"
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
  why: Schema.String,
  /** True when it was sent a second time, as "retry" of the entry says. */
  isRepeated: Schema.optionalKey(Schema.Boolean)
}) implements Details {
  override get message() {
    const end = this.isRepeated === true ? "it was sent twice" : "it was not sent again"
    return `outcome unknown: ${this.tool} was sent, then ${this.why}; ${end}`
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
  HeadersHelperFailed,
  HttpStatus,
  ConnectionLost,
  CrashLoop,
  NotApproved,
  Rejected,
  DecisionNotKept,
  EntryChanged,
  ApprovalNotNeeded,
  ToolsChanged,
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
