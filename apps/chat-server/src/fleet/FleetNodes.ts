/** The nodes of the fleet: what each owns, which of them give it away, and how this node ends. */
import { AwayDatabase } from "@boocode/chat"
import * as Clock from "effect/Clock"
import * as RunnerAddress from "effect/cluster/RunnerAddress"
import { RunnerStorage } from "effect/cluster/RunnerStorage"
import * as ShardId from "effect/cluster/ShardId"
import { Sharding } from "effect/cluster/Sharding"
import { ShardingConfig } from "effect/cluster/ShardingConfig"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import { FleetTrouble, FleetView, NODE_STATES, type NodeStatus } from "../telemetry/FleetView.ts"
import { FleetSettings } from "./FleetSettings.ts"
import { NodeLoad } from "./NodeLoad.ts"
import { type NodeRow, NodeTable } from "./NodeTable.ts"

const BEAT = "1 second"
/** A node whose row is older is not there any more. */
const GONE_SECONDS = 10
/** How long a node that ends waits for its calls, and for others to take what it owns. */
const LEAVING = "8 seconds"
const DATABASE_LIMIT = "2 seconds"

const GAUGES = {
  nodes: Metric.gauge("boocode_fleet_nodes", { description: "Nodes of the fleet, by state" }),
  servers: Metric.gauge("boocode_fleet_servers", { description: "Servers that this node runs for all nodes" }),
  chats: Metric.gauge("boocode_fleet_chats", { description: "Chats in use that are at home at this node" }),
  shares: Metric.gauge("boocode_fleet_shares", {
    description: "Shares of the fleet's servers and chats that this node owns, of 100"
  }),
  lag: Metric.gauge("boocode_fleet_database_lag_seconds", {
    description: "How long the database took to answer last, or has not answered since"
  })
}

const moves = Metric.counter("boocode_fleet_moves_total", {
  description: "Shares that came to this node or went from it, by direction",
  incremental: true
})

