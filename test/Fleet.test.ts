import { assert, beforeAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import { join } from "node:path"
import { performance } from "node:perf_hooks"
import { afterAll } from "vitest"
import * as ChatServer from "./support/ChatServer.ts"
import * as Deadline from "./support/Deadline.ts"
import * as FixtureServer from "./support/FixtureServer.ts"
import * as FleetNodes from "./support/FleetNodes.ts"
import * as Postgres from "./support/Postgres.ts"
import * as Processes from "./support/Processes.ts"
import { sized } from "./support/Size.ts"

const scope = Scope.makeUnsafe()
let postgres: Postgres.Postgres

beforeAll(async () => {
  postgres = await Effect.runPromise(Scope.provide(Postgres.start, scope))
}, 120_000)

afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)), 60_000)

/** A fleet whose one server writes what its calls do into a file, and waits as long as it is told. */
const fleet = Effect.gen(function*() {
  const database = yield* postgres.database
  const mark = `fleet-${performance.now()}`
  let file = ""
  const made = yield* FleetNodes.make(database, (folder) => {
    file = join(folder, "calls")
    return { patient: { ...FixtureServer.entry("Patient", file), env: { FLEET_TEST: mark } } }
  })
  return { ...made, mark, lines: () => FleetNodes.lines(file) }
})

const wait = (node: FleetNodes.Node, text: string, millis: number) =>
  FleetNodes.call(node, "patient_wait", { text, millis })

/** Nodes that have the server ready, and which of them runs it. */
const up = Effect.fnUntraced(function*(nodes: ReadonlyArray<FleetNodes.Node>) {
  yield* Effect.forEach(nodes, (node) => FleetNodes.ready(node, "patient"), { concurrency: "unbounded" })
  const address = yield* FleetNodes.ownerOf(nodes[0]!, "patient")
  const owner = nodes.find((node) => node.address === address)
  const other = nodes.find((node) => node.address !== address)
  assert.isDefined(owner)
  assert.isDefined(other)
  return { owner: owner!, other: other! }
})

const untilLine = (lines: () => ReadonlyArray<string>, line: string) =>
  ChatServer.until(Effect.sync(lines), (all) => all.includes(line), Deadline.WAIT_MILLIS)

describe("Two nodes of a fleet", Deadline.TEST, () => {
  it.live("start a server once, and both call it", () =>
    Effect.gen(function*() {
      const { lines, mark, node } = yield* fleet
      const nodes = yield* Effect.all([node(), node()], { concurrency: 2 })
      yield* up(nodes)
      const answers = yield* Effect.forEach(nodes, (one, at) => wait(one, `${at}`, 0), { concurrency: 2 })
      assert.deepStrictEqual(answers.map(({ body }) => body["text"]), ["waited for 0", "waited for 1"])
      assert.deepStrictEqual(lines().filter((line) => line.startsWith("begins")).sort(), ["begins 0", "begins 1"])
      assert.lengthOf(Processes.alive("FLEET_TEST", mark), 1)
    }).pipe(Effect.scoped))

  it.live("send a call once when the one that runs the server is killed in the call", () =>
    Effect.gen(function*() {
      const { lines, mark, node } = yield* fleet
      let nodes = yield* Effect.all([node(), node()], { concurrency: 2 })
      for (let round = 0; round < sized(1, 100); round++) {
        const { other, owner } = yield* up(nodes)
        const call = yield* Effect.forkScoped(wait(other, `${round}`, 60_000))
        yield* untilLine(lines, `begins ${round}`)
        const killed = performance.now()
        yield* owner.end("SIGKILL", "process")
        const { body } = yield* Fiber.join(call)
        assert.strictEqual(body["_tag"], "OutcomeUnknown", JSON.stringify(body))
        const after = yield* wait(other, `after ${round}`, 0)
        assert.strictEqual(after.body["text"], `waited for after ${round}`, JSON.stringify(after))
        process.stderr.write(`moved after ${Math.round(performance.now() - killed)} ms\n`)
        assert.lengthOf(lines().filter((line) => line === `begins ${round}`), 1)
        assert.lengthOf(Processes.alive("FLEET_TEST", mark), 1)
        nodes = [other, yield* node()]
      }
    }).pipe(Effect.scoped))
})
