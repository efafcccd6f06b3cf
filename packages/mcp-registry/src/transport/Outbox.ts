/**
 * What waits to be written to a server: messages of one tick leave a few at a time, in one text each.
 */
import type { Json } from "effect/Schema"
import { ConnectionLost } from "../McpError.ts"
import type { Program } from "../Programs.ts"
import { isObject, type Message } from "./JsonRpc.ts"

/** The writing side of a channel. Nothing of it waits or throws. @category models */
export interface Outbox {
  /**
   * Takes a message; `onFailed` is told, at most once, that it did not leave and will not. False where that is told before
   * this returns.
   */
  readonly send: (message: Message, onFailed?: (reason: ConnectionLost) => void) => boolean
  /** To be told that what was written is behind. */
  readonly drained: () => void
  /** Writes what waits and ends the input. Later sends fail. */
  readonly end: () => void
  /** Ends the input, and fails what did not leave and all later sends, with this reason. */
  readonly close: (why: string) => void
}

interface Item {
  /** Of a request of ours: those of the server may have the same. */
  readonly id: Json | undefined
  readonly line: string
  readonly onFailed: ((reason: ConnectionLost) => void) | undefined
}

/**
 * So many messages, or characters, leave before their tick is over: the server works on them while we go on. All at once,
 * the two would take turns. @category constants
 */
export const ENOUGH = { messages: 32, length: 16 * 1024 } as const

/**
 * Begins an outbox that holds at most `maxLength` characters of what the program did not take yet, or one message above
 * it: a server that never reads costs no more than that.
 *
 * @category constructors
 */
export const make = (program: Pick<Program, "write" | "end" | "soon">, maxLength: number): Outbox => {
  let waiting: Array<Item> = []
  let waitingLength = 0
  /** What waits will be written at the end of this tick. */
  let isArranged = false
  /** The program has enough for now. */
  let isFull = false
  let closed: string | null = null

  const take = (): string => {
    let text = ""
    for (const { line } of waiting) text += line
    waiting = []
    waitingLength = 0
    return text
  }
  const flush = () => {
    // All of it may have been cancelled meanwhile, or failed.
    if (waiting.length > 0) isFull = !program.write(take())
  }
  const hasEnough = () => waiting.length >= ENOUGH.messages || waitingLength >= ENOUGH.length
  const arrange = () => {
    if (isFull) return
    if (hasEnough()) return flush()
    if (isArranged) return
    isArranged = true
    program.soon(() => {
      isArranged = false
      if (!isFull) flush()
    })
  }
  const drop = (id: Json | undefined): boolean => {
    const at = id === undefined ? -1 : waiting.findIndex((item) => item.id === id)
    const [item] = at === -1 ? [] : waiting.splice(at, 1)
    waitingLength -= item?.line.length ?? 0
    return item !== undefined
  }
  const refuse = (onFailed: Item["onFailed"], detail: string): false => {
    onFailed?.(new ConnectionLost({ detail, unsent: true }))
    return false
  }
  /** The first reason stays. */
  const shut = (why: string): string => {
    if (closed === null) program.end()
    return closed ??= why
  }
  return {
    send: (message, onFailed) => {
      if (closed !== null) return refuse(onFailed, closed)
      // What is cancelled before it left need not leave at all.
      if (message["method"] === CANCELLED && drop(requestIdOf(message))) return true
      const line = `${JSON.stringify(message)}\n`
      if (waitingLength > 0 && waitingLength + line.length > maxLength) return refuse(onFailed, DEAF)
      waiting.push({ id: message["method"] === undefined ? undefined : message["id"], line, onFailed })
      waitingLength += line.length
      arrange()
      return true
    },
    drained: () => {
      isFull = false
      if (!isArranged) flush()
    },
    end: () => {
      flush()
      shut("its standard input is closed")
    },
    close: (why) => {
      const unsent = waiting
      take()
      const reason = shut(why)
      for (const { onFailed } of unsent) refuse(onFailed, reason)
    }
  }
}

const CANCELLED = "notifications/cancelled"
const DEAF = "the server does not read its standard input"

const requestIdOf = ({ params }: Message): Json | undefined => isObject(params) ? params["requestId"] : undefined