export const layer = Layer.effect(
  FleetView,
  Effect.gen(function*() {
    const table = yield* NodeTable
    const load = yield* NodeLoad
    const runners = yield* RunnerStorage
    const sharding = yield* Sharding
    const { shardsPerGroup } = yield* ShardingConfig
    const { host, port } = yield* FleetSettings
    const clock = yield* Clock.Clock
    const address = RunnerAddress.make(host, port)
    const all = Array.from({ length: shardsPerGroup }, (_, at) => ShardId.make("default", at + 1))

    let held: ReadonlySet<ShardId.ShardId> = new Set()
    let isJoined = false
    let isLeaving = false
    /** When the last beat began that the database has not answered, and how long it took for the one before. */
    let asked: number | null = null
    let took = 0

    const look = Effect.gen(function*() {
      const now = new Set(all.filter((shard) => sharding.hasShardId(shard)))
      const came = [...now].filter((shard) => !held.has(shard)).length
      const went = [...held].filter((shard) => !now.has(shard)).length
      held = now
      if (came > 0) yield* Metric.update(Metric.withAttributes(moves, { direction: "in" }), came)
      if (went > 0) yield* Metric.update(Metric.withAttributes(moves, { direction: "out" }), went)
    })
    const isDraining = () => table.isDraining(table.self)
    /** A database that was started again has forgotten them, and others take what nobody holds when this node ends. */
    const keepLocks = runners.refresh(address, [])
    const beat = Effect.gen(function*() {
      yield* look
      const began = clock.currentTimeMillisUnsafe()
      asked ??= began
      const wasDraining = isDraining()
      yield* keepLocks
      yield* table.beat({ servers: load.servers(), chats: load.chats(), shards: held.size })
      const healthy = (yield* runners.getRunners).filter(([, isHealthy]) => isHealthy).map(([runner]) => runner.address)
      took = clock.currentTimeMillisUnsafe() - began
      asked = null
      isJoined = healthy.some((one) => Equal.equals(one, address))
      if (!isDraining()) return
      if (!wasDraining && !isLeaving) {
        yield* Effect.logInfo("this node is drained: its servers and chats go to the others")
      }
      // Nobody could take what the last one owns.
      if (isJoined && healthy.length > 1) yield* runners.setRunnerHealth(address, false)
    }).pipe(
      Effect.timeout("5 seconds"),
      Effect.catchCause((cause) => Effect.logDebug("the table of nodes cannot be written", cause))
    )
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(beat, Effect.sleep(BEAT))))

    const nodes = Effect.gen(function*() {
      const rows = yield* AwayDatabase.patiently(table.all)
      const registered = new Map((yield* runners.getRunners).map(([{ address: { host, port } }, isHealthy]) => [
        `${host}:${port}`,
        isHealthy
      ]))
      return rows.map((row) => statusOf(row, registered.get(row.address) ?? null))
    }).pipe(
      Effect.timeout(DATABASE_LIMIT),
      Effect.mapError((error) =>
        trouble("database", `the database does not tell of the nodes: ${error.message}`, "see that PostgreSQL runs")
      )
    )
    const ready = Effect.map(nodes, (all) => all.filter(({ state }) => state === "ready"))
    const mark = (address: string) =>
      Effect.mapError(
        Effect.timeout(AwayDatabase.patiently(table.drain(address)), DATABASE_LIMIT),
        ({ message }) => trouble("database", `the node cannot be marked: ${message}`, "try again")
      )

    const ownsNothing = () =>
      load.servers().length === 0 && load.chats() === 0 && !all.some((shard) => sharding.hasShardId(shard))
    const isIdle = Effect.map(callsUnderWay, (calls) => calls === 0 && ownsNothing())
    const gone = Effect.gen(function*() {
      const others = (yield* ready).filter(({ address }) => address !== table.self)
      if (others.length === 0) return true
      isLeaving = true
      yield* keepLocks
      yield* mark(table.self)
      yield* beat
      while (!(yield* isIdle)) yield* Effect.sleep("100 millis")
      return true
    })

    return {
      standing: Effect.sync(() => isDraining() ? "draining" as const : isJoined ? "ok" as const : "joining" as const),
      nodes,
      drain: Effect.fnUntraced(function*(address) {
        const before = yield* nodes
        const node = before.find((one) => one.address === address && one.state !== "gone")
        if (node === undefined) {
          const nearest = before.filter(({ state }) => state !== "gone").map(({ address }) => address)
          return yield* trouble(
            "unknown",
            `no node has the address ${address}`,
            "boocode fleet list shows them",
            nearest
          )
        }
        if (!before.some((one) => one.state === "ready" && one.address !== address)) {
          return yield* trouble(
            "last",
            `${address} is the last node: nobody could take what it owns`,
            "start another first"
          )
        }
        yield* mark(address)
        return { ...node, state: "draining" as const }
      }),
      leave: gone.pipe(
        Effect.timeoutOrElse({ duration: LEAVING, orElse: () => Effect.succeed(false) }),
        // Without the database nobody takes anything, and what this node owns ends with it.
        Effect.catch(({ message }) => Effect.as(Effect.logWarning(message), true))
      ),
      measure: Effect.gen(function*() {
        yield* look
        yield* Metric.update(GAUGES.servers, load.servers().length)
        yield* Metric.update(GAUGES.chats, load.chats())
        yield* Metric.update(GAUGES.shares, held.size)
        const waited = asked === null ? 0 : clock.currentTimeMillisUnsafe() - asked
        yield* Metric.update(GAUGES.lag, Math.max(took, waited) / 1000)
        const known = yield* Effect.orElseSucceed(nodes, () => [])
        yield* Effect.forEach(NODE_STATES, (state) =>
          Metric.update(
            Metric.withAttributes(GAUGES.nodes, { state }),
            known.filter((node) => node.state === state).length
          ))
      })
    }
  })
)

/** `isHealthy` is null for a node that the engine does not know yet, and false for one that does not answer the others. */
const statusOf = (row: NodeRow, isHealthy: boolean | null): NodeStatus => {
  const { address, age, chats, draining, servers, shards, since, version } = row
  const isGone = age > GONE_SECONDS || (isHealthy === false && !draining)
  const ownsNothing = servers.length === 0 && chats === 0 && shards === 0
  const state = isGone
    ? "gone" as const
    : draining
    ? ownsNothing ? "drained" as const : "draining" as const
    : isHealthy === true
    ? "ready" as const
    : "joining" as const
  return {
    address,
    version,
    since,
    state,
    servers: isGone ? [] : servers,
    chats: isGone ? 0 : chats,
    shares: isGone ? 0 : shards
  }
}

const trouble = (
  kind: FleetTrouble["kind"],
  message: string,
  hint: string,
  nearest: ReadonlyArray<string> = []
) => new FleetTrouble({ kind, message, hint, nearest })

/** Calls of tools that this node made, wherever their servers run. */
const callsUnderWay = Effect.map(Metric.snapshot, (metrics) =>
  metrics.reduce(
    (sum, metric) =>
      metric.id === "mcp_tool_calls_in_flight" && metric.type === "Gauge" ? sum + Number(metric.state.value) : sum,
    0
  ))
