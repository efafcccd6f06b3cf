/**
 * What waits to be written to a server: messages of one tick leave as one chunk, and every send settles.
 */
import type * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type { Json } from "effect/Schema"
import * as Stream from "effect/Stream"
import { ConnectionLost } from "../McpError.ts"
import { isObject, type Message } from "./JsonRpc.ts"

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
  readonly id: Json | undefined
  readonly accepted: Deferred.Deferred<void, ConnectionLost>
  /** Null once nobody wants it any more. */
  bytes: Uint8Array | null
  isHandedOut: boolean
}

/**
 * Begins an outbox that holds at most `maxBytes` of what nobody asked for yet, or one message above it: a server that
 * never reads costs no more than that.
 *
 * @category constructors
 */
export const make = Effect.fnUntraced(function*(maxBytes: number): Effect.fn.Return<Outbox> {
  // Tells only that there is something: what is dropped before it left must not stay in a queue.
  const more = yield* Queue.sliding<void, Cause.Done>(1)
  const encoder = new TextEncoder()
  const unsettled = new Set<Item>()
  let waitingBytes = 0
  let closed: string | null = null

  const settle = (item: Item, exit: Effect.Effect<void, ConnectionLost>) => {
    unsettled.delete(item)
    Deferred.doneUnsafe(item.accepted, exit)
  }
  const lost = (item: Item, why: string) =>
    settle(item, Effect.fail(new ConnectionLost({ detail: why, unsent: !item.isHandedOut })))
  const take = (item: Item): Uint8Array | null => {
    const { bytes } = item
    waitingBytes -= bytes?.length ?? 0
    item.bytes = null
    item.isHandedOut = true
    return bytes
  }
  const drop = (id: Json | undefined): boolean => {
    const item = [...unsettled].find((candidate) => !candidate.isHandedOut && candidate.id === id)
    if (item === undefined || id === undefined) return false
    take(item)
    settle(item, Effect.void)
    return true
  }
  const pull: Effect.Effect<readonly [Uint8Array], Cause.Done> = Effect.suspend(() => {
    for (const item of unsettled) if (item.isHandedOut) settle(item, Effect.void)
    return Effect.map(Queue.take(more), () => [concat([...unsettled].flatMap((item) => take(item) ?? []))] as const)
  })
  const send = (message: Message) =>
    Effect.suspend(() => {
      if (closed !== null) return Effect.fail(new ConnectionLost({ detail: closed, unsent: true }))
      // What is cancelled before it left need not leave at all.
      if (message["method"] === CANCELLED && drop(requestIdOf(message))) return Effect.void
      const bytes = encoder.encode(`${JSON.stringify(message)}\n`)
      if (waitingBytes > 0 && waitingBytes + bytes.length > maxBytes) return Effect.fail(deaf)
      const item: Item = {
        id: message["id"],
        accepted: Deferred.makeUnsafe<void, ConnectionLost>(),
        bytes,
        isHandedOut: false
      }
      waitingBytes += bytes.length
      unsettled.add(item)
      // After the end nobody asks for more, so nothing else would settle it.
      if (!Queue.offerUnsafe(more, undefined)) lost(item, "its standard input is closed")
      return Deferred.await(item.accepted)
    })
  const close = (why: string) =>
    Effect.suspend(() => {
      const reason = closed ?? why
      closed = reason
      for (const item of unsettled) lost(item, reason)
      return Queue.end(more)
    })
  return {
    send,
    stream: Stream.filter(Stream.fromPull(Effect.succeed(pull)), (chunk) => chunk.length > 0),
    end: Effect.asVoid(Queue.end(more)),
    close: (why) => Effect.asVoid(close(why))
  }
})

const CANCELLED = "notifications/cancelled"

const requestIdOf = ({ params }: Message): Json | undefined => isObject(params) ? params["requestId"] : undefined

const deaf = new ConnectionLost({ detail: "the server does not read its standard input", unsent: true })

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
