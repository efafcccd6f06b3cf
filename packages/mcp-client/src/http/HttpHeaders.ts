/** The headers of what is sent to a streamable HTTP server: those of its entry, of the protocol, and of the session. */
import type { Http } from "@boocode/mcp-config"
import * as Record from "effect/Record"
import * as Redacted from "effect/Redacted"
import * as HeaderText from "../base/HeaderText.ts"
import * as JsonRpc from "../base/JsonRpc.ts"
import * as HttpResponse from "./HttpResponse.ts"

/** Headers by their names in lower case. */
export type HeaderRecord = Readonly<Record<string, string>>

/** A session; it changes while it begins. */
export interface Session {
  /** Null while there is none. */
  id: string | null
  /** The revision that was agreed on; empty until then. */
  version: string
  isLost: boolean
}

export interface HttpHeaders {
  /**
   * The headers that every request to the MCP endpoint has: those of the entry, the session and the agreed revision.
   * Requests to authorization servers do not pass here.
   */
  readonly plain: () => HeaderRecord
  /**
   * The headers of a POST: `plain`, content types, `signed` (which authorize), those that 2026-07-28 derives from the
   * message, and `more`. A message with none of its own and without `more` gets the object of the POST before, until
   * `signed` or the session changes.
   */
  readonly post: (message: JsonRpc.Message, signed: HeaderRecord, more?: HeaderRecord) => HeaderRecord
}

export const make = (http: Http, session: Session): HttpHeaders => {
  const own = Object.fromEntries(new Headers(Record.map(http.headers, Redacted.value)))
  const accept = withTypes(own["accept"])
  const plain = () => ({
    "user-agent": USER_AGENT,
    ...own,
    ...(session.id === null ? {} : { "mcp-session-id": session.id }),
    ...(session.version === "" ? {} : { "mcp-protocol-version": session.version })
  })
  let made: HeaderRecord = {}
  let madeOf: ReadonlyArray<unknown> = []
  const common = (signed: HeaderRecord) => {
    if (madeOf[0] === signed && madeOf[1] === session.id && madeOf[2] === session.version) return made
    madeOf = [signed, session.id, session.version]
    made = { ...plain(), "content-type": HttpResponse.JSON_TYPE, accept, ...signed }
    return made
  }
  return {
    plain,
    post: (message, signed, more) => {
      const headers = common(signed)
      const claimed = claimOf(message)
      return claimed === null && more === undefined ? headers : { ...headers, ...ofMessage(message, claimed), ...more }
    }
  }
}

const USER_AGENT = "boocode"

const withTypes = (own = ""): string => {
  const types = own.split(",").map((type) => type.trim().toLowerCase()).filter((type) => type !== "")
  return [...new Set([...types, HttpResponse.JSON_TYPE, HttpResponse.EVENTS_TYPE])].join(", ")
}

/** The revision that a request says it is of; only those since 2026-07-28 do. */
export const claimOf = ({ id, params }: JsonRpc.Message): string | null => {
  if (id === undefined || !JsonRpc.isObject(params)) return null
  const { _meta } = params
  const version = JsonRpc.isObject(_meta) ? _meta[VERSION] : null
  return typeof version === "string" ? version : null
}

const VERSION = "io.modelcontextprotocol/protocolVersion"

/** A proxy can tell by these headers what a message is about (2026-07-28, Streamable HTTP). */
export const ofMessage = ({ method, params }: JsonRpc.Message, claimed: string | null): HeaderRecord => {
  if (claimed === null || typeof method !== "string") return {}
  const source = NAMES.get(method)
  const name = source !== undefined && JsonRpc.isObject(params) ? params[source] : null
  return {
    "mcp-protocol-version": claimed,
    "mcp-method": method,
    ...(typeof name === "string" ? { "mcp-name": HeaderText.encode(name) } : {})
  }
}

/** Where a request holds the name of what it is about. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ["tools/call", "name"],
  ["prompts/get", "name"],
  ["resources/read", "uri"]
])
