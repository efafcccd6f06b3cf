/**
 * So many calls of `echo` sent at once: milliseconds until all are answered, the middle of several times.
 * `node programs/Burst.ts CLIENT --in-flight N`
 */
import { parseArgs } from "node:util"
import { opened, say, serversOf } from "../support/Program.ts"
import { median } from "../support/Samples.ts"

/** As many calls in all, so that every size meets code that is as warm. */
const CALLS = 40_000

const { positionals: [side = ""], values } = parseArgs({
  allowPositionals: true,
  options: { "in-flight": { type: "string", default: "64" } }
})
const inFlight = Number(values["in-flight"])

await using started = await serversOf(1, "")
const client = await opened(side, started.servers)
const servers = Object.keys(started.servers)

/** So many at once, until as many as that were made. */
const burst = async () => {
  const times: Array<number> = []
  for (let done = 0; done < CALLS; done += inFlight) {
    const start = performance.now()
    await client.calls({ inFlight, servers, count: inFlight })
    times.push(performance.now() - start)
  }
  return times
}

// Until V8 has compiled what it will, and knows how much of what is in flight survives.
await burst()
const times = await burst()
await client.close()
say({ millis: median(times) })
