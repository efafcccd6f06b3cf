/**
 * What one more client takes that is connected and does nothing: kilobytes of the gateway's heap after a collection, and of its
 * memory as the system counts it, from the difference between few and many.
 * `node programs/IdleClients.ts GATEWAY [--few N] [--many N]`
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { parseArgs } from "node:util"
import * as RawStdio from "../clients/RawStdio.ts"
import { connect } from "../clients/SessionHttp.ts"
import { gateways } from "../support/Gateways.ts"
import { inspected } from "../support/Inspected.ts"
import { say } from "../support/Program.ts"

const { positionals: [name = ""], values } = parseArgs({
  allowPositionals: true,
  options: { few: { type: "string", default: "50" }, many: { type: "string", default: "250" } }
})
const few = Number(values.few)
const many = Number(values.many)
const folder = mkdtempSync(join(tmpdir(), "boocode-bench-"))
process.once("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }))

const gateway = await gateways[name]?.({ folder, flags: ["--inspect=127.0.0.1:0"] })
if (gateway === undefined) throw new Error(`there is no gateway ${name}`)
const memory = await inspected(gateway.inspector())

/** Each listens, as clients of the SDK do. */
const opened = async (from: number, to: number) => {
  for (let at = from; at < to; at++) await RawStdio.client(new Map([["it", connect(gateway)]]))
  await setTimeout(1000)
}

await opened(0, few)
const less = await memory()
await opened(few, many)
const more = await memory()
const each = (of: "heap" | "rss") => (more[of] - less[of]) / (many - few) / 1000
say({ heap: each("heap"), rss: each("rss") })
