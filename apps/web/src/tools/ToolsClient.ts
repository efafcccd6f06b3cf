/** The routes about tools that this panel uses. */
import { ask, get, path, Problem, query } from "../api/Client.ts"
import { documentsOf } from "../api/EventLines.ts"
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

export interface CallProgress {
  readonly progress: number
  readonly total: number | null
  readonly message: string | null
}

type CallEvent =
  | ({ readonly type: "progress" } & CallProgress)
  | { readonly type: "result"; readonly result: ToolResult }
  | {
    readonly type: "problem"
    readonly problem: { readonly status: number; readonly detail: string; readonly hint: string; readonly _tag: string }
  }

/** Calls a tool, and tells how far it is; aborting the signal cancels the call on its server. */
export const call = async (
  name: string,
  body: { readonly args: Json; readonly timeoutMillis?: number },
  onProgress: (progress: CallProgress) => void,
  signal: AbortSignal
): Promise<ToolResult> => {
  const response = await ask("POST", path("tools", name, "stream"), {
    headers: { "content-type": "application/json", accept: "text/event-stream" },
    body: JSON.stringify(body),
    signal
  })
  for await (const event of documentsOf<CallEvent>(response)) {
    if (event.type === "progress") onProgress(event)
    if (event.type === "result") return event.result
    if (event.type === "problem") throw new Problem(event.problem.status, event.problem)
  }
  throw new Problem(0, { detail: "the connection ended before the answer", hint: "the call may have been carried out" })
}
