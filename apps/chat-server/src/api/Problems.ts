/** The answers of the API to a request that fails: one problem document (RFC 9457) a status. */
import type {
  ApprovalErrors,
  CallDenied,
  ChatErrors,
  ChatStoreFailed,
  OverLimit,
  UndoErrors,
  UnknownAgent,
  UnknownChat,
  YesNeeded
} from "@boocode/chat"
import type { ModelUnavailable } from "@boocode/language-models"
import { ErrorPlace } from "@boocode/mcp-config"
import type { McpError, McpErrorReason } from "@boocode/mcp-registry"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Match from "effect/Match"
import * as Schema from "effect/Schema"

const CONTENT_TYPE = "application/problem+json"

const Where = Schema.Struct({
  file: Schema.optionalKey(Schema.String),
  line: Schema.optionalKey(Schema.Finite),
  column: Schema.optionalKey(Schema.Finite),
  key: Schema.optionalKey(Schema.String),
  server: Schema.optionalKey(Schema.String)
})

const problem = <Status extends number, Extra extends Schema.Struct.Fields>(status: Status, extra: Extra) =>
  Schema.Struct({
    type: Schema.Literal("about:blank"),
    title: Schema.String,
    status: Schema.Literal(status),
    detail: Schema.String,
    /** The name of the error, the same as in `--json` and in `error` parts. */
    _tag: Schema.String,
    hint: Schema.String,
    /** Where it is, as far as that is known; lines and columns from 1. */
    where: Schema.optionalKey(Where),
    ...extra
  }).pipe(HttpApiSchema.status(status), HttpApiSchema.asJson({ contentType: CONTENT_TYPE }))

export const BadRequest = problem(400, {})
/** `problems` says what is wrong with which fields of a form. */
export const UnusableAnswer = problem(400, {
  problems: Schema.Array(Schema.Struct({ field: Schema.String, message: Schema.String }))
})
/** `key` says which key of what was sent is wrong. */
export const WrongKey = problem(400, { key: Schema.String })
/** A word after a slash that names nothing; `nearest` has the names that may be meant, without a slash. */
export const UnknownCommand = problem(400, { nearest: Schema.Array(Schema.String) })
/** An entry cannot be used: where it is wrong, as far as that can be told. Lines and columns start at 1 in the text that was sent. */
const BadEntry = problem(400, {
  line: Schema.NullOr(Schema.Int),
  column: Schema.NullOr(Schema.Int),
  key: Schema.NullOr(Schema.String)
})
/** A file of permissions is wrong at a place, or examples in it fail. Lines and columns start at 1 in the text that was sent. */
export const WrongPermissions = problem(400, {
  line: Schema.NullOr(Schema.Int),
  column: Schema.NullOr(Schema.Int),
  key: Schema.NullOr(Schema.String),
  failed: Schema.Array(Schema.Struct({
    tool: Schema.String,
    args: Schema.JsonObject,
    agent: Schema.NullOr(Schema.String),
    expect: Schema.String,
    source: Schema.String,
    outcome: Schema.NullOr(Schema.String),
    why: Schema.String
  }))
})
/** An entry may not be set over the network; `command` is the command line that sets it on the machine itself. */
export const ForbiddenEntry = problem(403, { command: Schema.NullOr(Schema.String) })
/** The request has no token, or a wrong one. */
export const Unauthorized = problem(401, {})
export const Forbidden = problem(403, {})
/** `nearest` has the closest known names, the closest first. */
export const NotFound = problem(404, { nearest: Schema.Array(Schema.String) })
export const Conflict = problem(409, { state: Schema.String })
/** `attachment` is the place of the one that is refused among those of the message, from 0; null when it is none. */
const attachment = Schema.NullOr(Schema.Int)
export const TooLarge = problem(413, { attachment })
export const UnsupportedMedia = problem(415, { attachment })
/** `Retry-After` says in how many seconds. */
export const TooMany = problem(429, {})
export const Internal = problem(500, {})
const BadGateway = problem(502, {})
/** `state` is the server's; `why` is null when it is on its way. */
export const NotReady = problem(503, { state: Schema.String, why: Schema.NullOr(Schema.String) })
/**
 * `state` and `why` as in `NotReady` for a server that did not come up in time; null for a call that took too long,
 * which says in `limit` which limit of its entry it went past.
 */
const Timeout = problem(504, {
  state: Schema.NullOr(Schema.String),
  why: Schema.NullOr(Schema.String),
  limit: Schema.NullOr(Schema.Literals(["timeout", "maxTotalTimeout"]))
})

export const McpProblems = [BadRequest, Forbidden, NotFound, Conflict, BadGateway, NotReady, Timeout] as const
export type McpProblem = typeof McpProblems[number]["Type"]

