/**
 * Calls of tools in a session, made without the SDK. It would parse each call four times and answer it by a chain of promises, which
 * takes as long as the rest of a call. Every other request is the SDK's, and a call that it would refuse.
 */
import { JsonRpc } from "@boocode/mcp-client/Text"
import * as Effect from "effect/Effect"
import * as FiberMap from "effect/FiberMap"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import {
  INVALID_PARAMS,
  type JSONRPCMessage,
  type JSONRPCRequest,
  refusal,
  type Sdk,
  type Server
} from "../model/Sdk.ts"
import * as ProtocolServer from "./ProtocolServer.ts"
import type { ServedClient } from "./ServedClient.ts"
import type { ToolAnswers } from "./ToolAnswers.ts"

export interface SessionCalls {
  /** Begins a call, which does not wait for its server; null for a request that is the SDK's. `send` is given the answer. */
  readonly begin: (request: JSONRPCRequest, send: (answer: JSONRPCMessage) => void) => Effect.Effect<unknown> | null
  /** Ends a call that its client cancels. Nothing is answered. */
  readonly cancel: (id: string | number) => Effect.Effect<void>
}

/** The calls of one client end with the scope. `server` is the SDK's, by which servers ask the client. */
export const make = Effect.fnUntraced(function*(
  served: ServedClient,
  server: Server,
  { answers, sdk }: { readonly answers: Pick<ToolAnswers, "callTool">; readonly sdk: Sdk }
): Effect.fn.Return<SessionCalls, never, Scope.Scope> {
  const running = yield* FiberMap.make<string | number>()

  const answerOf = (id: string | number, params: Schema.JsonObject) => {
    const asked = { params, channel: ProtocolServer.channelOf(served, wayBack(server, id)) }
    return ProtocolServer.during(served, asked.channel, answers.callTool(served, asked)).pipe(
      Effect.filterOrFail((result) => isSendable(sdk, result), () => refusal(INVALID_PARAMS, UNFIT)),
      Effect.catchCause((cause) => Effect.flip(ProtocolServer.refusalOf(cause))),
      Effect.match({
        onSuccess: (result): JSONRPCMessage => ({ jsonrpc: "2.0", id, result }),
        onFailure: ({ code, message }): JSONRPCMessage => ({ jsonrpc: "2.0", id, error: { code, message } })
      })
    )
  }
  return {
    begin: ({ id, method, params }, send) =>
      method === "tools/call" && isCall(params)
        ? FiberMap.run(running, id, Effect.map(answerOf(id, params), send))
        : null,
    cancel: (id) => FiberMap.remove(running, id)
  }
})

/** Questions and news go out on the stream of the call. */
const wayBack = (server: Server, relatedRequestId: string | number): ProtocolServer.WayBack => ({
  send: (request, options) => server.request(request, { ...options, relatedRequestId }),
  notify: (notification) => server.notification(notification, { relatedRequestId })
})

/** Whether the SDK would take it for a call that has no task. */
const isCall = (params: unknown): params is Schema.JsonObject => {
  if (!JsonRpc.isObject(params)) return false
  const { _meta = {}, arguments: args = {}, name, task } = params
  const token = JsonRpc.isObject(_meta) ? _meta["progressToken"] ?? 0 : null
  return typeof name === "string" && JsonRpc.isObject(args) && task === undefined &&
    (typeof token === "string" || Number.isSafeInteger(token))
}

const UNFIT = "Invalid tools/call result: the server's result is none of the protocol"

/** The revisions with sessions know structured content that is an object alone. */
const isSendable = ({ isCallToolResult }: Sdk, result: Schema.JsonObject): boolean =>
  JsonRpc.isObject(result["structuredContent"] ?? {}) && isCallToolResult(result)
