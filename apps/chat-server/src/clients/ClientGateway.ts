/** The MCP server of this program: the tools of all servers, for the clients that people have. */
import { FIRST, Questions } from "@boocode/chat"
import { type ClientStatus, type Gateway, KeptLists, McpGateway } from "@boocode/mcp-gateway"
import { McpRegistries, McpRegistry } from "@boocode/mcp-registry"
import { Sandbox } from "@boocode/toolkit/code"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as PubSub from "effect/PubSub"
import * as RcMap from "effect/RcMap"
import * as Stream from "effect/Stream"
import { DataFolder } from "../settings/DataFolder.ts"
import * as ClientGate from "./ClientGate.ts"
import { ClientProfiles } from "./ClientProfiles.ts"

export class ClientGateway extends Context.Service<ClientGateway, {
  /**
   * Runs a request at the gateway of one person: their clients, the registry as they have it, and the lists that their clients
   * were given. It ends some time after the last of their clients.
   */
  readonly use: <A, E, R>(
    person: string,
    request: (gateway: Gateway) => Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E, R>
  /** Everybody's, in the order of the people and then in which they came. */
  readonly clients: Gateway["clients"]
  readonly changes: Gateway["changes"]
  readonly end: Gateway["end"]
}>()("chat-server/ClientGateway") {
  /** Its clients end with the scope. Those of a profile that changes end as well, and come back to what it says then. */
  static readonly layer = Layer.effect(
    ClientGateway,
    Effect.gen(function*() {
      const { address } = yield* HttpServer.HttpServer
      const { changed } = yield* ClientProfiles
      const { host } = yield* Questions
      const registries = yield* McpRegistries
      const gate = yield* ClientGate.make(`${HttpServer.formatAddress(address)}/#/settings/clients`)
      const lists = yield* KeptLists.inFile((yield* Path.Path).join((yield* DataFolder).state, "client-lists.json"))
      const sandbox = yield* Sandbox
      const told = yield* PubSub.sliding<void>(1)
      const open = new Map<string, Gateway>()
      const begun = Effect.fnUntraced(function*(person: string) {
        const gateway = yield* McpGateway.make({
          gate,
          lists: listsOf(lists, person),
          sandbox,
          substitute: ({ id }) => ({ ...host, audience: id })
        }).pipe(Effect.provideService(McpRegistry, yield* registries.of(person)))
        yield* Effect.acquireRelease(
          Effect.sync(() => void open.set(person, gateway)),
          () => Effect.sync(() => void open.delete(person))
        )
        yield* Effect.forkScoped(followed(person, gateway))
        return gateway
      })
      const gateways = yield* RcMap.make({ lookup: begun, idleTimeToLive: LIFE })
      /** Those that have clients, which need not be held for each request: that takes longer than all guards before it. */
      const held = new Map<string, Gateway>()
      const hold = Effect.fnUntraced(function*(person: string) {
        const gateway = yield* RcMap.get(gateways, person)
        yield* Effect.acquireRelease(
          Effect.sync(() => void held.set(person, gateway)),
          () => Effect.sync(() => void held.delete(person))
        )
        return yield* Effect.never
      })
      /** Tells of each change, and holds the gateway while it has clients. */
      const followed = (person: string, { changes }: Gateway): Effect.Effect<void> =>
        Stream.mapEffect(changes, ({ length }) => Effect.as(PubSub.publish(told, undefined), length > 0)).pipe(
          Stream.changes,
          Stream.switchMap((hasClients) => hasClients ? Stream.fromEffect(Effect.scoped(hold(person))) : Stream.empty),
          Stream.runDrain
        )
      const clients = Effect.suspend(() =>
        Effect.map(
          Effect.forEach([...open.values()], (gateway) => gateway.clients),
          (lists): ReadonlyArray<ClientStatus> => lists.flat()
        )
      )
      // No two clients have the same id.
      const end = (id: string) =>
        Effect.map(
          Effect.suspend(() => Effect.forEach([...open.values()], (gateway) => gateway.end(id))),
          (ended) => ended.includes(true)
        )
      const endThose = Effect.fnUntraced(function*(profiles: ReadonlySet<string>) {
        const theirs = (yield* clients).filter(({ profileName }) => profiles.has(profileName))
        yield* Effect.forEach(theirs, ({ id }) => end(id), { discard: true })
      })
      yield* Effect.forkScoped(Stream.runForEach(changed, endThose))
      return ClientGateway.of({
        use: (person, request) =>
          Effect.suspend(() => {
            const gateway = held.get(person)
            return gateway === undefined
              ? Effect.scoped(Effect.flatMap(RcMap.get(gateways, person), request))
              : request(gateway)
          }),
        clients,
        changes: Stream.mapEffect(
          Stream.concat(Stream.succeed(undefined), Stream.fromPubSub(told)),
          () => clients
        ),
        end
      })
    })
  )
}

/** Longer than a client that sends nothing is kept. */
const LIFE = Duration.minutes(35)

/** The lists that clients of one person were given last are nobody else's. */
const listsOf = ({ recall, remember }: KeptLists.KeptLists, person: string): KeptLists.KeptLists => {
  const own = (kind: string) => person === FIRST.id ? kind : `${person} ${kind}`
  return { recall: (kind) => recall(own(kind)), remember: (kind, tools) => remember(own(kind), tools) }
}
