/**
 * Gives the SDK's client a `Wire` to talk over.
 */
import type { JSONRPCMessage, JSONRPCRequest, Transport } from "@modelcontextprotocol/client"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { MessageTooLarge } from "../McpError.ts"
import * as JsonRpc from "../transport/JsonRpc.ts"
import type { Wire } from "../transport/Wire.ts"
import * as LocalAnswer from "./LocalAnswer.ts"
import type { RawAnswers } from "./RawAnswers.ts"

/**
 * A transport over an open wire. Closing it tells the SDK, and leaves the wire to the scope that owns it.
 *
 * @category constructors
 */
export const make = (wire: Wire, answers: RawAnswers, maxMessageBytes: number): Transport => {
  const pending = new Set<string | number>()
  let isClosed = false

  const fail = (id: string | number, bytes: number) => {
    pending.delete(id)
    LocalAnswer.fail(transport, id, new MessageTooLarge({ bytes, limitBytes: maxMessageBytes }))
  }
  const forget = (id: string | number | null) => {
    if (id !== null) pending.delete(id)
  }
  /** What a server can make the SDK stumble over must not stop the reader. */
  const hand = (message: JSONRPCMessage) =>
    Result.match(Result.try(() => transport.onmessage?.(message)), {
      onSuccess: () => {},
      onFailure: (cause) => transport.onerror?.(new Error("a message could not be handled", { cause }))
    })
  const receive = (incoming: JsonRpc.Incoming) => {
    if (incoming._tag === "Message") {
      if (JsonRpc.isAnswer(incoming.message)) forget(JsonRpc.idOf(incoming.message))
      const message = answers.incoming(incoming.message)
      return isSdkMessage(message) ? hand(message) : undefined
    }
    if (!incoming.isAnswer) return
    for (const id of incoming.id === null ? [...pending] : [incoming.id]) fail(id, incoming.bytes)
  }
  const transport: Transport = {
    start: () => Promise.resolve(wire.listen(receive)),
    send: (message) => {
      if (isRequest(message)) pending.add(message.id)
      forget(cancelledId(message))
      if (!JsonRpc.isMessage(message)) return Promise.reject(new TypeError("not a JSON-RPC message"))
      // oxlint-disable-next-line house/no-run -- the SDK's transport contract is a promise
      return Effect.runPromise(wire.send(answers.outgoing(message)))
    },
    close: () => {
      if (!isClosed) {
        isClosed = true
        transport.onclose?.()
      }
      return Promise.resolve()
    }
  }
  return transport
}

/** The request that a message cancels: it may never be answered. */
const cancelledId = (message: JSONRPCMessage): string | number | null => {
  if (!("method" in message) || message.method !== "notifications/cancelled") return null
  const id = message.params?.["requestId"]
  return typeof id === "string" || typeof id === "number" ? id : null
}

const isRequest = (message: JSONRPCMessage): message is JSONRPCRequest => "method" in message && "id" in message

/** The SDK's own guards parse each message again with a schema; ours has seen the same keys. */
const isSdkMessage = (message: JsonRpc.Message): message is JsonRpc.Message & JSONRPCMessage =>
  JsonRpc.isMessage(message)
