/**
 * Servers that come and go, crash, hang and are killed under one program, for a given time: `Soak.ts [--minutes 20]
 * [--seed N] [--keep-going] [--leak process|handle|fiber|rejection]`. Needs `--expose-gc`. Ends with a verdict, and with
 * exit code 1 when an invariant was violated.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { randomInt, randomUUID } from "node:crypto"
import { parseArgs } from "node:util"
import * as Actions from "./Actions.ts"
import * as Census from "./Census.ts"
import * as Dice from "./Dice.ts"
import { Findings } from "./Findings.ts"
import { HttpPeer } from "./HttpPeer.ts"
import * as Leaks from "./Leaks.ts"
import { Operations } from "./Operations.ts"
import * as Report from "./Report.ts"
import * as Watch from "./Watch.ts"
import * as World from "./World.ts"

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "20" },
    seed: { type: "string", default: String(randomInt(1_000_000)) },
    leak: { type: "string", default: "none" },
    "keep-going": { type: "boolean", default: false }
  }
})
const seed = Number(values.seed)
const seconds = 60 * Number(values.minutes)
const { leak } = values
if (!Number.isInteger(seed) || !(seconds > 0) || !Leaks.isLeak(leak)) {
  process.stderr.write(`--seed is a whole number, --minutes more than 0, --leak one of ${Leaks.names.join(", ")}\n`)
  process.exit(2)
}

const MB = 1024 * 1024
const say = (line: string) => Effect.sync(() => void process.stdout.write(`${line}\n`))

const findings = new Findings(seed, ({ history, step, what }) => {
  process.stdout.write(`VIOLATED, seed ${seed}, step ${step}: ${what}\n  ${history.join("\n  ")}\n`)
})
process.on("unhandledRejection", (error) => findings.violated(`unhandled rejection: ${shown(error)}`))
process.on("uncaughtException", (error) => findings.violated(`uncaught exception: ${shown(error)}`))

const shown = (error: unknown) => error instanceof Error ? error.stack ?? error.message : String(error)

const operations = new Operations(findings)
const samples: Array<Report.Sample> = []
const heaps: Array<number> = []
let mark = ""

let until = Number.POSITIVE_INFINITY
const isOver = () => performance.now() > until || (findings.violations.length > 0 && !values["keep-going"])

/** Takes a sample every few seconds until interrupted. */
const sampler = Effect.sync(() => {
  samples.push({
    seconds: (performance.now() - findings.started) / 1000,
    heap: Census.heap() / MB,
    rss: process.memoryUsage().rss / MB,
    handles: Census.total(Census.handles()),
    processes: mark === "" ? 0 : Census.processes(mark, []).length
  })
}).pipe(Effect.andThen(Effect.sleep(Math.min(5000, 500 + seconds * 20))), Effect.forever)

interface Round {
  readonly steps: number
  /** Which servers may take part. */
  readonly among: RegExp
  readonly leak: Leaks.Leak
}

const USUAL: Round = { steps: Number.POSITIVE_INFINITY, among: /./, leak }
const WARM_UP: Round = { steps: 5, among: /^(echo|web)$/, leak: "none" }

/** One registry: built, used and abused, taken down in the middle of it. */
const round = (peer: HttpPeer, kind: Round) =>
  Effect.gen(function*() {
    yield* peer.ensure
    mark = randomUUID()
    const dice = Dice.make(seed, findings.step)
    const world = yield* World.open(mark, dice, kind.among, peer, findings)
    const stage = { world, operations, findings, peer }
    const watch = yield* Effect.forkDetach(Watch.run(world, operations, findings))
    yield* Leaks.leak(kind.leak, mark)
    const [steps, isRecovery] = [Math.min(kind.steps, 10 + dice.below(150)), dice.chance(0.25)]
    for (let index = 0; index < steps && !isOver(); index++) {
      findings.step += 1
      const thrown = Dice.make(seed, findings.step)
      yield* Effect.sleep(thrown.below(70))
      yield* Actions.act(stage, thrown)
    }
    if (isRecovery && !isOver()) yield* Actions.recover(stage)
    yield* Fiber.interrupt(watch)
    yield* World.teardown(world, operations, findings)
  }).pipe(Effect.scoped)

interface Level {
  readonly handles: Readonly<Record<string, number>>
  readonly fibers: number
}

/** Some fibers end by themselves a moment later. */
const SPARE_FIBERS = 5

/** What is more than it was, once it had two seconds to go. */
const grown = Effect.fnUntraced(function*(before: Level) {
  let more = Census.more(before.handles, Census.handles())
  for (let looks = 0; more.length > 0 && looks < 10; looks++) {
    yield* Effect.sleep("200 millis")
    more = Census.more(before.handles, Census.handles())
  }
  const fibers = Census.fibers()
  return fibers > before.fibers + SPARE_FIBERS ? [...more, `fibers: ${before.fibers} before, ${fibers} now`] : more
})

const main = Effect.gen(function*() {
  yield* say(`seed ${seed}, ${seconds} s, Node ${process.versions.node}`)
  const peer = yield* Effect.acquireRelease(Effect.sync(() => new HttpPeer()), ({ kill }) => kill)
  yield* Effect.forkScoped(sampler)
  yield* round(peer, WARM_UP)
  yield* peer.ensure
  // What is there for good after the first registry is what there may be after each.
  yield* Effect.sleep("1 second")
  const before: Level = { handles: Census.handles(), fibers: Census.fibers() }
  until = performance.now() + seconds * 1000
  do {
    yield* round(peer, USUAL)
    yield* peer.ensure
    for (const more of yield* grown(before)) findings.violated(`left after a teardown: ${more}`)
    heaps.push(Census.heap())
  } while (!isOver())
  const heap = Report.judge(heaps, findings)
  yield* say(`\n${Report.samples(samples)}\n\n${Report.numbers(findings)}\n${heap}\n${Report.verdict(findings)}`)
}).pipe(Effect.scoped)

main.pipe(NodeRuntime.runMain({
  teardown: (exit, onExit) => {
    // Whatever leaked must not keep the program from ending.
    onExit(exit._tag === "Failure" || findings.violations.length > 0 ? 1 : 0)
    process.exit()
  }
}))
