/** Requests since revision 2026-07-28, each of which says all about its client. */
import { JsonRpc } from "@boocode/mcp-client/Text"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { abilitiesOf } from "../calls/ClientChannel.ts"
import type { Caller } from "../model/GatewayClient.ts"
import { answerOf, type PlainAnswer } from "../model/PlainHttp.ts"
import type { McpHttpHandler, ServerEventBus } from "../model/Sdk.ts"
import { type Options, programOf } from "./LegacyHttp.ts"
import * as ProtocolServer from "./ProtocolServer.ts"
import * as ReadBody from "./ReadBody.ts"
import type { ServedClient } from "./ServedClient.ts"

/** Answers requests; those of one caller and one program are of one client. */
export const make = (options: Options) => {
  const { instructions, profile, roster, run, sdk, watch } = options
  const ids = new Map<string, string>()

  const clientOf = Effect.fnUntraced(function*(meta: Fields, caller: Caller) {
    const program = programOf(meta["io.modelcontextprotocol/clientInfo"])
    const key = JSON.stringify([caller.id, program.name, caller.profileName ?? null, caller.serverName ?? null])
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
    yield* Scope.addFinalizer(served.scope, Effect.sync(() => ids.delete(key)))
    return served
  })
  /** A stream of changes: its listeners, and the watches of the resources that it names. */
  const busOf = (served: ServedClient, uris: ReadonlyArray<string>, close: () => Promise<void>): ServerEventBus => ({
    publish: () => {},
    subscribe: (listener) => {
      const scope = Scope.forkUnsafe(served.scope, "parallel")
      served.listeners.add(listener)
      served.streams++
      void run(Scope.addFinalizer(scope, Effect.ignore(Effect.tryPromise(close))))
      const watched = (uri: string) =>
        Effect.ignore(Scope.provide(
          watch(served.client.profile, uri, (changed) => listener({ kind: "resource_updated", uri: changed })),
          scope
        ))
      void run(Effect.forEach(uris, watched, { concurrency: "unbounded", discard: true }))
      return () => {
        served.listeners.delete(listener)
        served.streams--
        void run(Scope.close(scope, Exit.void))
      }
    }
  })
  return Effect.fnUntraced(function*(
    request: Request,
    parsedBody: unknown,
    caller: Caller
  ): Effect.fn.Return<PlainAnswer> {
    const params = fieldsOf(fieldsOf(parsedBody)["params"])
    const served = yield* clientOf(fieldsOf(params["_meta"]), caller)
    roster.seen(served)
    const { method } = fieldsOf(parsedBody)
    const words = method === "server/discover" ? yield* instructions(served.client.profile) : ""
    const handler: McpHttpHandler = sdk.createMcpHandler(() => ProtocolServer.make(served, words, options), {
      legacy: "reject",
      bus: busOf(served, urisOf(params), () => handler.close())
    })
    const answer = yield* answerOf(() => handler.fetch(request, { parsedBody }))
    return method === "subscriptions/listen" && answer.body instanceof ReadableStream
      ? { ...answer, body: ReadBody.make(answer.body, () => {}) }
      : answer
  })
}

type Fields = Readonly<Record<string, unknown>>

const fieldsOf = (value: unknown): Fields => JsonRpc.isObject(value) ? value : {}

/** The resources whose updates a listening client wants. */
const urisOf = (params: Fields): ReadonlyArray<string> => {
  const uris = fieldsOf(params["notifications"])["resourceSubscriptions"]
  return Array.isArray(uris) ? [...new Set(uris.filter((uri) => typeof uri === "string"))].slice(0, MOST_WATCHES) : []
}

const MOST_WATCHES = 1000
