/**
 * When a server that refuses a POST may be one of revision 2024-11-05, which is spoken to over HTTP+SSE (2025-11-25,
 * Transports: Backwards Compatibility).
 */
import type { Http, ServerConfig } from "@boocode/mcp-config"
import { HttpStatus, type McpErrorReason } from "../errors/McpError.ts"

/** Whether the entry leaves it open. An entry that names a type, or asks for 2026-07-28, gets what it names. */
export const isOpen = ({ protocol }: ServerConfig, { _tag, mayBeSse }: Http): boolean =>
  mayBeSse === true && _tag === "streamableHttp" && protocol !== "2026-07-28"

const CODES: ReadonlyArray<number> = [400, 404, 405]

/** Whether a server that knows no other transport answers so. A server that asks for credentials knows it. */
export const isCalledFor = (refusal: McpErrorReason): refusal is HttpStatus =>
  refusal._tag === "HttpStatus" && CODES.includes(refusal.code)

/**
 * Chooses between the two ways in which a server could not be had: the one a person can do something about. That it is
 * none of revision 2024-11-05 either says nothing new.
 */
export const moreTelling = (refusal: HttpStatus, overSse: McpErrorReason): McpErrorReason => {
  switch (overSse._tag) {
    case "AuthRequired":
    case "AuthRejected":
    case "AuthorizationFailed":
    case "ProtocolMismatch":
      return overSse
    case "HandshakeFailed":
      return overSse.code === null ? withoutSse(refusal) : overSse
    default:
      return withoutSse(refusal)
  }
}

/** The refusal, without the advice to try what was tried. */
const withoutSse = (refusal: HttpStatus): HttpStatus =>
  refusal.code === 405 ? new HttpStatus({ ...refusal, try: "check the path of the url" }) : refusal
