/** What the servers with one bad habit share: a few tools, a tool `counters` that tells what was received, no schemas. */
import { counters, type Habits, type Message, refuse, serve, text } from "./JsonRpcLines.ts"

export type Tools = Readonly<Record<string, (message: Message) => object | undefined | Promise<object | undefined>>>

export const anything = { type: "object", properties: {} }

/** Further numbers for `counters`. */
export const tally: Record<string, number> = {}

export const count = (what: string, by = 1): number => tally[what] = (tally[what] ?? 0) + by

/** A tool that gives back its `text`, and the one that tells what was received. */
const always: Tools = {
  echo: ({ params }) => text(String(params?.arguments?.["text"] ?? "")),
  counters: () => text(JSON.stringify({ ...counters, ...tally }))
}

export const serveTools = (name: string, tools: Tools, habits: Partial<Habits> = {}): void => {
  const all: Tools = { ...always, ...tools }
  serve({
    name,
    list: () => ({ tools: Object.keys(all).map((name) => ({ name, inputSchema: anything })) }),
    call: (message) => {
      const tool = all[message.params?.name ?? ""]
      return tool === undefined ? refuse(-32602, `Unknown tool: ${message.params?.name}`) : tool(message)
    },
    ...habits
  })
}

/** Passes everything written to standard output through a function, which writes it by itself. */
export const rewriteOutput = (rewrite: (text: string, write: (bytes: string | Uint8Array) => void) => void): void => {
  const write = process.stdout.write.bind(process.stdout)
  Object.assign(process.stdout, {
    write: (text: string) => {
      rewrite(text, write)
      return true
    }
  })
}

/** Keeps the process alive whatever happens to its pipes. */
export const stay = (): void => {
  setInterval(() => {}, 60_000)
}
