/** JSON-RPC over pipes, written by hand: what no client can be much faster than. One write a request. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { type Client, make, type Open } from "../support/Client.ts"

interface Answer {
  readonly id: number
  readonly result: {
    readonly content: ReadonlyArray<{ readonly text: string }>
    readonly tools: ReadonlyArray<unknown>
    readonly nextCursor?: string
  }
}

export interface RawServer {
  readonly request: (method: string, params: unknown) => Promise<Answer["result"]>
  readonly notify: (method: string) => void
  readonly close: () => Promise<void>
}

type Write = (child: ChildProcess) => (line: string) => void

export const oneByOne: Write = ({ stdin }) => (line) => void stdin?.write(line)

/** All that is written before the next turn of the loop leaves together. */
export const together: Write = ({ stdin }) => {
  let lines = ""
  const flush = () => {
    stdin?.write(lines)
    lines = ""
  }
  return (line) => {
    if (lines === "") setImmediate(flush)
    lines += line
  }
}

export const connect = (command: string, args: ReadonlyArray<string>, writing: Write): RawServer => {
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] })
  const waiting = new Map<number, (result: Answer["result"]) => void>()
  const write = writing(child)
  let ids = 0
  let chunks: Array<Buffer> = []
  const settle = (line: string) => {
    const { id, result }: Answer = JSON.parse(line)
    waiting.get(id)?.(result)
    waiting.delete(id)
  }
  child.stdout.on("data", (chunk: Buffer) => {
    const end = chunk.lastIndexOf(10)
    if (end < 0) return void chunks.push(chunk)
    chunks.push(chunk.subarray(0, end))
    const text = chunks.length === 1 ? chunks[0]?.toString() ?? "" : Buffer.concat(chunks).toString()
    chunks = end + 1 < chunk.length ? [chunk.subarray(end + 1)] : []
    for (const line of text.split("\n")) settle(line)
  })
  return {
    request: (method, params) =>
      new Promise((resolve) => {
        const id = ++ids
        waiting.set(id, resolve)
        write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`)
      }),
    notify: (method) => write(`${JSON.stringify({ jsonrpc: "2.0", method })}\n`),
    close: async () => {
      const gone = once(child, "exit")
      child.stdin.end()
      await gone
    }
  }
}

/** The handshake, and the tools of every page: a program that asks for a list keeps it. */
const settled = async (server: RawServer): Promise<ReadonlyArray<unknown>> => {
  await server.request("initialize", {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "raw", version: "1.0.0" }
  })
  server.notify("notifications/initialized")
  const all: Array<unknown> = []
  let cursor: string | undefined
  do {
    const { nextCursor, tools } = await server.request("tools/list", cursor === undefined ? {} : { cursor })
    for (const tool of tools) all.push(tool)
    cursor = nextCursor
  } while (cursor !== undefined)
  return all
}

/** A client of servers that are asked by hand. */
export const client = async (servers: ReadonlyMap<string, RawServer>): Promise<Client> => {
  const lists = await Promise.all([...servers.values()].map(settled))
  return make({
    call: async (name, tool, input) => {
      const result = await servers.get(name)?.request("tools/call", { name: tool, arguments: input })
      return result?.content[0]?.text ?? ""
    },
    tools: async () => lists.reduce((sum, { length }) => sum + length, 0),
    close: async () => void await Promise.all([...servers.values()].map((server) => server.close()))
  })
}

export const openWith = (writing: Write): Open => (servers) =>
  client(
    new Map(
      Object.entries(servers).map(([name, server]) => {
        if (!("command" in server)) throw new Error(`${name} is not a stdio server`)
        return [name, connect(server.command, server.args, writing)]
      })
    )
  )

export const open: Open = openWith(oneByOne)
