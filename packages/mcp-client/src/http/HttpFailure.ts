/**
 * What can stand in the way of an answer over HTTP, and the reasons that it is told as.
 */
import * as JsonRpc from "../base/JsonRpc.ts"
import * as Revision from "../contract/Revision.ts"
import {
  AuthRejected,
  AuthRequired,
  ConnectionLost,
  HandshakeFailed,
  HttpStatus,
  isReason,
  type McpErrorReason,
  ProtocolMismatch
} from "../errors/McpError.ts"

/** @category models */
export type HttpFailure =
  /** A status that is no success; `redirect` says where it leads, and that nobody goes there. */
  | { readonly _tag: "Refused"; readonly status: number; readonly text: string; readonly redirect: string | null }
  /** An answer that is not what the protocol knows: no JSON, or no message. */
  | { readonly _tag: "Unusable"; readonly what: string }
  /** A success with something that is neither JSON nor a stream of events. */
  | { readonly _tag: "OtherContent"; readonly type: string | null }
  /** What `fetch`, or a `Post`, gave instead of a response. */
  | { readonly _tag: "Thrown"; readonly error: unknown }
  /** What was found out here. */
  | { readonly _tag: "Known"; readonly reason: McpErrorReason }

/** Where a failure came up. @category models */
export interface Occasion {
  readonly method: string
  /** True when the entry has a header that carries credentials (R81). */
  readonly isAuthorized: boolean
  /** The name under which a person can sign in to the server; absent where nobody can. */
  readonly login?: string | undefined
  readonly scrub: (text: string) => string
}

/**
 * Gives the reason. What was thrown is not kept as a cause: it may hold a header or an address with a secret, and its
 * words are in the detail.
 *
 * @category constructors
 */
export const toReason = (failure: HttpFailure, occasion: Occasion): McpErrorReason => {
  switch (failure._tag) {
    case "Refused":
      return refusalReason(failure.status, failure.redirect ?? refusalText(failure.text), occasion)
    case "Unusable":
      return new ConnectionLost({
        detail: occasion.scrub(`it is ${failure.what}`),
        unsent: false,
        happened: "its answer could not be used"
      })
    case "OtherContent":
      return new ConnectionLost({ detail: occasion.scrub(`Unexpected content type: ${failure.type}`), unsent: false })
    case "Thrown":
      // What our own fetches reject with is a reason already.
      return isReason(failure.error)
        ? hiding(failure.error, occasion)
        : networkReason(failure.error, occasion.scrub)
    case "Known":
      return failure.reason
  }
}

/** Who asks for a sign-in knows nothing of the session, of which the server's words may speak. */
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

/** The words of a refusal for want of authorization as a field; none where they only repeat the status. @category getters */
export const detailOf = (words: string, scrub: (text: string) => string): { readonly detail?: string } => {
  const told = refusalText(words)
  return SAYS_NO_MORE.test(told) ? {} : { detail: scrub(told).slice(0, MOST_WORDS) }
}

/** The name of the status, or the number that is told anyhow. */
const SAYS_NO_MORE = /^(\W|HTTP|401|403|null|Unauthorized|Forbidden)*$/i

const MOST_WORDS = 300

/** The cut must not come before secrets are hidden, or half of one is left. */
const cut = (words: string, { scrub }: Occasion): string => scrub(words).slice(0, MOST_WORDS)

/** Gives the reason for which a handshake failed. @category constructors */
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

/** What a server says that it speaks, when it refuses with a JSON-RPC error under a status of its own. */
const revisionsOf = (text: string): ReadonlyArray<string> | null => {
  const body = JsonRpc.decode(text)
  const data = JsonRpc.isObject(body) && JsonRpc.isObject(body["error"]) ? body["error"]["data"] : null
  return Revision.isSupport(data) ? data.supported : null
}

// What went wrong on the way to a server, in words, from what fetch throws: it hides it in a chain of causes.

/** What is known of a code that the system, the TLS library or the HTTP library gives. */
interface Known {
  readonly words: string
  readonly advice?: string
  /** Nobody was reached, so the request took no effect (Decision 8). */
  readonly isUnreached?: boolean
}

const UNTRUSTED: Known = {
  words: "its TLS certificate is not trusted",
  advice: "if an authority of your own signed it, name that authority's file in NODE_EXTRA_CA_CERTS",
  isUnreached: true
}
const NO_TLS: Known = {
  words: "it does not speak TLS",
  advice: "try http:// in place of https://, or check the port of the url",
  isUnreached: true
}
const NO_WAY: Known = { words: "there is no way to the host", advice: "check the network between here and there" }
const HUNG_UP: Known = { words: "the server hung up" }

