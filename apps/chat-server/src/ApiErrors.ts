/**
 * What the API answers when it cannot do what was asked: one problem document (RFC 9457) a status.
 */
import type { QueueFull, UnknownAgent, UnknownChat } from "@boocode/chat"
import type { ModelUnavailable } from "@boocode/language-models"
import type { McpError, McpErrorReason } from "@boocode/mcp-registry"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Schema from "effect/Schema"

const CONTENT_TYPE = "application/problem+json"

const problem = <Status extends number, Extra extends Schema.Struct.Fields>(status: Status, extra: Extra) =>
  Schema.Struct({
    type: Schema.Literal("about:blank"),
    title: Schema.String,
    status: Schema.Literal(status),
    /** What happened, in words. */
    detail: Schema.String,
    /** The name of the error, the same as in `--json` and in `error` parts. */
    _tag: Schema.String,
    /** What to try. */
    hint: Schema.String,
    ...extra
  }).pipe(HttpApiSchema.status(status), HttpApiSchema.asJson({ contentType: CONTENT_TYPE }))

export const BadRequest = problem(400, {})
export type BadRequest = typeof BadRequest.Type
export const Forbidden = problem(403, {})
export type Forbidden = typeof Forbidden.Type
/** `nearest` has the closest known names, the closest first. */
export const NotFound = problem(404, { nearest: Schema.Array(Schema.String) })
export type NotFound = typeof NotFound.Type
export const Conflict = problem(409, { state: Schema.String })
export type Conflict = typeof Conflict.Type
export const TooLarge = problem(413, {})
export const UnsupportedMedia = problem(415, {})
export const Internal = problem(500, {})
export const BadGateway = problem(502, {})
export type BadGateway = typeof BadGateway.Type
/** `state` is the server's; `why` is null when it is on its way. */
export const NotReady = problem(503, { state: Schema.String, why: Schema.NullOr(Schema.String) })
export type NotReady = typeof NotReady.Type
/**
 * `state` and `why` as in `NotReady` for a server that did not come up in time; null for a call that took too long,
 * which says in `limit` which limit of its entry it went past.
 */
export const Timeout = problem(504, {
  state: Schema.NullOr(Schema.String),
  why: Schema.NullOr(Schema.String),
  limit: Schema.NullOr(Schema.Literals(["timeout", "maxTotalTimeout"]))
})
export type Timeout = typeof Timeout.Type

/** What a request about a server or a tool can be answered with. */
export const McpProblems = [BadRequest, Forbidden, NotFound, Conflict, BadGateway, NotReady, Timeout] as const
export type McpProblem = BadRequest | Forbidden | NotFound | Conflict | BadGateway | NotReady | Timeout

const TITLES = {
  400: "Bad Request",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  409: "Conflict",
  413: "Content Too Large",
  415: "Unsupported Media Type",
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

const base = <Status extends keyof typeof TITLES>(status: Status, error: Told) => ({
  type: "about:blank" as const,
  title: TITLES[status],
  status,
  detail: error.message,
  _tag: error._tag,
  hint: error.hint
})

export const badRequest = (error: Told): BadRequest => base(400, error)

export const notFound = (error: Told & { readonly nearest?: ReadonlyArray<string> }): NotFound => ({
  ...base(404, error),
  nearest: error.nearest ?? []
})

/** The problem of an error of the registry; the words lead with the server's name when there is one. */
export const fromMcp = (error: McpError): McpProblem => {
  const told = { _tag: error.reason._tag, message: error.message, hint: error.hint }
  return fromReason(error.reason, told)
}

const fromReason = (reason: McpErrorReason, told: Told): McpProblem => {
  switch (reason._tag) {
    case "UnknownServer":
    case "UnknownTool":
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
    case "CallTimeout":
      return { ...base(504, told), state: null, why: null, limit: reason.limit }
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
      return { ...base(503, told), state: "needs-auth", why: reason.message }
    default:
      return { ...base(503, told), state: "failed", why: reason.message }
  }
}

/** The problem of an entry that stayed as it was. */
export const notChanged = (error: Told): Conflict => ({ ...base(409, error), state: "unchanged" })

/** The problem of what a request about a chat can fail with. */
export const fromChat = (error: UnknownChat | UnknownAgent | ModelUnavailable): BadRequest | NotFound =>
  error._tag === "ModelUnavailable" ? badRequest(error) : notFound(error)

/** The problem of what sending a message can fail with. */
export const fromSend = (
  error: UnknownChat | UnknownAgent | ModelUnavailable | QueueFull
): BadRequest | NotFound | Conflict =>
  error._tag === "QueueFull" ? { ...base(409, error), state: "running" } : fromChat(error)

/** The answer itself, where no endpoint of the contract is there to encode it. */
export const response = (status: keyof typeof TITLES, error: Told, extra: Schema.JsonObject = {}) =>
  HttpServerResponse.jsonUnsafe({ ...base(status, error), ...extra }, { status, contentType: CONTENT_TYPE })
