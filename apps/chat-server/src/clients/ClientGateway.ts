/** The MCP server of this program: the tools of all servers, for the clients that a person has. */
import { managing, Questions } from "@boocode/chat"
import { type Gateway, KeptLists, McpGateway, type PlainRequest } from "@boocode/mcp-gateway"
import { Sandbox } from "@boocode/toolkit/code"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Stream from "effect/Stream"
import { DataFolder } from "../settings/DataFolder.ts"
import type { SeenCaller } from "./ClientCaller.ts"
import * as ClientGate from "./ClientGate.ts"
import { ClientProfiles } from "./ClientProfiles.ts"

/** The gateway, which takes no request without the servers that its person sees. */
export interface PeopleGateway extends Pick<Gateway, "changes" | "clients" | "end"> {
  readonly answer: (request: PlainRequest, caller: SeenCaller) => ReturnType<Gateway["answer"]>
}

export class ClientGateway extends Context.Service<ClientGateway, PeopleGateway>()("chat-server/ClientGateway") {
  /** Its clients end with the scope. Those of a profile that changes end as well, and come back to what it says then. */
  static readonly layer = Layer.effect(
    ClientGateway,
    Effect.gen(function*() {
      const { address } = yield* HttpServer.HttpServer
      const { changed } = yield* ClientProfiles
      const { host } = yield* Questions
      const gate = yield* ClientGate.make(`${HttpServer.formatAddress(address)}/#/settings/clients`)
      const lists = yield* KeptLists.inFile((yield* Path.Path).join((yield* DataFolder).state, "client-lists.json"))
      const sandbox = yield* Sandbox
      const gateway = yield* managing(McpGateway.make({
        gate,
        lists,
        sandbox,
        substitute: ({ id }) => ({ ...host, audience: id })
      }))
      const endThose = Effect.fnUntraced(function*(profiles: ReadonlySet<string>) {
        const clients = yield* gateway.clients
        const theirs = clients.filter(({ profileName }) => profiles.has(profileName))
        yield* Effect.forEach(theirs, ({ id }) => gateway.end(id), { discard: true })
      })
      yield* Effect.forkScoped(Stream.runForEach(changed, endThose))
      return ClientGateway.of(gateway)
    })
  )
}
