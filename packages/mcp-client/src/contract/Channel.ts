/**
 * The way of a conversation with a server: the pipes of a program, or HTTP. Sending is a plain call, so that a request
 * costs no fiber and no promise.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Incoming, Message } from "../base/JsonRpc.ts"
import type { ConnectionLost, Exited, McpErrorReason } from "../errors/McpError.ts"

export interface Sending {
  /**
   * Receives the reason why the message was not sent, or why its answer cannot come. Called once at most, perhaps
   * before `send` returns. After a message was sent, `onClosed` alone tells of the end of the whole channel.
   */
  readonly onFailed?: (reason: McpErrorReason) => void
  /**
   * For a message that has no answer: called when the server has accepted it, once at most, perhaps before `send`
   * returns. Nobody confirms what is written to a pipe, so there it is called at once.
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
   * A number that no request on this channel has had. Several conversations may follow each other on one channel, and a
   * late answer to one of them must not pass for an answer to the next.
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
   * Calls the listener once, when the other side is gone, with the reason; at once where it is gone already. The
   * `during` of an `Exited` is always its work; a caller that is still connecting puts its step there. Returns a function
   * that removes the listener.
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
