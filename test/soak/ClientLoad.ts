/** MCP clients that come to a chat server, call, and go: politely, without a word, and by SIGKILL of the command that they started. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import * as Effect from "effect/Effect"
import { join } from "node:path"
import * as Command from "../support/Command.ts"
import { kill } from "../support/GatewayClients.ts"
import * as Dice from "./Dice.ts"
import type { Findings } from "./Findings.ts"
import type { Load } from "./ServerLoad.ts"

/** Clients over HTTP and over the command that are there at a time. */
const HTTP = 12
const BRIDGES = 2
/** Programs are as few as those of a person; of one that speaks the newest revision all requests are of one client. */
const PROGRAMS = ["claude-code", "cursor-vscode", "codex-mcp-client", "a program"] as const
/** A call that is not answered by then never will be. */
const LIMIT_MILLIS = 60_000
/** Each of these has one process, except the last, which has one for each client. */
const SHARED = ["one", "two", "three"] as const
const OWN = "own"

export interface Options {
  readonly url: string
  readonly data: string
  readonly env: Readonly<Record<string, string>>
  readonly seed: number
  readonly findings: Findings
}

export const make = ({ data, env, findings, seed, url }: Options): Load => {
  let thrown = 0
  const away = { calls: 0, turns: 0 }
  const dice = () => Dice.make(seed, thrown++)

  const call = async (client: Client, thrown: Dice.Dice) => {
    const server = thrown.chance(0.05) ? OWN : thrown.oneOf(SHARED)
    const text = `${thrown.below(1e9)}`
    const options = { timeout: LIMIT_MILLIS }
    const began = performance.now()
    away.calls++
    try {
      if (thrown.chance(0.1)) {
        const signal = AbortSignal.timeout(thrown.below(300))
        const slept = { name: `${server}_sleep`, arguments: { millis: 2000 } }
        await client.callTool(slept, { ...options, signal, onprogress: () => {} }).catch(() => {})
        return findings.count("calls cancelled")
      }
      const bytes = thrown.chance(0.1) ? 400_000 : 0
      const { content: [block], isError } = await client.callTool(
        bytes === 0
          ? { name: `${server}_echo`, arguments: { text } }
          : { name: `${server}_big`, arguments: { bytes } },
        options
      )
      const said = block?.type === "text" ? block.text : ""
      const isRight = bytes === 0 ? said === text : said.startsWith("xxx")
      if (isError === true || !isRight) findings.violated(`${server} answered ${said.slice(0, 200)}`)
      findings.count(`calls of ${server === OWN ? OWN : "shared servers"}`)
    } finally {
      away.calls--
      findings.took("call", performance.now() - began)
    }
  }
  const used = async (client: Client, thrown: Dice.Dice) => {
    const { tools } = await client.listTools()
    if (!tools.some(({ name }) => name === "one_echo")) findings.violated("a list has not all tools")
    for (let left = 1 + thrown.below(15); left > 0; left--) await call(client, thrown)
  }
  const clientOf = (thrown: Dice.Dice) =>
    new Client({ name: thrown.oneOf(PROGRAMS), version: "1" }, {
      versionNegotiation: { mode: thrown.chance(0.5) ? "legacy" : { pin: "2026-07-28" } }
    })
  const overHttp = async () => {
    const thrown = dice()
    const client = clientOf(thrown)
    const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`))
    await client.connect(transport)
    await used(client, thrown)
    const isSilent = thrown.chance(0.02)
    if (!isSilent) await transport.terminateSession().catch(() => {})
    await client.close()
    findings.count(isSilent ? "clients gone without a word" : "clients gone politely")
  }
  const overStdio = async () => {
    const thrown = dice()
    const client = clientOf(thrown)
    const main = join(Command.CHECKOUT, Command.MAIN)
    const transport = new StdioClientTransport({
      ...{ command: process.execPath, args: [main, "mcp", "serve", "--data", data] },
      ...{ env: { ...env }, cwd: data, stderr: "ignore" }
    })
    try {
      await client.connect(transport)
      await used(client, thrown)
    } finally {
      if (thrown.chance(0.5)) kill(transport.pid)
      await client.close()
    }
    findings.count("clients of the command gone")
  }
  const again = (what: () => Promise<void>, pause: number): Effect.Effect<never> =>
    Effect.forever(Effect.andThen(
      Effect.promise((over) =>
        what().catch((error: unknown) =>
          // The server ends before the last clients.
          over.aborted
            ? undefined
            : findings.violated(`a client failed: ${error instanceof Error ? error.message : String(error)}`)
        )
      ),
      Effect.sleep(pause)
    ))
  return {
    frozen: () => 0,
    away,
    run: Effect.all([
      ...Array.from({ length: HTTP }, () => again(overHttp, 500)),
      ...Array.from({ length: BRIDGES }, () => again(overStdio, 2000))
    ], { concurrency: "unbounded", discard: true })
  }
}
