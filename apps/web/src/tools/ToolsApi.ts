/** The routes about tools that this panel uses. */
import { ask, get, path, query } from "../api/Client.ts"
import type { Json, JsonObject, Tool, Truncated } from "../api/Types.ts"

export interface ToolResult {
  readonly isError: boolean
  readonly text: string
  readonly content: ReadonlyArray<JsonObject>
  readonly structuredContent: Json
  readonly truncated: Truncated | null
  readonly diagnostics: ReadonlyArray<string>
  readonly millis: number
}

export interface FoundTools {
  readonly tools: ReadonlyArray<Tool>
  readonly waiting: ReadonlyArray<string>
  readonly failed: ReadonlyArray<string>
}

const MOST = 100

export const searchTools = (q: string, agent: string | null, signal: AbortSignal) =>
  get<FoundTools>(query("tools/search", { q, agent, limit: MOST }), signal)

export const listFor = (agent: string, signal: AbortSignal) =>
  get<{ tools: ReadonlyArray<Tool>; warnings: ReadonlyArray<string> }>(query("tools", { agent }), signal)

/** Calls a tool; aborting the signal cancels the call on its server. */
export const call = async (
  name: string,
  body: { readonly args: Json; readonly timeoutMillis?: number },
  signal: AbortSignal
): Promise<ToolResult> => {
  const response = await ask("POST", path("tools", name, "call"), {
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    signal
  })
  return response.json()
}
