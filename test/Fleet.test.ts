import { assert, beforeAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
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
const MARK = `fleet-${process.pid}-${performance.now()}`
let fleet: FleetNodes.Fleet
let nodes: ReadonlyArray<FleetNodes.Node> = []

/** Starts one more node, which lives until all tests are done. */
const join = (variables: Readonly<Record<string, string>> = {}) => Scope.provide(fleet.node(variables), scope)

/** A fleet of two nodes, whose one server writes what its calls do into a file, and waits as long as it is told. */
beforeAll(() =>
  Effect.runPromise(
    Effect.gen(function*() {
      const postgres = yield* Postgres.start
      fleet = yield* FleetNodes.make(yield* postgres.database, (folder) => ({
        patient: {
          ...FixtureServer.entry("Patient", `${folder}/calls`),
          env: { FLEET_TEST: MARK, SAME: "${FLEET_SAME:-1}" }
        }
      }))
      nodes = yield* Effect.all([join(), join()], { concurrency: 2 })
    }).pipe(Scope.provide(scope))
  ), 120_000)

afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)), 60_000)

const wait = (node: FleetNodes.Node, text: string, millis: number) =>
  FleetNodes.call(node, "patient_wait", { text, millis })

const begun = (text: string) => FleetNodes.lines(`${fleet.folder}/calls`).filter((line) => line === `begins ${text}`)

/** Calls by a node, and waits until the call has begun at the server. */
const beginning = Effect.fnUntraced(function*(node: FleetNodes.Node, text: string, millis: number) {
  const call = yield* Effect.forkScoped(wait(node, text, millis))
  yield* ChatServer.until(Effect.sync(() => begun(text)), (lines) => lines.length > 0, Deadline.WAIT_MILLIS)
  return call
})

/** The node that runs the server, and one that does not. */
const settled = Effect.gen(function*() {
  yield* Effect.forEach(nodes, (node) => FleetNodes.ready(node, "patient"), { concurrency: "unbounded" })
  const addresses = yield* Effect.forEach(nodes, (node) => FleetNodes.ownerOf(node, "patient"))
  const owner = nodes.find((node) => node.address === addresses[0])
  const other = nodes.find((node) => node.address !== addresses[0])
  return owner === undefined || other === undefined ? assert.fail(`it runs on ${addresses}`) : { owner, other }
})

describe("Nodes of a fleet", Deadline.TEST, () => {
  it.live("start a server once, and all call it", () =>
    Effect.gen(function*() {
      yield* settled
      const answers = yield* Effect.forEach(nodes, (node, at) => wait(node, `${at}`, 0), { concurrency: 2 })
      assert.deepStrictEqual(answers.map(({ body }) => body["text"]), ["waited for 0", "waited for 1"])
      assert.lengthOf(Processes.alive("FLEET_TEST", MARK), 1)
    }))

  it.live("send a call once when the node that runs its server is killed, and go on with the next", () =>
    Effect.gen(function*() {
      for (let round = 1; round <= sized(1, 100); round++) {
        const { other, owner } = yield* settled
        const call = yield* beginning(other, `killed ${round}`, 60_000)
        const killedAt = performance.now()
        yield* owner.end("SIGKILL", "process")
        const { body } = yield* Fiber.join(call)
        assert.strictEqual(body["_tag"], "OutcomeUnknown", JSON.stringify(body))
        const after = yield* wait(other, `after ${round}`, 0)
        assert.strictEqual(after.body["text"], `waited for after ${round}`, JSON.stringify(after))
        assert.isBelow(performance.now() - killedAt, Deadline.late(5000))
        assert.lengthOf(begun(`killed ${round}`), 1)
        assert.lengthOf(Processes.alive("FLEET_TEST", MARK), 1)
        nodes = [other, yield* join()]
      }
    }).pipe(Effect.scoped))

  it.live("lose no call that ends within 8 s when the node that runs its server is told to end", () =>
    Effect.gen(function*() {
      const { other, owner } = yield* settled
      const call = yield* beginning(other, "drained", 3000)
      yield* owner.end("SIGTERM", "process")
      const { body } = yield* Fiber.join(call)
      assert.strictEqual(body["text"], "waited for drained", JSON.stringify(body))
      const after = yield* wait(other, "after the drain", 0)
      assert.strictEqual(after.body["text"], "waited for after the drain", JSON.stringify(after))
      assert.lengthOf(Processes.alive("FLEET_TEST", MARK), 1)
      nodes = [other]
    }).pipe(Effect.scoped))

  it.live("refuse one whose variables make another server of the same entry", () =>
    Effect.gen(function*() {
      const refused = yield* Effect.flip(Effect.sandbox(join({ FLEET_SAME: "2" })))
      assert.match(String(refused.reasons[0]), /its variables make other servers of the same entries: patient/)
    }))

  it.live("refuse one with another secret", () =>
    Effect.gen(function*() {
      const refused = yield* Effect.flip(Effect.sandbox(join({ BOOCODE_FLEET_SECRET: "b".repeat(32) })))
      assert.match(String(refused.reasons[0]), /its BOOCODE_FLEET_SECRET is not that of the other nodes/)
    }))
})
