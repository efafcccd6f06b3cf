/**
 * What a conversation with a server goes over: the pipes of a program, or HTTP. Sending is a plain call, so that a request
 * costs no fiber and no promise.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Incoming, Message } from "../base/JsonRpc.ts"
import type { ConnectionLost, Exited, McpErrorReason } from "../errors/McpError.ts"

/** How a message is to be sent. */
export interface Sending {
  /**
   * Is told, at most once and perhaps before `send` returns, that the message did not leave, or that what was to bring
   * its answer broke; not of what `closed` tells anyhow.
   */
  readonly onFailed?: (reason: McpErrorReason) => void
  /**
   * For a message that has no answer: is told, at most once and perhaps before `send` returns, that it arrived. Pipes do
   * not tell, so there it is told at once.
   */
  readonly onAccepted?: () => void
  /** Over HTTP: further headers. */
  readonly headers?: Readonly<Record<string, string>>
  /** Nothing else is on its way to the server, so there is nothing to leave together with. */
  readonly isAlone?: boolean
}

/**
 * Takes what arrives, in order, and never throws. `about` is the id of the request of ours on whose own response it came.
 */
export type Receiver = (incoming: Incoming, about: string | number | null) => void

/** An open channel to a server. It closes with the scope it was opened in. */
export interface Channel {
  /** The process; null over HTTP. */
  readonly pid: number | null
  /**
   * A number that no request on it has had, whoever sent that: several conversations may follow each other on one channel,
   * and what comes late for one of them is no answer to the next.
   */
  readonly nextId: () => number
  /** Puts a message on its way, together with those of the same tick. Never waits. Throws only where it is no JSON. */
  readonly send: (message: Message, sending?: Sending) => void
  /**
   * Gives up the answer to a request: what may still come of it is dropped. True where that alone tells the server, because
   * the response was closed (2026-07-28 over HTTP); otherwise the server has to be told by a message.
   */
  readonly abandon: (id: string | number) => boolean
  /** Sets the receiver. Messages from before the first receiver are kept for it. */
  readonly listen: (receiver: Receiver) => void
  /** Is told the revision that was agreed on, before anything else is sent. */
  readonly agreed: (revision: string) => void
  /** The last 8 KB of standard error, without control characters and configured secrets; empty over HTTP. */
  readonly stderr: () => string
  /** Hides what the server was given in a text of its own. */
  readonly scrub: (text: string) => string
  /** Oddities in the server's output, for instance lines that are no messages. */
  readonly diagnostics: () => ReadonlyArray<string>
  /**
   * Is told, once, when the other side is gone, and how; at once where it is. `during` is filled in by who knows. Gives
   * what ends that.
   */
  readonly onClosed: (listener: (why: Exited | ConnectionLost) => void) => () => void
}

/** Waits until the other side is gone. */
export const closed = (channel: Channel): Effect.Effect<Exited | ConnectionLost> =>
  Effect.callback((resume) => {
    const leave = channel.onClosed((why) => resume(Effect.succeed(why)))
    return Effect.sync(leave)
  })

/** A program that ends breaks the pipe first and tells its exit status a moment later; the status says more. */
export const orExit = <A>(
  request: Effect.Effect<A, McpErrorReason>,
  channel: Channel
): Effect.Effect<A, McpErrorReason> =>
  channel.pid === null ? request : Effect.catchTag(request, "ConnectionLost", (error) =>
    Effect.flatMap(
      Effect.timeoutOption(closed(channel), "300 millis"),
      (why) => Effect.fail(Option.getOrElse(why, () => error))
    ))
