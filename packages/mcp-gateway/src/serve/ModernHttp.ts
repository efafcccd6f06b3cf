/** Requests since revision 2026-07-28, each of which says all about its client. */
import { JsonRpc } from "@boocode/mcp-client/Text"
import * as Effect from "effect/Effect"
import { abilitiesOf } from "../calls/ClientChannel.ts"
import type { Caller } from "../model/GatewayClient.ts"
import type { Options } from "./LegacyHttp.ts"
import { programOf } from "./LegacyHttp.ts"
import * as ProtocolServer from "./ProtocolServer.ts"
import type { ServedClient } from "./ServedClient.ts"

/** Answers requests; those of one caller and one program are of one client. */
export const make = (options: Options) => {
  const { profile, roster, sdk } = options
  const ids = new Map<string, string>()

  const clientOf = Effect.fnUntraced(function*(meta: Readonly<Record<string, unknown>>, caller: Caller) {
    const program = programOf(meta["io.modelcontextprotocol/clientInfo"])
    const key = JSON.stringify([caller.id, program.name, caller.profileName ?? null])
    const known = roster.find(ids.get(key) ?? "")
    if (known !== null) return known
    const served = yield* roster.enter({
      caller,
      profile: caller.profile ?? profile,
      program,
      era: "modern",
      can: abilitiesOf(meta[ProtocolServer.CAPABILITIES_KEY])
    })
    ids.set(key, served.client.id)
    return served
  })
  return Effect.fnUntraced(function*(request: Request, parsedBody: unknown, caller: Caller) {
    const served: ServedClient = yield* clientOf(metaOf(parsedBody), caller)
    yield* roster.seen(served)
    const handler = sdk.createMcpHandler(() => ProtocolServer.make(served, options), { legacy: "reject" })
    return yield* Effect.promise(() => handler.fetch(request, { parsedBody }))
  })
}

const metaOf = (body: unknown): Readonly<Record<string, unknown>> => {
  const params = JsonRpc.isObject(body) ? body["params"] : undefined
  const meta = JsonRpc.isObject(params) ? params["_meta"] : undefined
  return JsonRpc.isObject(meta) ? meta : {}
}
