/** Gets to know a server: by `initialize`, or by what it answered to `server/discover` before. */
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import * as JsonRpc from "../base/JsonRpc.ts"
import type { Channel } from "../contract/Channel.ts"
import * as Revision from "../contract/Revision.ts"
import { HandshakeFailed, type McpErrorReason } from "../errors/McpError.ts"
import * as Refusal from "./Refusal.ts"
import type { Requests } from "./Requests.ts"

export interface Peer {
  readonly revision: string
  readonly capabilities: Schema.JsonObject
  /** As it wrote it; null where it says nothing that can be read. */
  readonly info: { readonly name: string; readonly version: string } | null
  readonly instructions: string | null
}

/** A server of which nothing is known yet. */
export const STRANGER: Peer = { revision: "unknown", capabilities: {}, info: null, instructions: null }

export interface Options {
  readonly channel: Channel
  readonly requests: Requests
  readonly capabilities: Schema.JsonObject
}

/** Agrees on a revision, and tells the channel. Fails with `ProtocolMismatch` where there is none in common. */
export const perform = (era: Revision.Era, options: Options): Effect.Effect<Peer, McpErrorReason> =>
  era.kind === "legacy" ? initialize(options) : Effect.sync(() => {
    options.channel.agreed(Revision.MODERN)
    return ofDiscovered(era.discover)
  })

const ofDiscovered = ({ _meta, capabilities, instructions }: Revision.Discovered): Peer => ({
  revision: Revision.MODERN,
  capabilities,
  info: infoOf(JsonRpc.isObject(_meta) ? _meta["io.modelcontextprotocol/serverInfo"] : undefined),
  instructions: typeof instructions === "string" ? instructions : null
})

const initialize = Effect.fnUntraced(function*(
  { capabilities, channel, requests }: Options
): Effect.fn.Return<Peer, McpErrorReason> {
  const result = yield* requests.send({
    method: "initialize",
    params: { protocolVersion: Revision.LEGACY[0], capabilities, clientInfo: Revision.CLIENT_INFO }
  })
  const wrong = wrongFields(result)
  if (wrong.length > 0) return yield* malformed(wrong)
  const peer = ofInitialized(result)
  if (!LEGACY.includes(peer.revision)) return yield* Refusal.mismatch([peer.revision], channel.scrub)
  channel.agreed(peer.revision)
  yield* initialized(requests)
  return peer
})

const LEGACY: ReadonlyArray<string> = Revision.LEGACY

/** A server may refuse whatever comes before it heard this. */
const initialized = (requests: Requests): Effect.Effect<void, McpErrorReason> =>
  Effect.callback((resume) =>
    requests.notify("notifications/initialized", {}, {
      onAccepted: () => resume(Effect.void),
      onFailed: (reason) => resume(Effect.fail(reason))
    })
  )

const ofInitialized = ({ capabilities, instructions, protocolVersion, serverInfo }: Schema.JsonObject): Peer => ({
  revision: typeof protocolVersion === "string" ? protocolVersion : STRANGER.revision,
  capabilities: JsonRpc.isObject(capabilities) ? capabilities : {},
  info: infoOf(serverInfo),
  instructions: typeof instructions === "string" ? instructions : null
})

const infoOf = (info: Schema.Json | undefined): Peer["info"] => {
  const { name, version } = JsonRpc.isObject(info) ? info : {}
  return typeof name === "string" && typeof version === "string" ? { name, version } : null
}

const malformed = (fields: ReadonlyArray<string>): HandshakeFailed =>
  new HandshakeFailed({
    method: "initialize",
    detail: `its answer lacks what the protocol asks for, or has it wrong: ${fields.join(", ")}`,
    code: null,
    stderr: ""
  })

const wrongFields = (result: Schema.JsonObject): ReadonlyArray<string> => {
  const { capabilities, instructions, protocolVersion, serverInfo } = result
  return [
    typeof protocolVersion === "string" ? null : "protocolVersion",
    Revision.wrongCapabilities(capabilities),
    ...wrongInfo(serverInfo),
    Revision.isAbsentOrText(instructions) ? null : "instructions"
  ].filter((field) => field !== null)
}

const wrongInfo = (info: Schema.Json | undefined): ReadonlyArray<string | null> =>
  JsonRpc.isObject(info)
    ? ["name", "version"].map((field) => typeof info[field] === "string" ? null : `serverInfo.${field}`)
    : ["serverInfo"]
