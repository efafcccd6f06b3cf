/** The gateways that are measured: how each is started in front of one stdio server, and how a client reaches it. */
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { client } from "../clients/RawStdio.ts"
import { connect, type Endpoint } from "../clients/SessionHttp.ts"
import { check, TEXT } from "./Client.ts"

/** What Node runs: a program and its arguments. */
export type Script = ReadonlyArray<string>

/** A gateway that runs, gone with this process. */
export interface Running extends Endpoint {
  /** The address of its debugger, where Node was told to have one. */
  readonly inspector: () => string
  /** What a client that only knows stdio starts instead; null where there is nothing of the kind. */
  readonly bridge: Script | null
}

interface Place {
  readonly folder: string
  /** For Node. */
  readonly flags: ReadonlyArray<string>
}

const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url))
const peer = (file: string): string => path(`../peers/node_modules/${file}`)

/** The stdio server behind all of them. */
export const SERVER: Script = [path("../peers/SdkEcho.mjs")]

/** The command as those have it who install it. */
const BOOCODE = path("../../apps/cli/dist/main.mjs")

const SECONDS = 60

/** Builds the command and its page where they are older than their sources. */
export const preparedServer = async (): Promise<void> => {
  for (const script of ["CommandBuild", "WebBuild"]) {
    await promisify(execFile)(process.execPath, [path(`../../scripts/${script}.mjs`)])
  }
}

/** A home of its own, so that nothing of this machine is read or written. */
const environment = (folder: string): Record<string, string> => ({
  PATH: process.env["PATH"] ?? "",
  HOME: folder,
  BOOCODE_STATE_DIR: join(folder, "state")
})

const launched = ({ flags, folder }: Place, script: Script) => {
  const child = spawn(process.execPath, [...flags, ...script], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
    env: environment(folder)
  })
  let said = ""
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      if (said.length < 100_000) said += text
    })
  }
  process.once("exit", () => child.kill())
  return { child, said: () => said, inspector: () => /ws:\/\/\S+/.exec(said)?.[0] ?? "" }
}

/** Waits for what a program prints. */
const printed = async ({ child, said }: ReturnType<typeof launched>, pattern: RegExp): Promise<string> => {
  for (let tries = 0; tries < SECONDS * 20 && child.exitCode === null; tries++) {
    const found = pattern.exec(said())
    if (found !== null) return found[0]
    await setTimeout(50)
  }
  throw new Error(`it did not come up: ${said().slice(-200)}`)
}

/** Waits until the tool can be called: some listen before the server behind them is connected. */
const answering = async (endpoint: Endpoint, child: ChildProcess): Promise<void> => {
  for (let tries = 1;; tries++) {
    try {
      const one = await client(new Map([["it", connect(endpoint)]]))
      check(await one.call("it", "echo", { text: TEXT }))
      return await one.close()
    } catch (error) {
      if (tries > SECONDS * 4 || child.exitCode !== null) throw error
      await setTimeout(250)
    }
  }
}

/** A port that was free a moment ago, for programs that choose none themselves. */
const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  server.close()
  await once(server, "close")
  if (address === null || typeof address === "string") throw new Error("no port is free")
  return address.port
}

/** A gateway that is told its port. */
const atPort =
  (tool: string, scriptOf: (port: string, folder: string) => Script, isStreamable = true) =>
  async (place: Place): Promise<Running> => {
    const port = await freePort()
    const { child, inspector } = launched(place, scriptOf(String(port), place.folder))
    const url = `http://127.0.0.1:${port}/mcp`
    const endpoint = { url, headers: {}, tool, isStreamable }
    await answering(endpoint, child)
    const bridge = [peer("mcp-remote/dist/proxy.js"), url, "--transport", isStreamable ? "http-only" : "sse-only"]
    return { ...endpoint, bridge, inspector }
  }

const COMMAND = { command: process.execPath, args: SERVER }

const settled = (folder: string, name: string, value: unknown): string => {
  const file = join(folder, name)
  writeFileSync(file, JSON.stringify(value))
  return file
}

/** Each by its name; the first is no gateway but the server itself. */
export const gateways: Readonly<Record<string, (place: Place) => Promise<Running>>> = {
  "SDK server": async (place) => {
    const server = launched(place, [...SERVER, "--http"])
    const endpoint = { url: await printed(server, /http:\/\/\S+/), headers: {}, tool: "echo", isStreamable: true }
    return { ...endpoint, inspector: server.inspector, bridge: SERVER }
  },
  ours: async (place) => {
    const { folder } = place
    settled(folder, "mcp.json", { mcpServers: { server: COMMAND } })
    const server = launched(place, [BOOCODE, "serve", "--data", folder, "--port", "0"])
    const url = await printed(server, /http:\/\/[^\s/]+/)
    const added = await fetch(`${url}/api/clients`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ name: "bench" })
    })
    const { token } = await added.json() as { readonly token: string }
    const headers = { authorization: `Bearer ${token}` }
    const endpoint = { url: `${url}/mcp`, headers, tool: "server_echo", isStreamable: true }
    await answering(endpoint, server.child)
    return { ...endpoint, inspector: server.inspector, bridge: [BOOCODE, "mcp", "serve", "--data", folder] }
  },
  "mcp-hub": atPort("server__echo", (port, folder) => [
    peer("mcp-hub/dist/cli.js"),
    "--port",
    port,
    "--config",
    settled(folder, "hub.json", { mcpServers: { server: COMMAND } })
  ], false),
  "mcp-proxy": atPort("echo", (port) => [
    peer("mcp-proxy/dist/bin/mcp-proxy.mjs"),
    "--host",
    "127.0.0.1",
    "--port",
    port,
    "--server",
    "stream",
    process.execPath,
    ...SERVER
  ]),
  supergateway: atPort("echo", (port) => [
    peer("supergateway/dist/index.js"),
    "--stdio",
    [process.execPath, ...SERVER].join(" "),
    "--outputTransport",
    "streamableHttp",
    "--stateful",
    "--port",
    port,
    "--logLevel",
    "none"
  ])
}
