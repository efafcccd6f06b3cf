/**
 * What the SDK throws, as reasons of ours.
 */
import {
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  SseError,
  SUPPORTED_PROTOCOL_VERSIONS,
  UnauthorizedError
} from "@modelcontextprotocol/client"
import * as Schema from "effect/Schema"
import {
  AuthorizationFailed,
  AuthRejected,
  AuthRequired,
  ConnectionLost,
  HandshakeFailed,
  HeadersHelperFailed,
  HttpStatus,
  type McpErrorReason,
  MessageTooLarge,
  ProtocolMismatch,
  RequestFailed,
  Visit
} from "../McpError.ts"
import * as ServerQuestion from "../requests/ServerQuestion.ts"
import * as JsonRpc from "../transport/JsonRpc.ts"
import * as ProtocolProbe from "../transport/ProtocolProbe.ts"
import * as NetworkFailure from "./NetworkFailure.ts"
import * as RefusalText from "./RefusalText.ts"

/** Where an error came up. @category models */
export interface Occasion {
  readonly method: string
  /** True when the entry has a header that carries credentials (R81). */
  readonly isAuthorized: boolean
  /** The name under which a person can sign in to the server; absent where nobody can. */
  readonly login?: string | undefined
  readonly scrub: (text: string) => string
}

/**
 * Turns anything thrown by the SDK or by fetch into a reason. The thrown error is not kept as a cause: it may hold a
 * header or an address with a secret, and its words are in the detail.
 *
 * @category constructors
 */
export const toReason = (error: unknown, occasion: Occasion): McpErrorReason => {
  const own = ownReason(error)
  if (own !== null) return own
  if (error instanceof UnauthorizedError) return authReason(401, "", occasion)
  if (error instanceof ProtocolError) return protocolReason(error, occasion)
  if (error instanceof SdkHttpError) return httpReason(error.status, wordsOfHttp(error), occasion)
  const refusal = refusalByWords(error)
  if (refusal !== null) return httpReason(refusal.status, refusal.words, occasion)
  if (error instanceof SdkError && error.code === SdkErrorCode.EraNegotiationFailed) {
    return handshakeFailed(NetworkFailure.wordsOf(error), occasion)
  }
  if (isNotConnected(error)) return new ConnectionLost({ detail: occasion.scrub(error.message), unsent: true })
  const instead = insteadOfMessage(error)
  if (instead === null) return NetworkFailure.toReason(error, occasion.scrub)
  const happened = "its answer could not be used"
  return new ConnectionLost({ detail: occasion.scrub(`it is ${instead}`), unsent: false, happened })
}

const isNotConnected = (error: unknown): error is Error =>
  error instanceof SdkError
    ? error.code === SdkErrorCode.NotConnected
    : error instanceof Error && NOT_OPEN.test(error.message)

const NOT_OPEN = /^Not connected$/

/** What our own fetch failed with; the SDK wraps what happens to its question for the era. */
const ownReason = (error: unknown): McpErrorReason | null => {
  if (error instanceof ConnectionLost || error instanceof MessageTooLarge || error instanceof HttpStatus) return error
  if (error instanceof HeadersHelperFailed || error instanceof AuthRequired || error instanceof AuthorizationFailed) {
    return error
  }
  return error instanceof SdkError && error.cause !== undefined ? ownReason(error.cause) : null
}

const POSTING = /^Error POSTing to endpoint(?: \(HTTP (\d{3})\))?: /

