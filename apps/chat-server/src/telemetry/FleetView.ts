/** The fleet as an operator sees it. This file loads nothing of a fleet: a server alone has the value null. */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"

/** A node of the fleet, as it was seen last. */
export interface NodeStatus {
  /** `HOST:PORT`, where the other nodes reach it. */
  readonly address: string
  readonly version: string
  /** When it joined. */
  readonly since: string
  readonly state: NodeState
  /** The names of the servers that it runs for all nodes. */
  readonly servers: ReadonlyArray<string>
  /** How many chats are at home there and in use. */
  readonly chats: number
  /** How many of the 100 shares of all servers and chats it owns, used or not. */
  readonly shares: number
}

export const NODE_STATES = ["ready", "joining", "draining", "drained", "gone"] as const
export type NodeState = typeof NODE_STATES[number]

/** A request about the fleet that cannot be done. */
export class FleetTrouble extends Data.TaggedError("FleetTrouble")<{
  readonly kind: "unknown" | "last" | "database"
  readonly message: string
  readonly hint: string
  /** Addresses that may be meant. */
  readonly nearest: ReadonlyArray<string>
}> {}

export class FleetView extends Context.Reference<
  {
    /** Whether load balancers may send requests here. */
    readonly standing: Effect.Effect<"ok" | "joining" | "draining">
    /** Every node, by address. */
    readonly nodes: Effect.Effect<ReadonlyArray<NodeStatus>, FleetTrouble>
    /** The node gives away what it owns and takes nothing, until it is started again. Refused for the last one. */
    readonly drain: (address: string) => Effect.Effect<NodeStatus, FleetTrouble>
    /**
     * Gives away all that this node owns, because it ends. Waits until that is done and no call of this node is under way,
     * 8 s at most; gives whether it is done. A node that is alone gives away nothing.
     */
    readonly leave: Effect.Effect<boolean>
    /** Brings the gauges up to date. */
    readonly measure: Effect.Effect<void>
  } | null
>("chat-server/FleetView", { defaultValue: () => null }) {}
