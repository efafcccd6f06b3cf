/**
 * A channel whose other side is the test: what is sent is kept, and what arrives is said by hand or by a script.
 */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { Channel, Receiver, Sending } from "../../src/contract/Channel.ts"
import type { ConnectionLost, Exited } from "../../src/errors/McpError.ts"

type Json = Schema.JsonObject

export interface Options {
  /** What is answered to a message, besides what the test says by hand. */
  readonly answer?: (message: Json) => ReadonlyArray<Json>
  /** Null over HTTP. */
  readonly pid?: number | null
  /** Whether the server notices when an answer is given up. */
  readonly tellsByItself?: boolean
  /** Whether messages without an answer arrive. */
  readonly accepts?: boolean
}

/** The ids of a channel's requests. */
export const ids = () => {
  let last = 0
  return () => last += 1
}

/** Texts hide one secret: hunter2. */
export const make = ({ accepts = true, answer, pid = 1, tellsByItself = false }: Options = {}) => {
  const sent: Array<Json> = []
  const sendings: Array<Sending | undefined> = []
  const abandoned: Array<string | number> = []
  const revisions: Array<string> = []
  const listeners = new Set<(why: Exited | ConnectionLost) => void>()
  let end: Exited | ConnectionLost | null = null
  let receiver: Receiver = () => assert.fail("nobody listens")
  const say = (message: Json, about: string | number | null = null) => receiver({ _tag: "Message", message }, about)
  const channel: Channel = {
    pid,
    nextId: ids(),
    send: (message, sending) => {
      sent.push(message)
      sendings.push(sending)
      if (accepts) sending?.onAccepted?.()
      for (const reply of answer?.(message) ?? []) say(reply)
    },
    abandon: (id) => {
      abandoned.push(id)
      return tellsByItself
    },
    agreed: (revision) => void revisions.push(revision),
    listen: (next) => {
      receiver = next
    },
    stderr: () => "",
    scrub: (text) => text.replaceAll("hunter2", "***"),
    diagnostics: () => [],
    onClosed: (listener) => {
      if (end === null) listeners.add(listener)
      else listener(end)
      return () => void listeners.delete(listener)
    }
  }
  return {
    channel,
    sent,
    sendings,
    abandoned,
    revisions,
    say,
    /** How many wait for its end. */
    waiting: () => listeners.size,
    hear: (...incoming: Parameters<Receiver>) => receiver(...incoming),
    end: (why: Exited | ConnectionLost) =>
      Effect.sync(() => {
        end = why
        for (const listener of listeners) listener(why)
      }),
    of: (method: string) => sent.filter((message) => message["method"] === method)
  }
}
