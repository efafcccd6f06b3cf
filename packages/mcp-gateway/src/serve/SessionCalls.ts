/**
 * Calls of tools in a session, made without the SDK. It would parse each call four times and answer it by a chain of promises, which
 * takes as long as the rest of a call. Every other request is the SDK's, and a call that it would refuse.
 */
import { JsonRpc } from "@boocode/mcp-client/Text"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import {
  INVALID_PARAMS,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type Refusal,
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
  let running = new Map<string | number, Fiber.Fiber<unknown>>()
  yield* Effect.addFinalizer(() => Effect.suspend(() => Fiber.interruptAll([...running.values()])))
  const ended = (id: string | number, fiber: Fiber.Fiber<unknown>) => {
    if (running.get(id) === fiber) running.delete(id)
    // V8's quick collections keep what stood in a map that changes with each call (docs/performance.md).
    if (running.size === 0) running = new Map()
  }
  const begun = (id: string | number, call: Effect.Effect<unknown>) =>
    Effect.map(Effect.forkDetach(call, { startImmediately: true }), (fiber) => {
      running.set(id, fiber)
      fiber.addObserver(() => ended(id, fiber))
    })

  const answerOf = (id: string | number, params: Schema.JsonObject) => {
    const asked = { params, channel: ProtocolServer.channelOf(served, wayBack(server, id)) }
    const refused = ({ code, message }: Refusal): JSONRPCMessage => ({ jsonrpc: "2.0", id, error: { code, message } })
    return Effect.matchCauseEffect(ProtocolServer.during(served, asked.channel, answers.callTool(served, asked)), {
      onSuccess: (result) =>
        Effect.succeed<JSONRPCMessage>(
          isSendable(sdk, result) ? { jsonrpc: "2.0", id, result } : refused(refusal(INVALID_PARAMS, UNFIT))
        ),
      onFailure: (cause) => Effect.map(ProtocolServer.refusalOf(cause), refused)
    })
  }
  return {
    begin: ({ id, method, params }, send) =>
      method === "tools/call" && isCall(params)
        ? begun(id, Effect.map(answerOf(id, params), send))
        : null,
    cancel: (id) =>
      Effect.suspend(() => {
        const fiber = running.get(id)
        return fiber === undefined ? Effect.void : Fiber.interrupt(fiber)
      })
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
  isPlain(result) || (JsonRpc.isObject(result["structuredContent"] ?? {}) && isCallToolResult(result))

/** Texts and nothing else, as most results are: to look is quicker than the SDK's schema. */
const isPlain = ({ _meta, content, isError, structuredContent }: Schema.JsonObject): boolean =>
  _meta === undefined && structuredContent === undefined && typeof isError === "boolean" && Array.isArray(content) &&
  content.every((block) =>
    JsonRpc.isObject(block) && block["type"] === "text" && typeof block["text"] === "string" &&
    Object.keys(block).length === 2
  )
