/**
 * What the SDK throws, as reasons of ours.
 */
import {
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  SUPPORTED_PROTOCOL_VERSIONS,
  UnauthorizedError
} from "@modelcontextprotocol/client"
import {
  AuthRejected,
  AuthRequired,
  ConnectionLost,
  HandshakeFailed,
  HttpStatus,
  type McpErrorReason,
  MessageTooLarge,
  ProtocolMismatch,
  RequestFailed
} from "../McpError.ts"

/** Where an error came up. @category models */
export interface Occasion {
  readonly method: string
  /** True when the entry has a header that carries credentials (R81). */
  readonly isAuthorized: boolean
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
  if (error instanceof SdkHttpError) return httpReason(error.status, error.message, occasion)
  if (error instanceof UnauthorizedError) return httpReason(401, error.message, occasion)
  if (error instanceof ProtocolError) return protocolReason(error, occasion)
  const detail = occasion.scrub(wordsOf(error))
  if (error instanceof SdkError && error.code === SdkErrorCode.EraNegotiationFailed) {
    return new HandshakeFailed({ method: occasion.method, detail, code: null, stderr: "" })
  }
  return new ConnectionLost({ detail, unsent: isUnsent(error) })
}

/** What our own fetch failed with; the SDK wraps what happens to its question for the era. */
const ownReason = (error: unknown): McpErrorReason | null => {
  if (error instanceof ConnectionLost || error instanceof MessageTooLarge || error instanceof HttpStatus) return error
  return error instanceof SdkError && error.cause !== undefined ? ownReason(error.cause) : null
}

/** Whether a request surely reached nobody, so that it took no effect (Decision 8). */
const isUnsent = (error: unknown): boolean => {
  if (error instanceof SdkError && error.code === SdkErrorCode.NotConnected) return true
  if (error instanceof Error && error.message === "Not connected") return true
  return /ECONNREFUSED|ENOTFOUND|EAI_AGAIN/.test(wordsOf(error))
}

const httpReason = (status: number, message: string, occasion: Occasion): McpErrorReason => {
  if (status === 401 || status === 403) {
    return occasion.isAuthorized ? new AuthRejected({ code: status }) : new AuthRequired({ code: status })
  }
  return new HttpStatus({ method: occasion.method, code: status, detail: occasion.scrub(message).slice(0, 300) })
}

const protocolReason = (error: ProtocolError, { method, scrub }: Occasion): McpErrorReason => {
  if (error.data instanceof MessageTooLarge || error.data instanceof ConnectionLost) return error.data
  return new RequestFailed({ method, code: Math.trunc(error.code), detail: scrub(error.message) })
}

/** A chain of causes that goes round in a circle has no end. */
const DEEPEST_CAUSE = 8

/** Fetch hides what happened in a chain of causes. */
const wordsOf = (error: unknown, depth = 0): string => {
  if (!(error instanceof Error)) return String(error)
  if (error.cause === undefined || error.cause === null || depth === DEEPEST_CAUSE) return error.message
  const code: unknown = Reflect.get(Object(error.cause), "code")
  return `${error.message}: ${typeof code === "string" ? code : wordsOf(error.cause, depth + 1)}`
}

/** Turns what a handshake failed with into a reason. @category constructors */
export const handshakeReason = (error: unknown, occasion: Occasion): McpErrorReason => {
  const unsupported = error instanceof Error ? /protocol version is not supported: (\S+)/.exec(error.message) : null
  if (unsupported !== null) {
    const supported = [occasion.scrub(unsupported[1] ?? "?").slice(0, 100)]
    return new ProtocolMismatch({ offered: SUPPORTED_PROTOCOL_VERSIONS, supported })
  }
  const reason = toReason(error, occasion)
  if (reason._tag === "RequestFailed") {
    return new HandshakeFailed({ method: occasion.method, detail: reason.detail, code: reason.code, stderr: "" })
  }
  if (error instanceof SdkError && UNANSWERED.has(error.code)) {
    return new HandshakeFailed({ method: occasion.method, detail: wordsOfSdk(error, occasion), code: null, stderr: "" })
  }
  return reason
}

/** Something was said, or nothing at all, but not what was asked for. */
const UNANSWERED: ReadonlySet<SdkErrorCode> = new Set([
  SdkErrorCode.InvalidResult,
  SdkErrorCode.RequestTimeout,
  SdkErrorCode.ClientHttpUnexpectedContent
])

const wordsOfSdk = (error: SdkError, { scrub }: Occasion): string =>
  error.code === SdkErrorCode.ClientHttpUnexpectedContent
    ? `the url answers, but not as an MCP server does (${scrub(error.message).slice(0, 200)})`
    : scrub(wordsOf(error))
