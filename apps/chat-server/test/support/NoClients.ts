/** The MCP side of a chat server without clients: every request is answered alike, and nobody is let in. */
import { type Gateway, Profile } from "@boocode/mcp-gateway"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { ClientGateway } from "../../src/clients/ClientGateway.ts"
import { ClientProfiles } from "../../src/clients/ClientProfiles.ts"
import { ClientTokens } from "../../src/clients/ClientTokens.ts"
import { Connectors } from "../../src/connectors/Connectors.ts"

const none = { clients: Effect.succeed([]), changes: Stream.make([]), end: () => Effect.succeed(false) }

const gateway: Gateway = {
  handle: () => Effect.succeed(new Response("an MCP answer")),
  answer: () => Effect.succeed({ status: 200, headers: { "content-type": "text/plain" }, body: "an MCP answer" }),
  serveStdio: () => Effect.void,
  ...none
}

export const layer = Layer.mergeAll(
  Connectors.layerNone,
  Layer.succeed(ClientGateway, {
    use: (_, request) => request(gateway),
    ...none
  }),
  Layer.succeed(ClientProfiles, {
    file: "/data/gateway.jsonc",
    get: () => Effect.succeed(Profile.standard),
    all: Effect.succeed(new Map([["default", Profile.standard]])),
    problems: Effect.succeed([]),
    reload: Effect.void,
    changed: Stream.empty
  }),
  Layer.succeed(ClientTokens, {
    all: Effect.succeed([]),
    add: () => Effect.die("no test lets a client in"),
    remove: () => Effect.die("no test removes a client"),
    forget: () => Effect.void,
    of: () => Effect.succeed(null)
  })
)
