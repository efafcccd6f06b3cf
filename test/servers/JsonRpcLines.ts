/** The little of MCP over standard input and output that the hand-written fixture servers share: revision 2025-11-25. */
import { createInterface } from "node:readline"

export interface Message {
  readonly id?: number | string
  readonly method?: string
  readonly params?: {
    readonly name?: string
    readonly arguments?: Readonly<Record<string, unknown>>
    readonly cursor?: string
    readonly requestId?: number | string
    readonly protocolVersion?: string
    readonly _meta?: { readonly progressToken?: number | string }
  }
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

export interface Tool {
  readonly name: string
  readonly description?: string
  readonly inputSchema: object
  readonly annotations?: object | null
}

export interface Habits {
  readonly name: string
  readonly version?: string
  /** Changes the answer to `initialize`. */
  readonly initialize?: (usual: object) => object | Promise<object>
  /** Answers `tools/list`: the tools of a page, and the cursor of the next. */
  readonly list: (cursor: string | undefined) => { readonly tools: ReadonlyArray<Tool>; readonly nextCursor?: string }
  /** Answers `tools/call`; undefined answers nothing. */
  readonly call: (message: Message) => object | undefined | Promise<object | undefined>
  /** Hears every notification. */
  readonly notified?: (message: Message) => void
  /** Hears every answer to a request of the server's own. */
  readonly answered?: (message: Message) => void
  /** Runs before each answer to a request. */
  readonly beforeAnswer?: () => void
  /** What happens at the end of input; by default the process ends. */
  readonly ended?: () => void
}

/** How often each method was received, whatever became of it. */
export const counters: Record<string, number> = {}

const REVISIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]

export const send = (message: object): void => {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
}

export const text = (text: string, isError = false): object => ({ content: [{ type: "text", text }], isError })

export const refuse = (code: number, message: string): never => {
  throw Object.assign(new Error(message), { code })
}

const result = async (habits: Habits, message: Message): Promise<object | undefined> => {
  const { method, params } = message
  if (method === "initialize") {
    const asked = params?.protocolVersion ?? ""
    const usual = {
      protocolVersion: REVISIONS.includes(asked) ? asked : "2025-11-25",
      capabilities: { tools: {} },
      serverInfo: { name: habits.name, version: habits.version ?? "1.0.0" }
    }
    return habits.initialize === undefined ? usual : habits.initialize(usual)
  }
  if (method === "ping") return {}
  if (method === "tools/list") return habits.list(params?.cursor)
  if (method === "tools/call") return habits.call(message)
  // `server/discover` of the later revision is such a method too.
  return refuse(-32601, `Method not found: ${method}`)
}

const answer = async (habits: Habits, message: Message) => {
  try {
    const answered = await result(habits, message)
    habits.beforeAnswer?.()
    if (answered !== undefined) send({ id: message.id, result: answered })
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : -32603
    send({ id: message.id, error: { code, message: error instanceof Error ? error.message : String(error) } })
  }
}

export const serve = (habits: Habits): void => {
  createInterface({ input: process.stdin })
    .on("line", (line) => {
      if (line.trim() === "") return
      const message: Message = JSON.parse(line)
      if (message.method === undefined) return habits.answered?.(message)
      counters[message.method] = (counters[message.method] ?? 0) + 1
      if (message.id === undefined) habits.notified?.(message)
      else void answer(habits, message)
    })
    .on("close", () => habits.ended === undefined ? process.exit(0) : habits.ended())
}
