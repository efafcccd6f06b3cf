/** `McpClient` of `effect/ai` through the tool object that a model's loop calls: `handle` of `McpClient.toolkit`. */
import * as McpClient from "effect/ai/McpClient"
import * as Effect from "effect/Effect"
import type { Open } from "../support/Client.ts"
import { handled } from "../support/Fibers.ts"
import { openWith } from "./EffectMcp.ts"

export const open: Open = openWith((mcp) =>
  Effect.map(McpClient.toolkit(mcp), ({ handle, tools }) => {
    const call = handled((_, tool, input) => handle(tool, input))
    return { tools: Object.keys(tools).length, call: (tool, input) => call("", tool, input) }
  })
)
