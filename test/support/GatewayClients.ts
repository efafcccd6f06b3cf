/** MCP clients of the official SDK that start `boocode mcp serve`, and the data folder that they share. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import * as Effect from "effect/Effect"
import { randomUUID } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as Command from "./Command.ts"
import * as Deadline from "./Deadline.ts"
import * as FixtureServer from "./FixtureServer.ts"
import * as Processes from "./Processes.ts"

const MARK = "BOOCODE_GATEWAY_TEST"

export interface Shared {
  readonly data: string
  readonly state: string
  readonly env: Readonly<Record<string, string>>
  /** The ids of the servers that bridges started. */
  readonly onDemand: () => ReadonlyArray<number>
  /** How many processes of MCP servers live. */
  readonly servers: Effect.Effect<number>
  /** How many are left when all should be gone. */
  readonly left: Effect.Effect<number>
}

/** A data folder with these servers and files; what runs on it is gone when the scope closes. */
export const shared = Effect.fnUntraced(function*(
  servers: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
    files: FixtureServer.entry("Files", "."),
    echo: FixtureServer.entry("Echo")
  },
  more: Readonly<Record<string, string>> = {}
) {
  const mark = randomUUID()
  const env = { ...Command.COMPILED, [MARK]: mark }
  const mcpServers = Object.fromEntries(Object.entries(servers).map(([name, entry]) => [name, { ...entry, env }]))
  const folder = yield* Command.folder({
    "data/mcp.json": JSON.stringify({ mcpServers }),
    "data/workspace/hello.txt": "hello\n",
    ...more
  })
  const state = join(folder, "state")
  const onDemand = () => {
    try {
      return readdirSync(join(state, "running")).filter((name) => name.endsWith(".json"))
        .map((name): { pid: number; onDemand?: boolean } =>
          JSON.parse(readFileSync(join(state, "running", name), "utf8"))
        )
        .flatMap(({ onDemand, pid }) => onDemand === true ? [pid] : [])
    } catch {
      return []
    }
  }
  yield* Effect.addFinalizer(() =>
    Effect.andThen(Effect.sync(() => onDemand().forEach((pid) => kill(pid))), Processes.killAll(MARK, mark))
  )
  return {
    data: join(folder, "data"),
    state,
    env: { PATH: process.env["PATH"] ?? "", HOME: folder, BOOCODE_STATE_DIR: state, ...Command.COMPILED },
    onDemand,
    servers: Processes.count(MARK, mark),
    left: Effect.map(Processes.leftAfter(MARK, mark, Deadline.GONE_MILLIS), ({ length }) => length)
  } satisfies Shared
})

/** Nothing happens to one that has ended. */
export const kill = (pid: number | null | undefined, signal: NodeJS.Signals = "SIGKILL") => {
  // Zero is the group of this very process.
  if (typeof pid !== "number" || pid <= 1) return
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended by itself.
  }
}

export type Connected = Client

export type Era = "legacy" | "modern"

const clientOf = (era: Era, name: string) =>
  new Client({ name, version: "1.0.0" }, {
    capabilities: {},
    versionNegotiation: { mode: era === "modern" ? "auto" : "legacy" }
  })

/** A client that starts the command. Its process is killed when the scope closes. */
export const overStdio = Effect.fnUntraced(function*(
  { data, env }: Shared,
  { args = [], era = "legacy", name = "test-client" }: {
    readonly era?: Era
    readonly name?: string
    readonly args?: ReadonlyArray<string>
  } = {}
) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [join(Command.CHECKOUT, Command.MAIN), "mcp", "serve", "--data", data, ...args],
    env,
    cwd: data,
    stderr: "pipe"
  })
  let stderr = ""
  transport.stderr?.on("data", (chunk: Buffer) => {
    stderr += String(chunk)
  })
  const client = clientOf(era, name)
  yield* Effect.addFinalizer(() => Effect.sync(() => kill(transport.pid)))
  yield* Effect.promise(() => client.connect(transport))
  return { client, pid: transport.pid, stderr: () => stderr }
})

/** A client over HTTP. */
export const overHttp = Effect.fnUntraced(function*(
  url: string,
  { era = "legacy", headers = {}, name = "test-client" }: {
    readonly era?: Era
    readonly name?: string
    readonly headers?: Readonly<Record<string, string>>
  } = {}
) {
  const client = clientOf(era, name)
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } })
  yield* Effect.addFinalizer(() => Effect.promise(() => client.close()))
  yield* Effect.promise(() => client.connect(transport))
  return client
})
