/** What there is to judge a server by. */
import type { ToolDocument } from "@boocode/chat-server/Documents"
import type { ConfiguredServer } from "@boocode/mcp-config"
import type { ServerStatus } from "@boocode/mcp-registry"

export interface Evidence {
  readonly status: ServerStatus
  /** The tools of this server. */
  readonly tools: ReadonlyArray<typeof ToolDocument.Type>
  /** The names of all servers. */
  readonly servers: ReadonlyArray<string>
  /** The entry; null for a server that runs elsewhere, where no more is known than its status tells. */
  readonly entry: ConfiguredServer | null
  /** Files that declare a server of this name too, which this one hides. */
  readonly hides: ReadonlyArray<string>
}
