/**
 * A chat server under load beside servers that are frozen and killed, and the memory it needs: `ServerSoak.ts
 * [--minutes 60] [--seed N] [--out FOLDER] [--plain] [--clients]`. With `--clients` MCP clients come and go instead, and the
 * processes of the servers have to be as many at the end as at the beginning. `--out` gets a look of each half minute as JSON and the curve as SVG; with
 * `--plain` the server has none of the settings of docs/operation.md. Ends with a verdict, and with exit code 1 when the
 * server needs too much.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Effect from "effect/Effect"
import { randomInt, randomUUID } from "node:crypto"
import { mkdirSync, writeFileSync } from "node:fs"
import { loadavg } from "node:os"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { parseArgs } from "node:util"
import * as ModelServer from "../servers/ModelServer.ts"
import * as ChatServer from "../support/ChatServer.ts"
import * as Command from "../support/Command.ts"
import * as FixtureServer from "../support/FixtureServer.ts"
import * as Processes from "../support/Processes.ts"
import * as ClientLoad from "./ClientLoad.ts"
import { Findings } from "./Findings.ts"
import * as Gauge from "./Gauge.ts"
import { HttpPeer } from "./HttpPeer.ts"
import * as Plot from "./Plot.ts"
import * as Report from "./Report.ts"
import * as ServerCast from "./ServerCast.ts"
import * as ServerLoad from "./ServerLoad.ts"

const { PATH } = process.env
const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "60" },
    seed: { type: "string", default: String(randomInt(1_000_000)) },
    out: { type: "string", default: "" },
    plain: { type: "boolean", default: false },
    clients: { type: "boolean", default: false }
  }
})
const seed = Number(values.seed)
const minutes = Number(values.minutes)
if (!Number.isInteger(seed) || !(minutes > 0)) {
  process.stderr.write("--seed is a whole number, --minutes more than 0\n")
  process.exit(2)
}

/** As the files of deploy/ have it. */
const SETTINGS = {
  MALLOC_ARENA_MAX: "2",
  MALLOC_MMAP_THRESHOLD_: "131072",
  MALLOC_TRIM_THRESHOLD_: "131072"
}
const FLAGS = "--max-semi-space-size=16"

const MARK = "BOOCODE_SOAK_SERVER"

/** Three servers that all clients share, and one of which each client has its own, for a while. */
const forClients = (mark: string) => {
  const server = { ...FixtureServer.entry("Echo"), env: { [MARK]: mark } }
  const own = { ...server, session: "client", lazy: true, idleTtl: "5 seconds" }
  return { one: server, two: server, three: server, own }
}

const GAUGE = fileURLToPath(new URL("Gauge.ts", import.meta.url))
const say = (line: string) => Effect.sync(() => void process.stdout.write(`${line}\n`))
const findings = new Findings(seed, ({ what }) => process.stdout.write(`VIOLATED: ${what}\n`))
const loads: Array<number> = []

/** A line every half minute. */
const telling = (gauge: string, { away, frozen }: ServerLoad.Load) =>
  Effect.forever(Effect.andThen(
    Effect.sleep("30 seconds"),
    Effect.suspend(() => {
      loads.push(loadavg()[0] ?? 0)
      const last = Gauge.read(gauge).at(-1)
      return say(`${JSON.stringify(last)} frozen ${frozen()}, calls ${away.calls}, turns ${away.turns} on their way`)
    })
  ))

/** One look of each half minute is enough to see a curve. */
const EVERY = 6

const written = (all: ReadonlyArray<Gauge.Look>) =>
  Effect.sync(() => {
    if (values.out === "") return
    const looks = all.filter((_, at) => at % EVERY === 0)
    mkdirSync(values.out, { recursive: true })
    writeFileSync(join(values.out, "server.json"), `[\n${looks.map((look) => JSON.stringify(look)).join(",\n")}\n]\n`)
    writeFileSync(join(values.out, "server.svg"), Plot.memory("A chat server beside frozen and killed servers", looks))
  })

const main = Effect.gen(function*() {
  yield* say(`seed ${seed}, ${minutes} minutes, Node ${process.versions.node}`)
  const mark = randomUUID()
  const peer = yield* Effect.acquireRelease(Effect.sync(() => new HttpPeer()), ({ kill }) => kill)
  yield* peer.ensure
  const model = yield* ModelServer.make(ModelServer.echo, { kept: 10 })
  const folder = yield* Command.folder({
    "data/settings.json": JSON.stringify({ titles: "message" }),
    "data/mcp.json": JSON.stringify({
      mcpServers: values.clients
        ? forClients(mark)
        : { ...ServerCast.PROGRAMS, [ServerCast.REMOTE]: { url: peer.url, timeout: 10_000 } }
    })
  })
  const gauge = join(folder, "gauge.jsonl")
  const server = yield* ChatServer.start(join(folder, "data"), {
    OPENAI_BASE_URL: `${model.url}/v1`,
    BOOCODE_MODEL: "openai/scripted",
    BOOCODE_GAUGE: gauge,
    NODE_OPTIONS: `${values.plain ? "" : FLAGS} --import ${pathToFileURL(GAUGE).href}`,
    ...values.plain ? {} : SETTINGS
  })
  yield* say(`the server is process ${server.pid}, its figures are in ${gauge}`)
  const processes = Processes.count(MARK, mark)
  const data = join(folder, "data")
  const env = { ...Command.COMPILED, HOME: folder, BOOCODE_STATE_DIR: join(folder, "state"), PATH: PATH ?? "" }
  const load = values.clients
    ? ClientLoad.make({ url: server.url, data, env, seed, findings })
    : ServerLoad.make(server, peer.pid, seed, findings)
  yield* ChatServer.until(server.get("/api/health"), ({ body }) => body["ready"] === true)
  const before = yield* processes
  // A load that ends by itself is an end without a verdict.
  yield* Effect.timeoutOption(Effect.all([load.run, telling(gauge, load)], { concurrency: 2 }), minutes * 60_000)
  const after = yield* ChatServer.until(processes, (count) => count === before)
  if (values.clients) yield* say(`processes of servers: ${before} before, ${after} after`)
  if (after !== before) findings.violated(`${after} processes of servers at the end, ${before} at the beginning`)
  const looks = Gauge.read(gauge)
  const code = yield* server.end("SIGTERM", "process")
  if (code !== 0) findings.violated(`the server ended with ${code}`)
  const judged = Report.judgeServer(looks, findings)
  yield* written(looks)
  const most = Math.max(...loads).toFixed(0)
  yield* say(`\n${Report.server(looks)}\n\n${Report.numbers(findings)}\nload of the machine at most ${most}\n${judged}`)
  yield* say(findings.violations.length === 0 ? `soak passed: seed ${seed}` : `soak failed: seed ${seed}`)
}).pipe(Effect.scoped)

main.pipe(NodeRuntime.runMain({
  teardown: (exit, onExit) => onExit(exit._tag === "Failure" || findings.violations.length > 0 ? 1 : 0)
}))
