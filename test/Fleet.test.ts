import { assert, beforeAll, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import { execFile } from "node:child_process"
import * as path from "node:path"
import { performance } from "node:perf_hooks"
import { pathToFileURL } from "node:url"
import { promisify } from "node:util"
import { afterAll } from "vitest"
import * as ChatServer from "./support/ChatServer.ts"
import * as Command from "./support/Command.ts"
import * as Deadline from "./support/Deadline.ts"
import * as FixtureServer from "./support/FixtureServer.ts"
import * as FleetNodes from "./support/FleetNodes.ts"
import * as Postgres from "./support/Postgres.ts"
import * as Processes from "./support/Processes.ts"
import { IS_LONG, sized } from "./support/Size.ts"

/** A hundred deaths take a quarter of an hour. */
const TEST = { timeout: sized(Deadline.TEST.timeout, 3_600_000) }

const scope = Scope.makeUnsafe()
const MARK = `fleet-${process.pid}-${performance.now()}`
let postgres: Postgres.Postgres
let fleet: FleetNodes.Fleet
let nodes: ReadonlyArray<FleetNodes.Node> = []

/** Starts one more node, which lives until all tests are done. */
const join = (variables: Readonly<Record<string, string>> = {}) => Scope.provide(fleet.node(variables), scope)

/** A fleet of two nodes, whose one server writes what its calls do into a file, and waits as long as it is told. */
beforeAll(() =>
  Effect.runPromise(
    Effect.gen(function*() {
      postgres = yield* Postgres.start
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

const metrics = (node: FleetNodes.Node) => Effect.promise(async () => (await fetch(`${node.url}/metrics`)).text())

/** A server's process, on a machine that does other things as well. */
const START_MILLIS = 3000

/** Calls by a node, and waits until the call has begun at the server. */
const beginning = Effect.fnUntraced(function*(node: FleetNodes.Node, text: string, millis: number) {
  const call = yield* Effect.forkScoped(wait(node, text, millis))
  const lines = yield* ChatServer.until(
    Effect.sync(() => begun(text)),
    (lines) => lines.length > 0 || call.pollUnsafe() !== undefined
  )
  if (lines.length === 0) assert.fail(`it did not begin: ${JSON.stringify(call.pollUnsafe())}`)
  return call
})

/** The node that runs the server, and one that does not. */
const settled = Effect.gen(function*() {
  const owner = yield* FleetNodes.ownerOf(nodes, "patient")
  yield* Effect.forEach(nodes, (node) => FleetNodes.ready(node, "patient"), { concurrency: "unbounded" })
  const other = nodes.find((node) => node !== owner)
  return owner === undefined || other === undefined ? assert.fail("no node owns it") : { owner, other }
})

describe("Nodes of a fleet", TEST, () => {
  it.live("start a server once, and all call it as soon as they say that they are ready", () =>
    Effect.gen(function*() {
      const answers = yield* Effect.forEach(nodes, (node, at) =>
        ChatServer.until(node.get("/api/health?ready=1"), ({ status }) =>
          status === 200).pipe(
            Effect.andThen(wait(node, `${at}`, 0))
          ), { concurrency: 2 })
      assert.deepStrictEqual(
        answers.map(({ body }) =>
          body["text"]
        ),
        ["waited for 0", "waited for 1"]
      )
      yield* settled
      assert.lengthOf(Processes.alive("FLEET_TEST", MARK), 1)
    }))

  it.live("send a call once when the node that runs its server is killed, and go on with the next", () =>
    Effect.gen(function*() {
      const took: Array<number> = []
      for (let round = 1; round <= sized(1, 100); round++) {
        const { other, owner } = yield* settled
        const call = yield* beginning(other, `killed ${round}`, 60_000)
        const killedAt = performance.now()
        yield* owner.end("SIGKILL", "process")
        const { body } = yield* Fiber.join(call)
        assert.strictEqual(body["_tag"], "OutcomeUnknown", JSON.stringify(body))
        const after = yield* wait(other, `after ${round}`, 0)
        took.push(Math.round(performance.now() - killedAt))
        assert.strictEqual(after.body["text"], `waited for after ${round}`, JSON.stringify(after))
        assert.lengthOf(begun(`killed ${round}`), 1)
        assert.lengthOf(Processes.alive("FLEET_TEST", MARK), 1)
        nodes = [other, yield* join()]
      }
      const [slowest = 0] = took.toSorted((one, two) => two - one)
      // The server's own start is part of it.
      assert.isBelow(slowest, sized(Deadline.late(5000), 5000 + START_MILLIS), `it took ${took.join(", ")} ms`)
    }).pipe(Effect.scoped))

  it.live("give away what they own when an operator drains one, which is one of them again after a restart", () =>
    Effect.gen(function*() {
      const { other, owner } = yield* settled
      const call = yield* beginning(other, "while it is drained", 1500)
      const drained = yield* Command.run(["fleet", "drain", owner.address, "--wait", "--url", other.url])
      assert.include(drained.stdout, `${owner.address} owns nothing any more`, drained.stderr)
      assert.strictEqual((yield* Fiber.join(call)).body["text"], "waited for while it is drained")
      assert.strictEqual((yield* wait(owner, "by way of it", 0)).body["text"], "waited for by way of it")

      // Each node tells what it owns once a second.
      yield* ChatServer.until(FleetNodes.told(owner), (all) => all.some(({ shares }) => shares === 100))
      const listed: { nodes: ReadonlyArray<FleetNodes.Told> } = JSON.parse(
        (yield* Command.run(["fleet", "list", "--json", "--url", owner.url])).stdout
      )
      const shown = listed.nodes.map(({ address, servers, shares, state }) => ({ address, servers, shares, state }))
      assert.deepInclude(shown, { address: owner.address, servers: [], shares: 0, state: "drained" })
      assert.deepInclude(shown, { address: other.address, servers: ["patient"], shares: 100, state: "ready" })
      const [alive, unready, last] = yield* Effect.all([
        owner.get("/api/health"),
        owner.get("/api/health?ready=1"),
        owner.post("/api/fleet/drain", { node: other.address })
      ])
      assert.deepStrictEqual([alive.status, unready.status, last.status], [200, 503, 409])
      assert.deepStrictEqual([alive.body["status"], alive.body["ready"]], ["draining", false])
      const figures = yield* metrics(other)
      assert.match(figures, /^boocode_fleet_nodes\{state="drained"\} 1$/m)
      assert.match(figures, /^boocode_fleet_servers 1$/m)
      assert.match(figures, /^boocode_fleet_shares 100$/m)
      assert.match(figures, /^boocode_fleet_moves_total\{direction="in"\} [1-9]/m)

      yield* owner.end("SIGTERM", "process")
      nodes = [other, yield* join({ BOOCODE_FLEET_ADDRESS: owner.address })]
      assert.lengthOf(yield* FleetNodes.settled(nodes), 2)
    }).pipe(Effect.scoped))

  it.live("call while the database is away, and afterwards", () =>
    Effect.gen(function*() {
      const { other } = yield* settled
      const call = yield* beginning(other, "through", sized(1500, 8000))
      // Longer than a node believes without asking that nobody has to sign in.
      const without = yield* Effect.acquireUseRelease(
        postgres.kill,
        () => Effect.andThen(Effect.sleep(sized(1200, 5000)), wait(other, "without", 0)),
        () => postgres.revive
      )
      assert.strictEqual(without.body["text"], "waited for without", JSON.stringify(without))
      assert.strictEqual((yield* Fiber.join(call)).body["text"], "waited for through")
      assert.strictEqual((yield* wait(other, "again", 0)).body["text"], "waited for again")
      assert.lengthOf(begun("through"), 1)
    }).pipe(Effect.scoped))

  // It lasts longer than a lock. `owner/Schedules.test.ts` of the package has short ones by the thousand.
  if (IS_LONG) {
    it.live("run nothing twice when the node that runs their server stands still and goes on", () =>
      Effect.gen(function*() {
        const { other, owner } = yield* settled
        const before = yield* beginning(other, "before the standstill", 3000)
        yield* Effect.sync(() => process.kill(owner.pid, "SIGSTOP"))
        const during = yield* Effect.forkScoped(wait(other, "during the standstill", 0))
        yield* Effect.sleep(42_000)
        yield* Effect.sync(() => process.kill(owner.pid, "SIGCONT"))
        for (const call of [before, during]) {
          const { body } = yield* Fiber.join(call)
          assert.strictEqual(body["_tag"], "OutcomeUnknown", JSON.stringify(body))
        }
        const after = yield* wait(other, "after the standstill", 0)
        assert.strictEqual(after.body["text"], "waited for after the standstill", JSON.stringify(after))
        assert.lengthOf(begun("before the standstill"), 1)
        assert.lengthOf(begun("during the standstill"), 0)
        // What the node had started before ends now.
        const alive = Effect.sync(() => Processes.alive("FLEET_TEST", MARK))
        assert.lengthOf(yield* ChatServer.until(alive, ({ length }) => length === 1, Deadline.GONE_MILLIS), 1)
      }).pipe(Effect.scoped))
  }

  it.live("lose no call that ends within 8 s when the node that runs its server is told to end", () =>
    Effect.gen(function*() {
      const { other, owner } = yield* settled
      const call = yield* beginning(other, "drained", sized(2000, 7000))
      const tooLong = yield* beginning(other, "too long", sized(2000, 60_000))
      const byWay = yield* beginning(owner, "by way of the node that ends", 1500)
      const toldAt = performance.now()
      yield* owner.end("SIGTERM", "process")
      assert.isBelow(performance.now() - toldAt, sized(Deadline.late(10_000), 12_000))
      assert.strictEqual((yield* Fiber.join(call)).body["text"], "waited for drained")
      assert.strictEqual((yield* Fiber.join(byWay)).body["text"], "waited for by way of the node that ends")
      const { body } = yield* Fiber.join(tooLong)
      if (IS_LONG) assert.strictEqual(body["_tag"], "OutcomeUnknown", JSON.stringify(body))
      else assert.strictEqual(body["text"], "waited for too long")
      const after = yield* wait(other, "after the drain", 0)
      assert.strictEqual(after.body["text"], "waited for after the drain", JSON.stringify(after))
      for (const text of ["drained", "too long", "by way of the node that ends"]) assert.lengthOf(begun(text), 1)
      assert.lengthOf(Processes.alive("FLEET_TEST", MARK), 1)
      nodes = [other]
    }).pipe(Effect.scoped))

  // `FleetJoin.test.ts` of the package has another secret, and more.
  it.live("refuse one without a secret, and one whose variables make another server of the same entry", () =>
    Effect.gen(function*() {
      const refused = yield* Effect.forEach(
        [{ FLEET_SAME: "2" }, { BOOCODE_FLEET_SECRET: "" }],
        (variables) => Effect.flip(Effect.sandbox(join(variables))),
        { concurrency: "unbounded" }
      )
      const [servers, none] = refused.map((cause) => Cause.pretty(cause))
      assert.match(servers ?? "", /its variables make other servers of the same entries: patient/)
      assert.match(none ?? "", /BOOCODE_FLEET_SECRET is not set/)
    }))
})

describe("A server without a fleet", Deadline.TEST, () => {
  it.live("loads nothing of it", () =>
    Effect.gen(function*() {
      const loaded = yield* Effect.promise(() => execute(process.execPath, ["--input-type=module", "-e", LOADED]))
      const urls: ReadonlyArray<string> = JSON.parse(loaded.stdout)
      assert.isAbove(urls.filter((url) => url.includes("/chat-server/src/")).length, 50)
      assert.deepStrictEqual(
        urls.filter((url) => /mcp-fleet|\/src\/fleet\/|effect\/dist\/(cluster|rpc)\//.test(url)),
        []
      )
    }))
})

const execute = promisify(execFile)

/** Which modules `serve` loads before it serves. */
const LOADED = `
import { registerHooks } from "node:module"
const loaded = []
registerHooks({
  load: (url, context, next) => {
    loaded.push(url)
    return next(url, context)
  }
})
await import(${JSON.stringify(pathToFileURL(path.join(Command.CHECKOUT, "apps/chat-server/src/index.ts")).href)})
console.log(JSON.stringify(loaded))
`
