/** The server that speaks over HTTP in one of several ways, as a process that tests kill, start again and ask. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import * as Compiled from "./Compiled.ts"
import type { Entry } from "./Zoo.ts"

export type Way = "sessions" | "uninitialized" | "stateless" | "modern" | "sse"

export interface Server {
  readonly way: Way
  readonly port: number
  readonly child: ChildProcess
  /** How often each method came, and what is open. */
  readonly counters: Effect.Effect<Readonly<Record<string, number>>>
  /** Has it forget all sessions; `drop` ends their streams as well. */
  readonly tell: (what: "forget" | "drop") => Effect.Effect<void>
  readonly kill: Effect.Effect<void>
}

const FILE = fileURLToPath(new URL("../servers/HttpWays.ts", import.meta.url))

const read = Schema.decodeUnknownSync(Schema.Record(Schema.String, Schema.Number))

/** Starts one, at this port if any, until it is killed or the scope closes. */
export const serve = (way: Way, port = 0): Effect.Effect<Server, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(async (): Promise<Server> => {
      const child = spawn(process.execPath, [...Compiled.FLAGS, FILE, String(port), way], {
        stdio: ["ignore", "pipe", "inherit"]
      })
      const [line] = await once(child.stdout, "data")
      const own = Number(line)
      const at = (path: string) => fetch(`http://127.0.0.1:${own}/${path}`)
      return {
        way,
        port: own,
        child,
        counters: Effect.promise(async () => read(await (await at("counters")).json())),
        tell: (what) => Effect.promise(async () => void await (await at(what)).text()),
        kill: Effect.promise(async () => {
          const exited = once(child, "exit")
          child.kill("SIGKILL")
          await exited
        })
      }
    }),
    ({ child }) => Effect.sync(() => child.kill("SIGKILL"))
  )

/** An entry for it. */
export const entryOf = ({ port, way }: Server, more: Entry = {}): Entry => ({
  url: `http://127.0.0.1:${port}/mcp`,
  ...(way === "sse" ? { type: "sse" } : {}),
  ...more
})