export const EntryProblems = [BadEntry, ForbiddenEntry, ...McpProblems] as const

const TITLES = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  409: "Conflict",
  413: "Content Too Large",
  415: "Unsupported Media Type",
  429: "Too Many Requests",
  500: "Internal Server Error",
  502: "Bad Gateway",
  503: "Service Unavailable",
  504: "Gateway Timeout"
} as const

interface Told {
  readonly _tag: string
  readonly message: string
  readonly hint: string
}

const base = <Status extends keyof typeof TITLES>(status: Status, error: Told) => {
  const where = ErrorPlace.of(error)
  return {
    type: "about:blank" as const,
    title: TITLES[status],
    status,
    detail: error.message,
    _tag: error._tag,
    hint: error.hint,
    ...(where === null ? {} : { where })
  }
}

export const conflict = (state: string, error: Told) => ({ ...base(409, error), state })

export const forbidden = (error: Told) => base(403, error)

export const badEntry = (error: Told & Pick<typeof BadEntry.Type, "line" | "column" | "key">) => ({
  ...base(400, error),
  line: error.line,
  column: error.column,
  key: error.key
})

/** An entry that may not come over the network. */
export const forbiddenEntry = (error: Told & Pick<typeof ForbiddenEntry.Type, "command">) => ({
  ...base(403, error),
  command: error.command
})

/** A file of permissions is not written. */
export const wrongPermissions = (
  { column, failed, key, line }: Pick<typeof WrongPermissions.Type, "column" | "failed" | "key" | "line">,
  error: Told
) => ({ ...base(400, error), line, column, key, failed })

export const badRequest = (error: Told) => base(400, error)

export const unauthorized = (error: Told) => base(401, error)

/** No attachment, but something else that a request brings. */
export const tooLarge = (error: Told) => ({ ...base(413, error), attachment: null })

export const tooMany = (error: Told) => base(429, error)

/** A server that this one asked did not answer. */
export const badGateway = (error: Told) => base(502, error)

/** This server could not write something down. */
export const internal = (error: Told) => base(500, error)

export const unusableAnswer = (error: Told & Pick<typeof UnusableAnswer.Type, "problems">) => ({
  ...base(400, error),
  problems: error.problems
})

export const wrongKey = (error: Told & Pick<typeof WrongKey.Type, "key">) => ({ ...base(400, error), key: error.key })

export const notFound = (error: Told & { readonly nearest?: ReadonlyArray<string> }) => ({
  ...base(404, error),
  nearest: error.nearest ?? []
})

/** The problem of a registry's error. Its message leads with the server's name where there is one. */
export const fromMcp = (error: McpError): McpProblem => {
  const told = { _tag: error.reason._tag, message: error.message, hint: error.hint, where: ErrorPlace.of(error) }
  return fromReason(error.reason, told)
}

const fromReason = (reason: McpErrorReason, told: Told): McpProblem => {
  switch (reason._tag) {
    case "UnknownServer":
    case "UnknownTool":
    case "UnknownPrompt":
    case "UnknownResource":
      return notFound({ ...told, nearest: reason.nearest })
    case "InvalidArguments":
      return badRequest(told)
    case "RejectedByPolicy":
    case "NotApproved":
    case "Rejected":
    case "ToolsChanged":
      return base(403, told)
    case "EntryChanged":
      return { ...base(409, told), state: "changed" }
    case "ApprovalNotNeeded":
      return { ...base(409, told), state: "not-needed" }
    case "AlreadyRunning":
    case "NotRunning":
      return { ...base(409, told), state: reason.state }
    case "NotOffered":
      return { ...base(409, told), state: "not-offered" }
    case "CallTimeout":
      return { ...base(504, told), state: null, why: null, limit: reason.limit }
    case "Unresponsive":
      return { ...base(504, told), state: null, why: null, limit: null }
    case "HandshakeTimeout":
      return { ...base(504, told), state: "failed", why: reason.message, limit: null }
    case "OutcomeUnknown":
    case "MessageTooLarge":
    case "RequestFailed":
      return base(502, told)
    case "NotReady":
      return { ...base(503, told), state: reason.state, why: reason.why }
    case "AuthRequired":
    case "AuthRejected":
    case "AuthorizationFailed":
      return { ...base(503, told), state: "needs-auth", why: reason.message }
    default:
      return { ...base(503, told), state: "failed", why: reason.message }
  }
}

/** Why a call by name fails. */
export type CallFailure = McpError | CallDenied | YesNeeded

/** The problem of a call by name. */
export const fromCall = (error: CallFailure): McpProblem =>
  error._tag === "McpError" ? fromMcp(error) : base(403, error)