/** A redirect is told by the SDK alone; every other refusal has words of its own. */
const wordsOfHttp = (error: SdkHttpError): string => {
  const words = error.message.replace(POSTING, "")
  if (words.startsWith("Redirect ")) return words.replace(/; use that URL.*$| \(redirectPolicy.*$/, "")
  const body: unknown = error.data?.text
  return RefusalText.of(typeof body === "string" ? body : words)
}

/** The transport for revision 2024-11-05 throws plain errors, with the status in their words. */
const refusalByWords = (error: unknown): { readonly status: number; readonly words: string } | null => {
  if (error instanceof SseError) return isRefusal(error.code) ? { status: error.code, words: OF_STREAM } : null
  const [lead, status] = error instanceof Error ? POSTING.exec(error.message) ?? [] : []
  if (lead === undefined || status === undefined || !(error instanceof Error)) return null
  return { status: Number(status), words: RefusalText.of(error.message.slice(lead.length)) }
}

const OF_STREAM = "the url offers no stream of events"

const isRefusal = (code: number | undefined): code is number => code !== undefined && code >= 300

const httpReason = (status: number, words: string, occasion: Occasion): McpErrorReason =>
  status === 401 || status === 403
    ? authReason(status, words, occasion)
    : new HttpStatus({ method: occasion.method, code: status, detail: cut(words, occasion) })

const authReason = (code: number, words: string, occasion: Occasion): McpErrorReason => {
  const fields = { code, ...detailOf(words, occasion.scrub) }
  if (occasion.isAuthorized) return new AuthRejected(fields)
  return new AuthRequired({ ...fields, ...(occasion.login === undefined ? {} : { login: occasion.login }) })
}

/** The words of a refusal for want of authorization as a field; none where they only repeat the status. @category getters */
export const detailOf = (words: string, scrub: (text: string) => string): { readonly detail?: string } => {
  const told = RefusalText.of(words)
  return SAYS_NO_MORE.test(told) ? {} : { detail: scrub(told).slice(0, MOST_WORDS) }
}

/** The name of the status, or the number that is told anyhow. */
const SAYS_NO_MORE = /^(\W|HTTP|401|403|null|Unauthorized|Forbidden)*$/i

const MOST_WORDS = 300

/** The cut must not come before secrets are hidden, or half of one is left. */
const cut = (words: string, { scrub }: Occasion): string => scrub(words).slice(0, MOST_WORDS)

const protocolReason = (error: ProtocolError, occasion: Occasion): McpErrorReason => {
  if (error.data instanceof MessageTooLarge || error.data instanceof ConnectionLost) return error.data
  const visits = visitsOf(error, occasion)
  return new RequestFailed({
    method: occasion.method,
    code: Math.trunc(error.code),
    detail: occasion.scrub(error.message),
    ...(visits.length === 0 ? {} : { visits })
  })
}

/** A person is told where the server wants them; more than a few addresses are no invitation. */
const visitsOf = ({ code, data }: ProtocolError, { scrub }: Occasion): ReadonlyArray<typeof Visit.Type> =>
  code === VISIT_FIRST && isVisits(data)
    ? data.elicitations.slice(0, MOST_VISITS).flatMap(({ elicitationId, message, url }) => {
      const address = ServerQuestion.addressOf(url)
      return address === null ? [] : [{ elicitationId, message: scrub(message), url: address }]
    })
    : []

const VISIT_FIRST = -32042
const MOST_VISITS = 5

const isVisits = Schema.is(Schema.Struct({ elicitations: Schema.Array(Visit) }))

/** Turns what a handshake failed with into a reason. @category constructors */
export const handshakeReason = (error: unknown, occasion: Occasion): McpErrorReason => {
  const supported = revisionsOf(error)
  if (supported !== null) return mismatch(supported.map((revision) => occasion.scrub(revision).slice(0, 100)))
  if (error instanceof SseError && error.code === 200) {
    const advice = `check the path of the url; a server newer than revision 2024-11-05 needs "type": "streamableHttp"`
    return new HandshakeFailed({ method: occasion.method, detail: OF_STREAM, code: null, stderr: "", try: advice })
  }
  const answered = answeredWith(error)
  if (answered !== null) return handshakeFailed(answered, occasion)
  const reason = toReason(error, occasion)
  if (reason._tag !== "RequestFailed") return reason
  return new HandshakeFailed({ method: occasion.method, detail: reason.detail, code: reason.code, stderr: "" })
}

const handshakeFailed = (detail: string, occasion: Occasion): HandshakeFailed =>
  new HandshakeFailed({ method: occasion.method, detail: cut(detail, occasion), code: null, stderr: "" })

/** What a server says that it speaks, when that is why it refuses. */
const revisionsOf = (error: unknown): ReadonlyArray<string> | null => {
  const [, only] = error instanceof Error ? /protocol version is not supported: (\S+)/.exec(error.message) ?? [] : []
  if (only !== undefined) return [only]
  const data = error instanceof ProtocolError ? error.data : error instanceof SdkHttpError ? dataOfBody(error) : null
  return isSupport(data) ? data.supported : null
}

const isSupport = Schema.is(Schema.Struct({ supported: Schema.Array(Schema.String) }))

/** A server may refuse with a JSON-RPC error under a status of its own. */
const dataOfBody = (refusal: SdkHttpError): unknown => {
  const body = JsonRpc.decode(String(refusal.data?.text))
  return JsonRpc.isObject(body) && JsonRpc.isObject(body["error"]) ? body["error"]["data"] : null
}

/** What the server speaks was not asked for: the entry may have ruled it out. */
const mismatch = (supported: ReadonlyArray<string>): ProtocolMismatch => {
  const ours = [ProtocolProbe.MODERN_REVISION, ...SUPPORTED_PROTOCOL_VERSIONS]
  return new ProtocolMismatch({ offered: ours.filter((revision) => !supported.includes(revision)), supported })
}

/** Something was said, or nothing at all, but not what was asked for. */
const answeredWith = (error: unknown): string | null => {
  const instead = insteadOfMessage(error)
  if (instead !== null) return `its answer is ${instead}`
  if (!(error instanceof SdkError)) return null
  if (error.code === SdkErrorCode.InvalidResult) return wrongFields(error.message) ?? error.message
  if (error.code === SdkErrorCode.RequestTimeout) return error.message
  if (error.code !== SdkErrorCode.ClientHttpUnexpectedContent) return null
  const type = error.message.replace(/^Unexpected content type: /, "")
  return `the url answers, but not as an MCP server does (${type === "null" ? "no content type" : type})`
}

/** What came in place of a message; null when it was one, or when nothing came. */
const insteadOfMessage = (error: unknown): string | null => {
  if (error instanceof SyntaxError) return `no JSON (${error.message})`
  return error instanceof Error && error.name.endsWith("ZodError") ? "no JSON-RPC message" : null
}

/** The fields that a decoder complains of, which it does at length and in JSON. */
const wrongFields = (words: string): string | null => {
  const issues = JsonRpc.decode(words.slice(words.indexOf("[")))
  if (!isIssues(issues)) return null
  const fields = new Set(issues.map(({ path }) => path.join(".")))
  return `its answer lacks what the protocol asks for, or has it wrong: ${[...fields].join(", ")}`
}

const isIssues = Schema.is(
  Schema.Array(Schema.Struct({ path: Schema.Array(Schema.Union([Schema.String, Schema.Number])) }))
)
