/**
 * What every message of revision 2026-07-28 says of who sends it: there is no handshake that would.
 */
import type * as Schema from "effect/Schema"
import * as Revision from "./Revision.ts"

/** Who we say we are. @category constants */
export const CLIENT_INFO = { name: "boocode", version: "0.1.0" } as const

/** The `_meta` that says it. @category constructors */
export const make = (
  capabilities: Schema.JsonObject,
  clientInfo: Schema.JsonObject = CLIENT_INFO
): Schema.JsonObject => ({
  "io.modelcontextprotocol/protocolVersion": Revision.MODERN,
  "io.modelcontextprotocol/clientInfo": clientInfo,
  "io.modelcontextprotocol/clientCapabilities": capabilities
})
