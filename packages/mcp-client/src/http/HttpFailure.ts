/** Turns what can stand in the way of an answer over HTTP into the reason that a person reads. */
import * as JsonRpc from "../base/JsonRpc.ts"
import * as Revision from "../contract/Revision.ts"
import {
  AuthRejected,
  AuthRequired,
  ConnectionLost,
  HandshakeFailed,
  HttpStatus,
  type McpErrorReason,
  ProtocolMismatch
} from "../errors/McpError.ts"
import * as NetworkFailure from "../errors/NetworkFailure.ts"
import * as RefusalText from "../errors/RefusalText.ts"

export type HttpFailure =
  /** A status that is no success; `redirect` says where it leads, and that nobody goes there. */
  | { readonly _tag: "Refused"; readonly status: number; readonly text: string; readonly redirect: string | null }
  /** An answer that is not what the protocol knows: no JSON, or no message. */
  | { readonly _tag: "Unusable"; readonly what: string }
  /** A success with something that is neither JSON nor a stream of events. */
  | { readonly _tag: "OtherContent"; readonly type: string | null }
  /** The `HttpSend` gave an error instead of a response. */
  | { readonly _tag: "Thrown"; readonly error: unknown }
  | { readonly _tag: "Known"; readonly reason: McpErrorReason }

export interface Occasion {
  readonly method: string
  /** True when the entry has a header that carries credentials (R81). */
  readonly isAuthorized: boolean
  /** The name under which a person can sign in to the server; absent where nobody can. */
  readonly login?: string | undefined
  readonly scrub: (text: string) => string
}

/**
 * Explains a failure. The reason does not keep a thrown error as its cause: the error may hold a header or a URL with a
 * secret, and its words are in the detail.
 */
export const toReason = (failure: HttpFailure, occasion: Occasion): McpErrorReason => {
  switch (failure._tag) {
    case "Refused":
      return refusalReason(failure.status, failure.redirect ?? RefusalText.wordsOf(failure.text), occasion)
    case "Unusable":
      return new ConnectionLost({
        detail: occasion.scrub(`it is ${failure.what}`),
        unsent: false,
        happened: "its answer could not be used"
      })
    case "OtherContent":
      return new ConnectionLost({ detail: occasion.scrub(`Unexpected content type: ${failure.type}`), unsent: false })
    case "Thrown":
      return NetworkFailure.reasonOf(failure.error, occasion.scrub)
    case "Known":
      return hiding(failure.reason, occasion)
  }
}

/** OAuth knows nothing of the session, whose id the server's words may hold. */
const hiding = (reason: McpErrorReason, { scrub }: Occasion): McpErrorReason => {
  if (reason._tag !== "AuthRequired" || reason.detail === undefined) return reason
  const { code, detail, isStepUp, login, scopes } = reason
  return new AuthRequired({
    code,
    detail: scrub(detail),
    ...(isStepUp === undefined ? {} : { isStepUp }),
    ...(login === undefined ? {} : { login }),
    ...(scopes === undefined ? {} : { scopes })
  })
}

const refusalReason = (status: number, words: string, occasion: Occasion): McpErrorReason =>
  status === 401 || status === 403
    ? authReason(status, words, occasion)
    : new HttpStatus({ method: occasion.method, code: status, detail: cut(words, occasion) })

const authReason = (code: number, words: string, occasion: Occasion): McpErrorReason => {
  const fields = { code, ...detailOf(words, occasion.scrub) }
  if (occasion.isAuthorized) return new AuthRejected(fields)
  return new AuthRequired({ ...fields, ...(occasion.login === undefined ? {} : { login: occasion.login }) })
}

/** The words of a refusal for want of authorization as a field; none where they only repeat the status. */
export const detailOf = (words: string, scrub: (text: string) => string): { readonly detail?: string } => {
  const told = RefusalText.wordsOf(words)
  return SAYS_NO_MORE.test(told) ? {} : { detail: scrub(told).slice(0, MOST_WORDS) }
}

/** The name of the status, or the number that is told anyhow. */
const SAYS_NO_MORE = /^(\W|HTTP|401|403|null|Unauthorized|Forbidden)*$/i

const MOST_WORDS = 300

/** The cut must not come before secrets are hidden, or half of one is left. */
const cut = (words: string, { scrub }: Occasion): string => scrub(words).slice(0, MOST_WORDS)

export const handshakeReason = (failure: HttpFailure, occasion: Occasion): McpErrorReason => {
  const supported = failure._tag === "Refused" ? revisionsOf(failure.text) : null
  if (supported !== null) {
    const told = supported.map((revision) => occasion.scrub(revision).slice(0, 100))
    return new ProtocolMismatch({
      offered: Revision.ALL.filter((revision) => !told.includes(revision)),
      supported: told
    })
  }
  switch (failure._tag) {
    case "Unusable":
      return handshakeFailed(`its answer is ${failure.what}`, occasion)
    case "OtherContent":
      return handshakeFailed(
        `the url answers, but not as an MCP server does (${failure.type ?? "no content type"})`,
        occasion
      )
    default:
      return toReason(failure, occasion)
  }
}

const handshakeFailed = (detail: string, occasion: Occasion): HandshakeFailed =>
  new HandshakeFailed({ method: occasion.method, detail: cut(detail, occasion), code: null, stderr: "" })

/** The revisions that a server supports, when it refuses with a JSON-RPC error under a status of its own. */
const revisionsOf = (text: string): ReadonlyArray<string> | null => {
  const body = JsonRpc.decode(text)
  const data = JsonRpc.isObject(body) && JsonRpc.isObject(body["error"]) ? body["error"]["data"] : null
  return Revision.isSupport(data) ? data.supported : null
}
