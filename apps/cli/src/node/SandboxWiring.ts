/** Where programs run: threads of this process. */
import * as Installation from "@boocode/chat-server/Installation"
import * as NodeSandbox from "@boocode/mcp-node/NodeSandbox"

export const layer = NodeSandbox.layer(Installation.sandbox)
