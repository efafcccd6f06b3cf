/**
 * The MCP servers for a person. Nothing here has `McpRegistry` in its context: what lists or calls tools runs within `seeing`, and what
 * changes servers within `managing`. Leaving both out is a type error.
 */
import { McpRegistry, SeenRegistry } from "@boocode/mcp-registry"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { CurrentUser, isAlone, type User } from "./CurrentUser.ts"

type Registry = McpRegistry["Service"]

/** Every server, whoever it is for: what admins manage, and what the program does for nobody. */
export class AllServers extends Context.Service<AllServers, Registry>()("chat/AllServers") {}

/** The servers as people see them. */
export class SeenServers extends Context.Service<SeenServers, {
  /**
   * Those whose `for` names the person, or that have none. The same registry for the same person: what is known of them newly holds for all that has it.
   * On a server of one person it is that of everything.
   */
  readonly of: (user: User) => Effect.Effect<Registry>
  /** Forgets somebody who is gone. */
  readonly forget: (id: string) => Effect.Effect<void>
}>()("chat/SeenServers") {
  /** Both, over one registry. */
  static readonly layer: Layer.Layer<AllServers | SeenServers, never, McpRegistry> = Layer.effectContext(
    Effect.map(McpRegistry, (all) => Context.make(AllServers, all).pipe(Context.add(SeenServers, make(all))))
  )
}

interface Seen {
  user: User
  readonly registry: Registry
}

const make = (all: Registry): SeenServers["Service"] => {
  const people = new Map<string, Seen>()
  return {
    of: (user) =>
      Effect.sync(() => {
        if (isAlone(user)) return all
        const known = people.get(user.id)
        if (known !== undefined) {
          known.user = user
          return known.registry
        }
        const seen: Seen = { user, registry: SeenRegistry.make(all, () => seen.user) }
        people.set(user.id, seen)
        return seen.registry
      }),
    forget: (id) => Effect.sync(() => void people.delete(id))
  }
}

/** The servers that the person of this request, command or turn sees. */
export const seen: Effect.Effect<Registry, never, CurrentUser | SeenServers> = Effect.flatMap(
  CurrentUser,
  (user) => Effect.flatMap(SeenServers, ({ of }) => of(user))
)

/** Runs with the servers that the person sees. */
export const seeing = <A, E, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E, Exclude<R, McpRegistry> | CurrentUser | SeenServers> =>
  Effect.provideServiceEffect(effect, McpRegistry, seen)

/** Runs with every server. */
export const managing = <A, E, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E, Exclude<R, McpRegistry> | AllServers> =>
  Effect.provideServiceEffect(effect, McpRegistry, AllServers)

/** Shows servers as lists: an admin sees those that they manage, so all of them. */
export const listing = <A, E, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E, Exclude<R, McpRegistry> | AllServers | CurrentUser | SeenServers> =>
  Effect.flatMap(
    CurrentUser,
    ({ role }): Effect.Effect<A, E, Exclude<R, McpRegistry> | AllServers | CurrentUser | SeenServers> =>
      role === "admin" ? managing(effect) : seeing(effect)
  )
