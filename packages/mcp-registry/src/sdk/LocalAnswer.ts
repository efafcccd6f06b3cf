/**
 * Answers a request in the server's place when its own answer can never come.
 */
import type { Transport } from "@modelcontextprotocol/client"
import type { ConnectionLost, MessageTooLarge } from "../McpError.ts"

/** The JSON-RPC code of such an answer. What tells it from a server's is the error object it carries. */
const LOCAL_ERROR = -32000

/** Fails one pending request of the SDK with a reason of ours. @category constructors */
export const fail = (transport: Transport, id: string | number, reason: ConnectionLost | MessageTooLarge): void =>
  transport.onmessage?.({ jsonrpc: "2.0", id, error: { code: LOCAL_ERROR, message: reason.message, data: reason } })
