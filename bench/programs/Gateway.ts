/**
 * Calls of `echo` through a gateway, so many at a time, spread over as many clients, and as many of the same server without
 * one: milliseconds of the middle call, of the slowest in twenty, of a call by the clock, and of the middle call beyond the
 * one without. `node programs/Gateway.ts GATEWAY [--clients N] [--calls N] [--bridge]`
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import * as RawStdio from "../clients/RawStdio.ts"
import { connect, renamed } from "../clients/SessionHttp.ts"
import type { Client } from "../support/Client.ts"
import { gateways, type Script, SERVER } from "../support/Gateways.ts"
import { say } from "../support/Program.ts"
import { percentile } from "../support/Samples.ts"

const { positionals: [name = ""], values } = parseArgs({
  allowPositionals: true,
  options: {
    clients: { type: "string", default: "1" },
    calls: { type: "string", default: "2000" },
    bridge: { type: "boolean", default: false }
  }
})
const clients = Number(values.clients)
const folder = mkdtempSync(join(tmpdir(), "boocode-bench-"))
process.once("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }))
// Bridges run in the same home as their gateway.
Object.assign(process.env, { HOME: folder, BOOCODE_STATE_DIR: join(folder, "state") })

const named = <A>(make: () => A) => new Map(Array.from({ length: clients }, (_, at) => [`client${at}`, make()]))

const gateway = await gateways[name]?.({ folder, flags: [] })
if (gateway === undefined) throw new Error(`there is no gateway ${name}`)
const { bridge, tool } = gateway

const raw = (script: Script) => RawStdio.connect(process.execPath, script, RawStdio.oneByOne)
const connected = () => values.bridge && bridge !== null ? renamed(raw(bridge), tool) : connect(gateway)

const through = await RawStdio.client(named(connected))
const direct = await RawStdio.open({ server: { command: process.execPath, args: SERVER } })

const BLOCKS = 10
const count = Math.ceil(Number(values.calls) / BLOCKS / clients) * clients

const block = async (client: Client, servers: ReadonlyArray<string>) => {
  const times = new Float64Array(count)
  const start = performance.now()
  await client.calls({ count, inFlight: clients, servers, times })
  return { wall: (performance.now() - start) / count, times }
}

const servers = [...named(() => null).keys()]
// By turns, so that both see the same machine. The first half warms up.
const found: Array<{ readonly there: Awaited<ReturnType<typeof block>>; readonly without: Float64Array }> = []
for (let turn = 0; turn < BLOCKS * 1.5; turn++) {
  const there = await block(through, servers)
  const { times: without } = await block(direct, ["server"])
  if (turn >= BLOCKS / 2) found.push({ there, without })
}
const times = found.flatMap(({ there }) => [...there.times])
const direct50 = percentile(found.flatMap(({ without }) => [...without]), 0.5)
const p50 = percentile(times, 0.5)
say({
  p50,
  p95: percentile(times, 0.95),
  wall: found.reduce((sum, { there }) => sum + there.wall, 0) / found.length,
  added: p50 - direct50,
  direct: direct50
})
