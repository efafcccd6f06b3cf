/**
 * A fleet of one, two and three nodes on this machine, over one PostgreSQL: turns and rows per second, what a call takes at
 * the node that runs its server and at another one, and how soon everything goes on after a node was killed.
 * `node programs/Fleet.ts [--turns N] [--calls N]`, with the command to measure in `BOOCODE_TEST_COMMAND`.
 */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import * as ModelServer from "../../test/servers/ModelServer.ts"
import * as FixtureServer from "../../test/support/FixtureServer.ts"
import * as FleetNodes from "../../test/support/FleetNodes.ts"
import * as PartListener from "../../test/support/PartListener.ts"
import * as Postgres from "../../test/support/Postgres.ts"
import { say } from "../support/Program.ts"
import { percentile } from "../support/Samples.ts"

const { values } = parseArgs({
  options: { turns: { type: "string", default: "120" }, calls: { type: "string", default: "300" } }
})
const turns = Number(values.turns)
const calls = Number(values.calls)

const TURNS_AT_ONCE = 12
const IN_FLIGHT = 64
const ROUNDS = 10

/** `slow` says a word each 100 ms for 10 s, all else calls a tool once. */
const script: ModelServer.Script = ({ results, text }) =>
  text === "slow"
    ? Array.from({ length: 100 }, (_, at) => [ModelServer.text(`${at} `), ModelServer.wait(100)]).flat()
    : results.length === 0
    ? [ModelServer.call("patient_wait", { text, millis: 0 })]
    : [ModelServer.text("done")]

const each = <A, R = never>(count: number, atOnce: number, run: (at: number) => Effect.Effect<A, never, R>) =>
  Effect.forEach(Array.from({ length: count }, (_, at) => at), run, { concurrency: atOnce })

const timed = <A>(effect: Effect.Effect<A>) =>
  Effect.suspend(() => {
    const began = performance.now()
    return Effect.map(effect, (value) => ({ value, millis: performance.now() - began }))
  })

const program = Effect.gen(function*() {
  const postgres = yield* Postgres.start
  const model = yield* ModelServer.make(script, { kept: 10 })
  const fleet = yield* FleetNodes.make(yield* postgres.database, (folder) => {
    writeFileSync(join(folder, "data", "settings.json"), JSON.stringify({ titles: "message" }))
    return { patient: FixtureServer.entry("Patient") }
  })
  const start = fleet.node({ OPENAI_BASE_URL: `${model.url}/v1`, BOOCODE_MODEL: "openai/scripted" })
  const call = (node: FleetNodes.Node) =>
    Effect.map(FleetNodes.call(node, "patient_wait", { text: "x", millis: 0 }), ({ body }) => {
      if (body["text"] !== "waited for x") throw new Error(JSON.stringify(body))
    })
  const newChat = (node: FleetNodes.Node) => Effect.map(node.post("/api/chats"), ({ body }) => String(body["id"]))
  const turn = Effect.fnUntraced(function*(node: FleetNodes.Node, text: string) {
    const chat = yield* newChat(node)
    const parts = yield* Effect.flatMap(PartListener.send(node.url, chat, { text }), ({ end }) => end)
    const last = parts.at(-1)
    if (last?.type !== "finish" || last.reason !== "stop") throw new Error(`a turn ended with ${JSON.stringify(last)}`)
    return parts.length
  }, Effect.scoped)
  /** Both take turns, and each ratio is of one moment of the machine: the median of the differences is what a hop adds. */
  const latency = Effect.fnUntraced(function*(own: FleetNodes.Node, other: FleetNodes.Node) {
    yield* each(calls, 8, (at) => call(at % 2 === 0 ? own : other))
    const pairs = (count: number, run: (node: FleetNodes.Node) => Effect.Effect<number>) =>
      each(count, 1, (at) => {
        const [first, second] = at % 2 === 0 ? [own, other] : [other, own]
        return Effect.map(Effect.all([run(first), run(second)]), ([one, two]) => at % 2 === 0 ? [one, two] : [two, one])
      })
    const one = yield* pairs(calls, (node) => Effect.map(timed(call(node)), ({ millis }) => millis))
    const rounds = IN_FLIGHT * 4
    const many = yield* pairs(
      ROUNDS,
      (node) => Effect.map(timed(each(rounds, IN_FLIGHT, () => call(node))), ({ millis }) => millis / rounds)
    )
    const figures = (inFlight: number, all: ReadonlyArray<ReadonlyArray<number>>) => ({
      [`own ${inFlight}`]: percentile(all.map(([own = Number.NaN]) => own), 0.5),
      [`added ${inFlight}`]: percentile(all.map(([own = Number.NaN, other = Number.NaN]) => other - own), 0.5)
    })
    return { ...figures(1, one), ...figures(IN_FLIGHT, many) }
  })

  let nodes: ReadonlyArray<FleetNodes.Node> = []
  const figures: Array<Record<string, number>> = []
  for (const count of [1, 2, 3]) {
    const joined = yield* start
    nodes = [...nodes, joined]
    const owner = yield* FleetNodes.ownerOf(nodes, "patient")
    yield* Effect.forEach(nodes, (node) => FleetNodes.ready(node, "patient"))
    const spread = (total: number, text: string) =>
      each(total, TURNS_AT_ONCE, (at) => Effect.suspend(() => turn(nodes[at % count] ?? joined, `${text} ${at}`)))
    yield* spread(TURNS_AT_ONCE * 2, `warm ${count}`)
    const { millis, value } = yield* timed(spread(turns, `turn ${count}`))
    figures.push({
      [`turns ${count}`]: turns * 1000 / millis,
      [`rows ${count}`]: value.reduce((sum, parts) => sum + parts, 0) * 1000 / millis
    })
    if (count === 3 && owner !== undefined) {
      const other = nodes.find((node) => node !== owner)
      if (other !== undefined) figures.push(yield* latency(owner, other))
    }
  }

  const owner = yield* FleetNodes.ownerOf(nodes, "patient")
  const [left] = nodes.filter((node) => node !== owner)
  if (owner === undefined || left === undefined) throw new Error("no node runs the server")
  const listeners = yield* each(12, 4, (at) =>
    Effect.gen(function*() {
      const chat = yield* newChat(nodes[at % 3] ?? left)
      const listener = yield* PartListener.open(`${left.url}/api/chats/${chat}/events`)
      yield* PartListener.send(left.url, chat, { text: "slow" })
      yield* listener.until((parts) => parts.length > 3)
      return listener
    }))
  const killed = performance.now()
  yield* owner.end("SIGKILL", "process")
  // A call that was sent to the dead node fails, and is made again here as a person would.
  const again = yield* Effect.forkChild(timed(Effect.eventually(Effect.sandbox(call(left)))))
  const ends = yield* Effect.forEach(
    listeners,
    (listener) =>
      Effect.map(listener.until((parts) => parts.some(({ type }) => type === "finish")), (parts) => {
        const at = parts.findIndex((part) => part.type === "finish" && part.reason === "interrupted")
        return at < 0 ? [] : [(listener.times[at] ?? Number.NaN) - killed]
      }),
    { concurrency: "unbounded" }
  )
  const { millis } = yield* Fiber.join(again)
  return Object.assign({ "resume call": millis, "resume turn": Math.max(0, ...ends.flat()) }, ...figures)
})

say(await Effect.runPromise(Effect.scoped(program)))
