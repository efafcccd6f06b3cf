/** What the programs of measurements share: their servers, their client, and how they say their figures. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath, pathToFileURL } from "node:url"
import type { Client, Open, Server, Servers } from "./Client.ts"
import type { Figures } from "./Harness.ts"

const server = (name: string): string => fileURLToPath(new URL(`../servers/${name}`, import.meta.url))

/** The program of the stdio server. */
export const STDIO = server("Stdio.mjs")

/** A stdio server of the measurements. */
export const stdio = (...args: ReadonlyArray<string>): Server => ({
  command: process.execPath,
  args: [STDIO, ...args]
})

/** A server over HTTP, which answers in JSON or as events, in a process of its own that ends with this one. */
const http = async (answers: string) => {
  const child = spawn(process.execPath, [server("Http.mjs"), "--answers", answers], {
    stdio: ["pipe", "pipe", "inherit"]
  })
  const [url] = await once(createInterface(child.stdout), "line")
  return { child, url: String(url) }
}

/** So many servers, over HTTP when it says how they answer, gone when the measurement is done. */
export const serversOf = async (count: number, answers: string): Promise<AsyncDisposable & { servers: Servers }> => {
  const names = Array.from({ length: count }, (_, at) => `server${at}`)
  if (answers === "") {
    return { servers: Object.fromEntries(names.map((name) => [name, stdio()])), [Symbol.asyncDispose]: async () => {} }
  }
  const started = await Promise.all(names.map(() => http(answers)))
  return {
    servers: Object.fromEntries(names.map((name, at) => [name, { url: started[at]?.url ?? "" }])),
    [Symbol.asyncDispose]: async () => {
      await Promise.all(started.map(async ({ child }) => {
        const gone = once(child, "exit")
        child.stdin.end()
        await gone
      }))
    }
  }
}

/** The module of a side, by its path. */
export const imported = (side: string): Promise<{ readonly open: Open }> => import(pathToFileURL(side).href)

/** The client of a side. */
export const opened = async (side: string, servers: Servers): Promise<Client> => {
  const { open } = await imported(side)
  return open(servers)
}

/** The one line of a measurement. Whatever else still runs in this process is not waited for. */
export const say = (figures: Figures): void => {
  process.stdout.write(`${JSON.stringify(figures)}\n`, () => process.exit(0))
}
