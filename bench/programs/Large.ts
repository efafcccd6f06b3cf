/**
 * One result of so many bytes at a time: milliseconds of the middle call and the most memory that the process ever took.
 * `node programs/Large.ts CLIENT --bytes N [--calls N] [--http json|sse]`
 */
import { parseArgs } from "node:util"
import { opened, say, serversOf } from "../support/Program.ts"
import { median } from "../support/Samples.ts"

/** Enough for the largest result, for clients that have such an option. The smallest default of a client is 10 MiB. */
const MAX_MESSAGE_BYTES = 128 * 1024 * 1024
const IS_LARGE = 10_000_000
/** After one that took so long the next ones would tell nothing new. */
const LONG_MILLIS = 3000

const { positionals: [side = ""], values } = parseArgs({
  allowPositionals: true,
  options: {
    bytes: { type: "string", default: "5000000" },
    calls: { type: "string", default: "5" },
    http: { type: "string", default: "" }
  }
})
const bytes = Number(values.bytes)

await using started = await serversOf(1, values.http)
const limit = bytes < IS_LARGE ? {} : { maxMessageBytes: MAX_MESSAGE_BYTES }
const client = await opened(
  side,
  Object.fromEntries(Object.entries(started.servers).map(([name, server]) => [name, { ...server, ...limit }]))
)

const called = async (size: number): Promise<number> => {
  const start = performance.now()
  const text = await client.call("server0", "text", { bytes: size })
  if (text.length !== size) throw new Error(`${text.length} characters came instead of ${size}`)
  return performance.now() - start
}

for (let call = 0; call < 20; call++) await called(20_000)
// The server makes the text for the first one.
const first = await called(bytes)
const times: Array<number> = []
for (let call = 0; call < Number(values.calls) && first < LONG_MILLIS; call++) times.push(await called(bytes))
await client.close()
say({ millis: times.length === 0 ? first : median(times), peak: process.resourceUsage().maxRSS / 1024 })
