/** Servers that are reached over HTTP, each a process that ends with the scope. */
import * as Effect from "effect/Effect"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createServer } from "node:net"
import { fileURLToPath } from "node:url"
import * as Compiled from "../support/Compiled.ts"

export interface Program {
  readonly url: (path: string) => string
}

const at = (port: number): Program => ({ url: (path) => `http://127.0.0.1:${port}${path}` })

const running = (start: () => Promise<{ readonly child: ChildProcess; readonly port: number }>) =>
  Effect.acquireRelease(Effect.promise(start), ({ child }) =>
    Effect.promise(async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill("SIGKILL")
      await once(child, "exit")
    })).pipe(Effect.map(({ port }) => at(port)))

/** One of ours: it prints its port. */
export const program = (name: string) =>
  running(async () => {
    const file = fileURLToPath(new URL(`../servers/interop/${name}.ts`, import.meta.url))
    const child = spawn(process.execPath, [...Compiled.FLAGS, file, "http"], { stdio: ["ignore", "pipe", "inherit"] })
    const [printed] = await once(child.stdout, "data")
    child.stdout.resume()
    return { child, port: Number(String(printed)) }
  })

/** `server-everything`: it is told its port, and says on standard error that it is up. */
export const everythingOver = (transport: "streamableHttp" | "sse") =>
  running(async () => {
    const port = await freePort()
    const command = fileURLToPath(new URL("../node_modules/.bin/mcp-server-everything", import.meta.url))
    const child = spawn(command, [transport], {
      env: { ...process.env, PORT: String(port) },
      stdio: ["ignore", "ignore", "pipe"]
    })
    await once(child.stderr, "data")
    child.stderr.resume()
    return { child, port }
  })

const freePort = async () => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  server.close()
  return typeof address === "object" && address !== null ? address.port : 0
}
