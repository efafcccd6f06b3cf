/**
 * Where frames become messages for whoever listens, and what is no message becomes a diagnostic.
 */
import type { Frame } from "./Framing.ts"
import * as JsonRpc from "./JsonRpc.ts"

/** What arrived on a channel. @category models */
export interface Inbox {
  /** Takes a frame. Gives the text to note when the line is no JSON-RPC message, null otherwise. */
  readonly receive: (frame: Frame) => string | null
  /** Sets who gets what arrives; what came before the first listener is kept for it. */
  readonly listen: (listener: (incoming: JsonRpc.Incoming) => void) => void
  /** At most one line: how many lines were skipped, and the first of them. */
  readonly diagnostics: () => ReadonlyArray<string>
}

/** A skipped line is shown up to so many characters. */
const SHOWN = 200

const CONTENT_LENGTH =
  "it frames its messages with Content-Length, as language servers do; MCP wants one message a line"

/** Begins to receive. @category constructors */
export const make = (): Inbox => {
  let early: Array<JsonRpc.Incoming> = []
  let listener: ((incoming: JsonRpc.Incoming) => void) | null = null
  let skipped = 0
  let first = ""

  const deliver = (incoming: JsonRpc.Incoming) => {
    if (listener === null) early.push(incoming)
    else listener(incoming)
    return null
  }
  const skip = (line: string) => {
    const shown = line.slice(0, SHOWN)
    if (skipped++ === 0) first = shown
    return shown
  }
  return {
    receive: (frame) => {
      if (frame._tag === "Oversized") return deliver(frame)
      const message = JsonRpc.parse(frame.text)
      return message === null ? skip(frame.text) : deliver({ _tag: "Message", message })
    },
    listen: (next) => {
      const waiting = early
      early = []
      listener = next
      for (const incoming of waiting) next(incoming)
    },
    diagnostics: () => {
      if (skipped === 0) return []
      if (/^content-length:/i.test(first)) return [CONTENT_LENGTH]
      const lines = `${skipped} line${skipped === 1 ? "" : "s"}`
      return [`skipped ${lines} on standard output that are no messages, first: ${first}`]
    }
  }
}
