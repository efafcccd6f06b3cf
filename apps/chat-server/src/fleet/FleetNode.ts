/** The part of `serve --fleet`: this node, and the servers that run once in the whole fleet. */
import type { ChatsOptions } from "@boocode/chat"
import { ChatHomes } from "@boocode/chat/ChatHomes"
import * as FleetChats from "@boocode/chat/FleetChats"
import { FleetServers } from "@boocode/mcp-fleet"
import * as Digest from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Installation from "../settings/Installation.ts"
import * as FleetCluster from "./FleetCluster.ts"
import { FleetSettings } from "./FleetSettings.ts"
import * as PgTidings from "./PgTidings.ts"

/** This node among the others. All that asks for it gets the same one. */
export const cluster = Layer.provide(FleetCluster.layer, Digest.layerWebCrypto)

/** Where the registry of a node gets its connections from. */
export const servers = Layer.unwrap(
  Effect.map(
    FleetSettings,
    (settings) => FleetServers.layer({ ...settings, searchAfterPath: Installation.commands })
  )
).pipe(Layer.provide(Digest.layerWebCrypto))

/** The chats of all nodes, as this one serves them. */
export const chats = (options: ChatsOptions) =>
  Layer.provide(FleetChats.layer(options), Layer.provide(Layer.merge(ChatHomes.layer, PgTidings.layer), cluster))
