/**
 * A chat server under load beside servers that are frozen and killed, and the memory it needs: `ServerSoak.ts
 * [--minutes 60] [--seed N] [--out FOLDER]`. Ends with a verdict, and with exit code 1 when it needs too much.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { randomInt } from "node:crypto"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { parseArgs } from "node:util"
import * as ModelServer from "../servers/ModelServer.ts"
import * as ChatServer from "../support/ChatServer.ts"
import * as Command from "../support/Command.ts"
import { Findings } from "./Findings.ts"
import * as Gauge from "./Gauge.ts"
import { HttpPeer } from "./HttpPeer.ts"
import * as Plot from "./Plot.ts"
import * as Report from "./Report.ts"
import * as ServerCast from "./ServerCast.ts"
import * as ServerLoad from "./ServerLoad.ts"

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "60" },
    seed: { type: "string", default: String(randomInt(1_000_000)) },
    out: { type: "string", default: "" },
    // As `pnpm start` has it.
    "node-options": { type: "string", default: "--max-semi-space-size=16" }
  }
})
const seed = Number(values.seed)
const minutes = Number(values.minutes)
if (!Number.isInteger(seed) || !(minutes > 0)) {
  process.stderr.write("--seed is a whole number, --minutes more than 0\n")
  process.exit(2)
}

const say = (line: string) => Effect.sync(() => void process.stdout.write(`${line}\n`))
const findings = new Findings(seed, ({ what }) => process.stdout.write(`VIOLATED: ${what}\n`))
const GAUGE = fileURLToPath(new URL("Gauge.ts", import.meta.url))

const main = Effect.gen(function*() {
  yield* say(`seed ${seed}, ${minutes} minutes, Node ${process.versions.node}`)
  const peer = yield* Effect.acquireRelease(Effect.sync(() => new HttpPeer()), ({ kill }) => kill)
  yield* peer.ensure
  const model = yield* ModelServer.make(ModelServer.echo, { kept: 10 })
  const folder = yield* Command.folder({
    "data/settings.json": JSON.stringify({ titles: "message" }),
    "data/mcp.json": JSON.stringify({
      mcpServers: { ...ServerCast.PROGRAMS, [ServerCast.REMOTE]: { url: peer.url, timeout: 10_000 } }
    })
  })
  const gauge = join(folder, "gauge.jsonl")
  const server = yield* ChatServer.start(join(folder, "data"), {
    OPENAI_BASE_URL: `${model.url}/v1`,
    BOOCODE_MODEL: "openai/scripted",
    BOOCODE_GAUGE: gauge,
    NODE_OPTIONS: `${values["node-options"]} --import ${pathToFileURL(GAUGE).href}`
  })
  yield* say(`the server is process ${server.pid}, its figures are in ${gauge}`)
  const load = ServerLoad.make(server, peer.pid, seed, findings)
  const fiber = yield* Effect.forkScoped(load.run)
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(
    Effect.sleep("30 seconds"),
    Effect.suspend(() =>
      say(
        `${JSON.stringify(Gauge.read(gauge).at(-1))} frozen ${load.frozen()} away ${JSON.stringify(load.away)} ${
          [...findings.counts].join(" ")
        }`
      )
    )
  )))
  yield* Effect.sleep(minutes * 60_000)
  yield* Fiber.interrupt(fiber)
  const code = yield* server.end("SIGTERM", "process")
  if (code !== 0) findings.violated(`the server ended with ${code}`)
  const looks = Gauge.read(gauge)
  yield* say(Report.server(looks, findings))
  if (values.out !== "") {
    mkdirSync(values.out, { recursive: true })
    writeFileSync(join(values.out, "server-memory.json"), JSON.stringify(looks))
    writeFileSync(join(values.out, "server-memory.svg"), Plot.svg(looks))
  }
}).pipe(Effect.scoped)

main.pipe(NodeRuntime.runMain({
  teardown: (exit, onExit) => onExit(exit._tag === "Failure" || findings.violations.length > 0 ? 1 : 0)
}))
