/** Says what went wrong on the way to a server, from what a fetch throws: it hides the cause in a chain of errors. */
import { ConnectionLost } from "./McpError.ts"

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
    advice: "the server's operator has to renew it; check the clock here as well",
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

/** A lost connection, or one that never came about, from anything thrown. */
export const reasonOf = (error: unknown, scrub: (text: string) => string): ConnectionLost => {
  const words = wordsOf(error)
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

const wordsOf = (error: unknown): string =>
  causes(error).map((cause, index) => index > 0 ? codeOf(cause) ?? wordOf(cause) : wordOf(cause)).join(": ")

const wordOf = (error: unknown): string => error instanceof Error ? error.message : String(error)
