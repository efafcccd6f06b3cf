/** The routes about tools that this panel uses. */
import { ask, get, path, Problem, query } from "../api/Client.ts"
import { documentsOf } from "../api/EventLines.ts"
import type { CallEvent, CallProgress, FoundTools, Json, ToolResult } from "../api/Types.ts"
import { tools as texts } from "../messages/ToolsMessages.ts"

const MOST = 100

export const searchTools = (q: string, agent: string | null, signal: AbortSignal) =>
  get<FoundTools>(query("tools/search", { q, agent, limit: MOST }), signal)

/** Calls a tool for the person who pressed the button, which is their yes. Tells how far it is; aborting the signal cancels the call on its server. */
export const call = async (
  name: string,
  body: { readonly args: Json; readonly timeoutMillis?: number },
  onProgress: (progress: CallProgress) => void,
  signal: AbortSignal
): Promise<ToolResult> => {
  const response = await ask("POST", path("tools", name, "stream"), {
    headers: { "content-type": "application/json", accept: "text/event-stream" },
    body: JSON.stringify({ ...body, approved: true }),
    signal
  })
  for await (const event of documentsOf<CallEvent>(response)) {
    if (event.type === "progress") onProgress(event)
    if (event.type === "result") return event.result
    if (event.type === "problem") throw new Problem(event.problem.status, event.problem)
  }
  throw new Problem(0, { detail: texts.connectionEnded, hint: texts.mayBeCarriedOut })
}
