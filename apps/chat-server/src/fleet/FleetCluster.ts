/** The engine of a fleet: who is a node, which of them owns what, and the messages between them, over PostgreSQL and TLS. */
import { FleetJoin, NeighbourWatch } from "@boocode/mcp-fleet"
import * as RunnerAddress from "effect/cluster/RunnerAddress"
import * as RunnerHealth from "effect/cluster/RunnerHealth"
import * as Runners from "effect/cluster/Runners"
import * as ShardingConfig from "effect/cluster/ShardingConfig"
import * as SocketRunner from "effect/cluster/SocketRunner"
import * as SqlMessageStorage from "effect/cluster/SqlMessageStorage"
import * as SqlRunnerStorage from "effect/cluster/SqlRunnerStorage"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as RpcSerialization from "effect/rpc/RpcSerialization"
import * as Schedule from "effect/Schedule"
import * as Postgres from "../database/Postgres.ts"
import { FleetSettings } from "./FleetSettings.ts"
import * as FleetTransport from "./FleetTransport.ts"
import { NodeTable } from "./NodeTable.ts"
import * as PatientLocks from "./PatientLocks.ts"

/** More would make every change of owners dearer; a hundred spread well over tens of nodes. */
const SHARDS = 100

const timing = {
  shardsPerGroup: SHARDS,
  // The detection of a dead node: a ping of each, then the next look at who is healthy.
  runnerHealthCheckInterval: "2 seconds",
  refreshAssignmentsInterval: "1 second",
  // The time in which a node that ends may finish its calls.
  entityTerminationTimeout: "8 seconds"
} as const

/** A node that answers neither of two pings is taken for dead, and so is one that gives away what it owns. */
const health = Layer.effect(
  RunnerHealth.RunnerHealth,
  Effect.gen(function*() {
    const runners = yield* Runners.Runners
    const { isDraining } = yield* NodeTable
    const answers = (address: RunnerAddress.RunnerAddress) =>
      runners.ping(address).pipe(
        Effect.timeout("3 seconds"),
        Effect.retry({ times: 1, schedule: Schedule.spaced("300 millis") }),
        Effect.isSuccess
      )
    return RunnerHealth.RunnerHealth.of({
      isAlive: (address) => isDraining(`${address.host}:${address.port}`) ? Effect.succeed(false) : answers(address)
    })
  })
).pipe(Layer.provide(Runners.layerRpc), Layer.provide(FleetTransport.client))

const watch = Layer.unwrap(
  Effect.map(FleetSettings, ({ host, port }) => NeighbourWatch.layer(RunnerAddress.make(host, port)))
)

const config = Layer.unwrap(
  Effect.map(
    FleetSettings,
    ({ host, port }) => ShardingConfig.layer({ ...timing, runnerAddress: Option.some(RunnerAddress.make(host, port)) })
  )
)

/** Tables of the engine's own, and a pool of its own: one connection of it holds the locks. */
const storage = Layer.merge(SqlMessageStorage.layer, Layer.provide(PatientLocks.layer, SqlRunnerStorage.layer)).pipe(
  Layer.provideMerge(Layer.unwrap(Effect.map(FleetSettings, ({ database }) => Postgres.layerPool(database))))
)

/** Before anything is registered or asked of another node. */
const joining = Layer.effectDiscard(Effect.flatMap(FleetSettings, ({ secret }) => FleetJoin.check(secret)))

/** This node in its fleet. Closing it hands everything that it owns to the others. */
export const layer = Layer.merge(SocketRunner.layer, watch).pipe(
  Layer.provide([FleetTransport.server, FleetTransport.client, health]),
  Layer.provideMerge(NodeTable.layer),
  Layer.provide(joining),
  Layer.provideMerge(storage),
  Layer.provideMerge(config),
  Layer.provide(RpcSerialization.layerSchemaBinary()),
  Layer.provideMerge(FleetSettings.layer)
)