const KNOWN: Readonly<Record<string, Known>> = {
  ECONNREFUSED: {
    words: "nobody listens there",
    advice: "check that the server runs, and the host and port of the url",
    isUnreached: true
  },
  ENOTFOUND: { words: "there is no such host", advice: "check the host name of the url", isUnreached: true },
  EAI_AGAIN: {
    words: "the name of the host could not be looked up",
    advice: "check the network here, and the host name of the url",
    isUnreached: true
  },
  UND_ERR_CONNECT_TIMEOUT: {
    words: "the host does not answer",
    advice: "check the host and port of the url, and the network between here and there",
    isUnreached: true
  },
  EHOSTUNREACH: NO_WAY,
  ENETUNREACH: NO_WAY,
  ECONNRESET: HUNG_UP,
  EPIPE: HUNG_UP,
  UND_ERR_SOCKET: HUNG_UP,
  CERT_HAS_EXPIRED: {
    words: "its TLS certificate has expired",
    advice: "whoever runs the server has to renew it; check the clock here as well",
    isUnreached: true
  },
  ERR_TLS_CERT_ALTNAME_INVALID: {
    words: "its TLS certificate is for another host",
    advice: "check the host name of the url",
    isUnreached: true
  },
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NO_TLS,
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
  ERR_PRIVATE_ADDRESS: {
    words: "the entry may reach public addresses only, and this host has another",
    advice: `if it is meant, allow it with "privateAddresses" in settings.json`,
    isUnreached: true
  },
  "bad port": {
    words: "no HTTP client may use this port",
    advice: "the port of the url belongs to another protocol: check it",
    isUnreached: true
  }
}

/**
 * A lost connection, or one that never came about, from anything thrown.
 *
 * @category constructors
 */
export const networkReason = (error: unknown, scrub: (text: string) => string): ConnectionLost => {
  const words = wordsOf(error)
  // The SDK's stream of events keeps nothing of an error but its words.
  const found = CODE.exec(words)?.[0] ?? ""
  const known = KNOWN[found]
  if (known === undefined) return new ConnectionLost({ detail: scrub(words), unsent: false })
  const place = placeOf(error)
  return new ConnectionLost({
    detail: scrub(`${known.words}${place === "" ? "" : `: ${place}`} (${found})`),
    unsent: known.isUnreached === true,
    ...known.isUnreached === true || known === NO_WAY ? { happened: "could not connect" } : {},
    ...known.advice === undefined ? {} : { try: known.advice }
  })
}

const CODE = new RegExp(`\\b(${Object.keys(KNOWN).join("|")})\\b`)

/** A chain of causes that goes round in a circle has no end. */
const DEEPEST_CAUSE = 8

/** An error, and what caused it, the outermost first. A host with several addresses fails with an error for each. */
const causes = (error: unknown, depth = 0): ReadonlyArray<unknown> => {
  if (!(error instanceof Error) || depth === DEEPEST_CAUSE) return [error]
  const inner = error instanceof AggregateError ? error.errors.slice(0, 1) : [error.cause]
  return [error, ...inner.flatMap((cause) => cause === undefined || cause === null ? [] : causes(cause, depth + 1))]
}

/** Fetch has no code for a port that it refuses by itself. */
const codeOf = (error: unknown): string | null => {
  if (!(error instanceof Error)) return null
  const code: unknown = Reflect.get(error, "code")
  return typeof code === "string" ? code : error.message === "bad port" ? error.message : null
}

const placeOf = (error: unknown): string => {
  const [place] = causes(error).flatMap((cause) => {
    const { address, hostname, port } = Object(cause)
    const host = typeof hostname === "string" ? hostname : typeof address === "string" ? address : null
    return host === null ? [] : [typeof port === "number" ? `${host} port ${port}` : host]
  })
  return place ?? ""
}

/**
 * The words of everything in the chain.
 *
 * @category getters
 */
export const wordsOf = (error: unknown): string =>
  causes(error).map((cause, index) => index > 0 ? codeOf(cause) ?? wordOf(cause) : wordOf(cause)).join(": ")

const wordOf = (error: unknown): string => error instanceof Error ? error.message : String(error)

// What a refusal over HTTP says to a person: the words in it, without the JSON or the HTML around them.

/** Where answers that are no JSON-RPC put their words. */
const KEYS = ["message", "error_description", "detail", "error", "title"]

/**
 * The words of a body, whatever it is.
 *
 * @category getters
 */
export const refusalText = (body: string): string => {
  const value = JsonRpc.decode(body)
  const words = JsonRpc.isObject(value) ? ofObject(value) : null
  return (words ?? (/<[a-z!]/i.test(body) ? ofPage(body.slice(0, PAGE_START)) : body)).replace(/\s+/g, " ").trim()
}

/** A page that says nothing so early says nothing, and taking it apart costs time. */
const PAGE_START = 2000

const ofObject = (value: JsonRpc.Message): string | null => {
  const { error } = value
  if (JsonRpc.isObject(error)) return value["jsonrpc"] === "2.0" ? JsonRpc.wordsOf(value) : ofObject(error)
  const words = KEYS.map((key) => value[key]).find((word) => typeof word === "string" && word !== "")
  return typeof words === "string" ? words : null
}

/** A page for people says it in its title; without one it is short. */
const ofPage = (page: string): string =>
  /<(title|h1)\b[^>]*>([^<]+)</i.exec(page)?.[2] ?? page.replace(/<(script|style)\b.*?<\/\1>|<[^>]*>/gis, " ")
