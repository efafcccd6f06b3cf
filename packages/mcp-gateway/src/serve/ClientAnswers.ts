/** What a client is answered, request by request, whatever its revision of the protocol. */
import { JsonRpc } from "@boocode/mcp-client/Text"
import { McpRegistry } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import * as ClientCall from "../calls/ClientCall.ts"
import type { ClientChannel } from "../calls/ClientChannel.ts"
import { INVALID_PARAMS, type Refusal, refusal } from "../model/Sdk.ts"
import * as ToolOffers from "../offer/ToolOffers.ts"
import type { ClientRoster } from "./ClientRoster.ts"
import type { ServedClient } from "./ServedClient.ts"

export type Answer = Effect.Effect<Schema.JsonObject, Refusal>

/** A request of a client, and the way back to it. */
export interface Asked {
  readonly params: Schema.JsonObject
  readonly channel: ClientChannel
}

export interface ClientAnswers {
  readonly offer: (served: ServedClient) => Effect.Effect<ToolOffers.ToolOffer>
  readonly listTools: (served: ServedClient) => Answer
  readonly callTool: (served: ServedClient, asked: Asked) => Answer
}

export const make = Effect.fnUntraced(function*(
  roster: Pick<ClientRoster, "during">
): Effect.fn.Return<ClientAnswers, never, McpRegistry> {
  const context = yield* Effect.context<McpRegistry>()
  const registry = yield* McpRegistry
  const offers = ToolOffers.make(new Set())
  const within = <A, E>(effect: Effect.Effect<A, E, McpRegistry>): Effect.Effect<A, E> =>
    Effect.provideContext(effect, context)
  const offer = (served: ServedClient) => within(offers({ ...served, profile: served.client.profile }))

  const callTool = Effect.fnUntraced(function*(served: ServedClient, { channel, params }: Asked) {
    const name = typeof params["name"] === "string" ? params["name"] : ""
    const tool = (yield* offer(served)).byName.get(name)
    if (tool === undefined) return yield* Effect.fail(refusal(INVALID_PARAMS, `Unknown tool: ${name}`))
    const args = JsonRpc.isObject(params["arguments"]) ? params["arguments"] : {}
    const result = yield* roster.during(
      served,
      tool.name,
      within(ClientCall.run({
        tool,
        args,
        asker: served.askerOf(channel),
        traits: served.traits,
        onProgress: progressOf(params, channel)
      }))
    )
    return { ...result }
  })
  return {
    offer,
    listTools: (served) =>
      Effect.andThen(
        Effect.timeoutOption(registry.settled, LIST_PATIENCE),
        Effect.map(offer(served), ({ definitions }) => ({ tools: definitions }))
      ),
    callTool
  }
})

/** How long a list waits for servers that connect; the client is told when more come. */
const LIST_PATIENCE = "2 seconds"

const progressOf = ({ _meta }: Schema.JsonObject, channel: ClientChannel) => {
  const token = JsonRpc.isObject(_meta) ? _meta["progressToken"] : undefined
  return typeof token === "string" || typeof token === "number" ? ClientCall.progressTo(channel, token) : null
}
