/**
 * Gives the SDK's client a `Wire` to talk over.
 */
import type { JSONRPCMessage, JSONRPCRequest, Transport } from "@modelcontextprotocol/client"
import * as Effect from "effect/Effect"
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
  const answered = ({ id }: JsonRpc.Message) => {
    if (typeof id === "string" || typeof id === "number") pending.delete(id)
  }
  const receive = (incoming: JsonRpc.Incoming) => {
    if (incoming._tag === "Message") {
      if (JsonRpc.isAnswer(incoming.message)) answered(incoming.message)
      const message = answers.incoming(incoming.message)
      if (isSdkMessage(message)) transport.onmessage?.(message)
      return
    }
    if (!incoming.isAnswer) return
    for (const id of incoming.id === null ? [...pending] : [incoming.id]) fail(id, incoming.bytes)
  }
  const transport: Transport = {
    start: () => Promise.resolve(wire.listen(receive)),
    send: (message) => {
      if (isRequest(message)) pending.add(message.id)
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

const isRequest = (message: JSONRPCMessage): message is JSONRPCRequest => "method" in message && "id" in message

/** The SDK's own guards parse each message again with a schema; ours has seen the same keys. */
const isSdkMessage = (message: JsonRpc.Message): message is JsonRpc.Message & JSONRPCMessage =>
  JsonRpc.isMessage(message)
