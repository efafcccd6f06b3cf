/** The one client on the other side of standard input and output, of either era. */
import { JsonRpc } from "@boocode/mcp-client/Text"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import { abilitiesOf } from "../calls/ClientChannel.ts"
import type { Caller } from "../model/GatewayClient.ts"
import type { JSONRPCMessage, Server, Transport } from "../model/Sdk.ts"
import * as LegacyHttp from "./LegacyHttp.ts"
import * as ProtocolServer from "./ProtocolServer.ts"
import type { ServedClient } from "./ServedClient.ts"

/** Serves until the input ends. The part of the SDK for it uses Node, so it is loaded here. */
export const make = (options: LegacyHttp.Options) => {
  const { instructions, profile, roster, run, watch } = options
  const entered = Effect.fnUntraced(function*(era: "legacy" | "modern", first: Schema.JsonObject, caller: Caller) {
    const params = objectIn(first, "params")
    const meta = objectIn(params, "_meta")
    const served = yield* roster.enter({
      caller,
      profile: caller.profile ?? profile,
      program: LegacyHttp.programOf(params["clientInfo"] ?? meta["io.modelcontextprotocol/clientInfo"]),
      era,
      can: abilitiesOf(params["capabilities"] ?? meta[ProtocolServer.CAPABILITIES_KEY])
    })
    const server = ProtocolServer.make(served, yield* instructions(served.client.profile), options)
    LegacyHttp.listen(served, server)
    served.streams++
    return { served, server }
  })
  /** Since revision 2026-07-28 the stream of changes names the resources whose updates it wants. */
  const watched = (message: Schema.JsonObject, served: ServedClient, server: Server) => {
    const uris = objectIn(objectIn(message, "params"), "notifications")["resourceSubscriptions"]
    if (message["method"] !== "subscriptions/listen" || !Array.isArray(uris)) return Effect.void
    return Effect.forEach(uris.filter((uri) => typeof uri === "string"), (uri) =>
      Effect.ignore(Scope.provide(
        watch(
          served.client.profile,
          uri,
          (changed) => void server.sendResourceUpdated({ uri: changed }).catch(() => {})
        ),
        served.scope
      )), { discard: true, concurrency: "unbounded" })
  }
  return Effect.fnUntraced(function*(caller: Caller) {
    const { serveStdio, StdioServerTransport } = yield* Effect.promise(() =>
      import("@modelcontextprotocol/server/stdio")
    )
    let current: { readonly served: ServedClient; readonly server: Server } | null = null
    const leave = Effect.suspend(() => current === null ? Effect.void : roster.end(current.served.client.id))
    const served = Effect.callback<void>((resume) => {
      let first: Schema.JsonObject = {}
      const transport = overheard(new StdioServerTransport(), (message) => {
        first = message
        if (current !== null) void run(watched(message, current.served, current.server))
      }, () => resume(Effect.void))
      // A client that asks in one era and goes on in the other is one client.
      const factory = ({ era }: { readonly era: "legacy" | "modern" }) =>
        run(Effect.andThen(leave, entered(era, first, caller))).then((next) => {
          current = next
          return next.server
        })
      const handle = serveStdio(factory, { transport })
      return Effect.promise(() => handle.close())
    })
    yield* Effect.ensuring(served, leave)
  })
}

const objectIn = (object: Schema.JsonObject, key: string): Schema.JsonObject => {
  const value = object[key]
  return JsonRpc.isObject(value) ? value : {}
}

/** The transport, each message of which is heard before it is handled. */
const overheard = (inner: Transport, hear: (message: Schema.JsonObject) => void, ended: () => void): Transport => {
  const outer: Transport = {
    start: () => {
      inner.onmessage = (message: JSONRPCMessage) => {
        if (JsonRpc.isObject(message)) hear(message)
        outer.onmessage?.(message)
      }
      inner.onerror = (error) => outer.onerror?.(error)
      inner.onclose = () => {
        outer.onclose?.()
        ended()
      }
      return inner.start()
    },
    send: (message) => inner.send(message),
    close: () => inner.close()
  }
  return outer
}
