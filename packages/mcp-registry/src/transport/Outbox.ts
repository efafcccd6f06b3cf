/**
 * What waits to be written to a server: messages of one tick leave as one chunk, and every send settles.
 */
import type * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import { ConnectionLost } from "../McpError.ts"
import type { Message } from "./JsonRpc.ts"

/** The writing side of a channel. @category models */
export interface Outbox {
  /** Settles when the reader of `stream` asked for more after these bytes, or fails when the outbox closes first. */
  readonly send: (message: Message) => Effect.Effect<void, ConnectionLost>
  /** The bytes to write, to be run once. */
  readonly stream: Stream.Stream<Uint8Array>
  /** Lets `stream` end after what is waiting. Later sends fail. */
  readonly end: Effect.Effect<void>
  /** Fails every send that has not settled, and all later ones, with this reason. */
  readonly close: (why: string) => Effect.Effect<void>
}

interface Item {
  readonly bytes: Uint8Array
  readonly accepted: Deferred.Deferred<void, ConnectionLost>
}

/** Begins an outbox. @category constructors */
export const make: Effect.Effect<Outbox> = Effect.gen(function*() {
  const waiting = yield* Queue.unbounded<Item, Cause.Done>()
  const encoder = new TextEncoder()
  const unsettled = new Set<Item>()
  let handedOut: ReadonlyArray<Item> = []
  let closed: ConnectionLost | null = null

  const settle = (items: Iterable<Item>, exit: Effect.Effect<void, ConnectionLost>) => {
    for (const item of items) {
      unsettled.delete(item)
      Deferred.doneUnsafe(item.accepted, exit)
    }
  }
  const pull = Effect.suspend(() => {
    settle(handedOut, Effect.void)
    handedOut = []
    return Effect.map(Queue.takeAll(waiting), (items) => {
      handedOut = items
      return [concat(items.map((item) => item.bytes))] as const
    })
  })
  const send = (message: Message) =>
    Effect.suspend(() => {
      if (closed !== null) return Effect.fail(closed)
      const item: Item = {
        bytes: encoder.encode(`${JSON.stringify(message)}\n`),
        accepted: Deferred.makeUnsafe<void, ConnectionLost>()
      }
      unsettled.add(item)
      // After the end nobody asks for more, so nothing else would settle it.
      if (!Queue.offerUnsafe(waiting, item)) settle([item], Effect.fail(ended))
      return Deferred.await(item.accepted)
    })
  const close = (why: string) =>
    Effect.suspend(() => {
      closed ??= new ConnectionLost({ detail: why })
      settle([...unsettled], Effect.fail(closed))
      return Queue.end(waiting)
    })
  return {
    send,
    stream: Stream.fromPull(Effect.succeed(pull)),
    end: Effect.asVoid(Queue.end(waiting)),
    close: (why) => Effect.asVoid(close(why))
  }
})

const ended = new ConnectionLost({ detail: "its standard input is closed" })

const concat = (chunks: ReadonlyArray<Uint8Array>): Uint8Array => {
  const [only] = chunks
  if (chunks.length === 1 && only !== undefined) return only
  const whole = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0))
  let offset = 0
  for (const chunk of chunks) {
    whole.set(chunk, offset)
    offset += chunk.length
  }
  return whole
}
