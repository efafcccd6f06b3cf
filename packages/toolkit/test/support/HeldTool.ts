/** A tool that keeps what it was called with. */
import * as Effect from "effect/Effect"
import { type AgentTool, ToolResult } from "../../src/index.ts"

export const heldTool = (name: string, answer: AgentTool["run"] = () => Effect.succeed(ToolResult.success("done"))) => {
  const sent: Array<unknown> = []
  const [server = "", tool = ""] = name.split("_")
  const held: AgentTool = {
    name,
    server,
    origin: { server, tool, isTrusted: false },
    description: `does ${tool}`,
    inputSchema: {
      type: "object",
      properties: { path: { type: "string" }, paths: { type: "array" }, limit: { type: "integer" } }
    },
    annotations: { readOnlyHint: true },
    tokens: 10,
    isAlwaysLoaded: false,
    run: (args, options) => Effect.suspend(() => (sent.push(args), answer(args, options)))
  }
  return { sent, tool: held }
}