/** The answer of a server that should get no work: it is on its way out, or cannot reach its database. */
const UNREADY = {
  joining: { message: "this node joins the fleet", hint: "ask again in a moment" },
  draining: { message: "this node is drained", hint: "ask another one" },
  closing: { message: "this server is closing", hint: "ask the one that takes its place" },
  failing: { message: "the database of the chats does not answer", hint: "see the server's log" }
}

export const unready = (state: keyof typeof UNREADY) => ({
  ...base(503, { _tag: "NotReady", ...UNREADY[state] }),
  state,
  why: null
})

export const notChanged = (error: Told) => ({ ...base(409, error), state: "unchanged" })

/** The database does not answer. */
export const fromStore = (error: Told & { readonly why: string }) => ({
  ...base(503, error),
  state: "failed",
  why: error.why
})

/** A chat could not be changed. */
export const fromUpdate = (
  error: UnknownChat | UnknownAgent | ModelUnavailable | ChatStoreFailed | ChatErrors.BlankTitle
) => error._tag === "BlankTitle" ? badRequest(error) : fromChat(error)

export const fromKnownChat = (
  error: UnknownChat | ChatStoreFailed | ChatErrors.UnknownTurn | ChatErrors.UnknownFile | ChatErrors.UnknownSummary
) => error._tag === "ChatStoreFailed" ? fromStore(error) : notFound(error)

/** A chat could not be forked. */
export const fromFork = (
  error: UnknownChat | ChatStoreFailed | ChatErrors.UnknownTurn | ChatErrors.TurnRunning
) => error._tag === "TurnRunning" ? conflict("running", error) : fromKnownChat(error)

export const fromChat = (error: UnknownChat | UnknownAgent | ModelUnavailable | ChatStoreFailed) => {
  if (error._tag === "ChatStoreFailed") return fromStore(error)
  return error._tag === "ModelUnavailable" ? badRequest(error) : notFound(error)
}

/** The error of an attachment: its place is that among the attachments of the request. */
export const fromAttachment = (error: ChatErrors.AttachmentRefused, attachment: number) =>
  error.reason === "type" ? { ...base(415, error), attachment } : { ...base(413, error), attachment }

/** A message could not be sent. */
export const fromSend = Match.typeTags<
  | (UnknownChat | UnknownAgent | ModelUnavailable | ChatStoreFailed)
  | (ChatErrors.UnknownTurn | ChatErrors.QueueFull | ChatErrors.TurnRunning | ChatErrors.AttachmentRefused | OverLimit)
>()({
  UnknownChat: notFound,
  UnknownAgent: notFound,
  UnknownTurn: notFound,
  ModelUnavailable: badRequest,
  ChatStoreFailed: fromStore,
  QueueFull: (error) => conflict("running", error),
  TurnRunning: (error) => conflict("running", error),
  AttachmentRefused: (error) => fromAttachment(error, error.index),
  LimitReached: tooMany,
  TurnsAtOnce: tooMany
})

/** The words after the slash of a message are not to be had, or name nothing. */
export const fromSlash = Match.typeTags<
  McpError | ChatErrors.BlankPrompt | ChatErrors.UnknownCommand | UnknownChat | ChatStoreFailed
>()({
  McpError: fromMcp,
  BlankPrompt: badRequest,
  UnknownCommand: (error) => ({ ...base(400, error), nearest: error.nearest }),
  UnknownChat: notFound,
  ChatStoreFailed: fromStore
})

/** An answer to a waiting call was not taken. */
export const fromAnswer = Match.typeTags<ApprovalErrors.AnswerRefused | ChatStoreFailed>()({
  UnknownApproval: notFound,
  ApprovalClosed: (error) => conflict(error.decision ?? "over", error),
  ApprovalNotReady: (error) => ({ ...base(503, error), state: "connecting", why: null }),
  UnusableArguments: badRequest,
  UnusableConditions: badRequest,
  GrantNotKept: internal,
  ChatStoreFailed: fromStore
})

/** A write was not undone. */
export const fromUndo = Match.typeTags<UndoErrors.UndoError | UnknownChat | ChatStoreFailed>()({
  NothingToUndo: notFound,
  ChangedSince: (error) => conflict("changed", error),
  AlreadyUndone: (error) => conflict("undone", error),
  UndoFailed: internal,
  UnknownChat: notFound,
  ChatStoreFailed: fromStore
})

/** The answer itself, where no endpoint of the contract is there to encode it. */
export const response = (status: keyof typeof TITLES, error: Told, extra: Schema.JsonObject = {}) =>
  HttpServerResponse.jsonUnsafe({ ...base(status, error), ...extra }, { status, contentType: CONTENT_TYPE })
