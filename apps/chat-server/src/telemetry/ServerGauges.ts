/** The MCP servers as figures: how many are in each state, how many tools each has, and how often each was restarted. */
import { McpRegistries, type ServerStatus } from "@boocode/mcp-registry"
import { ServerState } from "@boocode/mcp-registry/Schemas"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"

const states = Metric.gauge("mcp_servers", { description: "MCP servers, by state" })

const tools = Metric.gauge("mcp_server_tools", { description: "Tools that a server offers, by server" })

const restarts = Metric.counter("mcp_server_restarts_total", {
  description: "How often the process of a server was started again after it had died, by server",
  incremental: true
})

const instances = Metric.gauge("mcp_server_instances", {
  description: "How many people's servers of a personal entry run, by server"
})

/** The servers of a personal entry are in states of their own, one for each person. */
const PERSONAL = "personal"

const stateOf = ({ sharing, state }: ServerStatus): string => sharing === PERSONAL ? PERSONAL : state

/** Each label costs memory, and anybody may add servers. */
const MAX_SERVERS = 250

export class ServerGauges extends Context.Service<ServerGauges, {
  readonly measure: Effect.Effect<void>
}>()("chat-server/ServerGauges") {
  static readonly layer = Layer.effect(
    ServerGauges,
    Effect.gen(function*() {
      const { shared: registry } = yield* McpRegistries
      const before = new Map<string, number>()
      const told = Effect.fnUntraced(
        function*({ name, restarts: now, sharing, tools: count, ...status }: ServerStatus) {
          const last = before.get(name) ?? 0
          before.set(name, now)
          const labelled = { server: name }
          if (sharing === PERSONAL) {
            yield* Metric.update(Metric.withAttributes(instances, labelled), status.instances ?? 0)
            return yield* Metric.remove(Metric.withAttributes(tools, labelled))
          }
          yield* Metric.remove(Metric.withAttributes(instances, labelled))
          yield* Metric.update(Metric.withAttributes(tools, labelled), count)
          // A server whose entry changed counts anew.
          yield* Metric.update(Metric.withAttributes(restarts, { server: name }), now < last ? now : now - last)
        }
      )
      const forgotten = (name: string) =>
        Effect.suspend(() => {
          before.delete(name)
          return Effect.forEach([tools, instances], (gauge) =>
            Metric.remove(Metric.withAttributes(gauge, { server: name })), { discard: true })
        })
      return ServerGauges.of({
        measure: Effect.gen(function*() {
          const all = yield* registry.servers
          const shown = all.slice(0, MAX_SERVERS)
          const names = new Set(shown.map(({ name }) => name))
          yield* Effect.forEach([...before.keys()].filter((name) => !names.has(name)), forgotten)
          yield* Effect.forEach(shown, told)
          yield* Effect.forEach([...ServerState.literals, PERSONAL], (state) =>
            Metric.update(
              Metric.withAttributes(states, { state }),
              all.filter((server) => stateOf(server) === state).length
            ))
        })
      })
    })
  )
}
