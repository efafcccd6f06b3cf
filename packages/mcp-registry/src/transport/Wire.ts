/**
 * What a connection needs of a transport that carries all messages over one channel.
 */
import type * as Effect from "effect/Effect"
import type { ConnectionLost, Exited } from "../McpError.ts"
import type { Incoming, Message } from "./JsonRpc.ts"

/** How the diagnostics of a server begin that has written nothing so far. @category constants */
export const SILENCE = "it wrote nothing"

/**
 * An open channel to a server. It closes with the scope it was opened in.
 *
 * @category models
 */
export interface Wire {
  readonly pid: number
  /** Settles when the channel accepted the bytes; fails at once when it is closed, or when it closes first. */
  readonly send: (message: Message) => Effect.Effect<void, ConnectionLost>
  /** Sets who gets what arrives, in order. What came before the first listener is kept for it. */
  readonly listen: (listener: (incoming: Incoming) => void) => void
  /** The last 8 KB of standard error as text, without control characters and configured secrets. */
  readonly stderr: () => string
  /** Hides what the server was given in a text of its own. */
  readonly scrub: (text: string) => string
  /** What is worth telling about what the server wrote, for instance lines that are no messages. */
  readonly diagnostics: () => ReadonlyArray<string>
  /** Waits until the other side is gone, and says how. `during` is filled in by who knows. */
  readonly closed: Effect.Effect<Exited | ConnectionLost>
}
