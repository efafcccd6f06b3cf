/** The parts of `serve --fleet`: this node, the servers that run once in the whole fleet, the chats, and what operators see. */
import type { ChatsOptions } from "@boocode/chat"
import { ChatHomes } from "@boocode/chat/ChatHomes"
import * as FleetChats from "@boocode/chat/FleetChats"
import { FleetServers } from "@boocode/mcp-fleet"
import * as Digest from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Installation from "../settings/Installation.ts"
import * as FleetCluster from "./FleetCluster.ts"
import * as FleetNodes from "./FleetNodes.ts"
import { FleetSettings } from "./FleetSettings.ts"
import { NodeLoad } from "./NodeLoad.ts"
import * as PgTidings from "./PgTidings.ts"

/** This node among the others. All that asks for it gets the same one. */
export const cluster = Layer.provide(FleetCluster.layer, Digest.layerWebCrypto)

/** Where the registry of a node gets its connections from. */
export const servers = Layer.unwrap(Effect.gen(function*() {
  const { folder, host, port, secret } = yield* FleetSettings
  const { server: owning } = yield* NodeLoad
  return FleetServers.layer({
    secret,
    folder,
    self: `${host}:${port}`,
    searchAfterPath: Installation.commands,
    owning
  })
})).pipe(Layer.provide([Digest.layerWebCrypto, NodeLoad.layer]))

const homes = Layer.effect(
  ChatHomes,
  Effect.gen(function*() {
    const { join } = yield* ChatHomes
    const { chat: owning } = yield* NodeLoad
    return { join: (open) => join((chat) => Effect.andThen(owning, open(chat))) }
  })
).pipe(Layer.provide([ChatHomes.layer, NodeLoad.layer]))

/** The chats of all nodes, as this one serves them. */
export const chats = (options: ChatsOptions) =>
  Layer.provide(FleetChats.layer(options), Layer.provide(Layer.merge(homes, PgTidings.layer), cluster))

/** The fleet as operators see it. */
export const view = Layer.provide(FleetNodes.layer, [NodeLoad.layer, cluster])
