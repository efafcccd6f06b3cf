/** The MCP side of a chat server without clients: every request is answered alike, and nobody is let in. */
import { Profile } from "@boocode/mcp-gateway"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { ClientGateway } from "../../src/clients/ClientGateway.ts"
import { ClientProfiles } from "../../src/clients/ClientProfiles.ts"
import { ClientTokens } from "../../src/clients/ClientTokens.ts"
import { Connectors } from "../../src/connectors/Connectors.ts"

export const layer = Layer.mergeAll(
  Connectors.layerNone,
  Layer.succeed(ClientGateway, {
    answer: () => Effect.succeed({ status: 200, headers: { "content-type": "text/plain" }, body: "an MCP answer" }),
    clients: Effect.succeed([]),
    changes: Stream.make([]),
    end: () => Effect.succeed(false)
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
