/** Writes to a server: messages of one tick leave a few at a time, in one text each. */
import type { Json } from "effect/Schema"
import { isObject, type Message } from "../base/JsonRpc.ts"
import type { Sending } from "../contract/Channel.ts"
import { ConnectionLost } from "../errors/McpError.ts"
import type { Program } from "../host/Programs.ts"

interface Item {
  /** The id of a request of ours; requests of the server may have the same. */
  readonly id: Json | undefined
  readonly line: string
  readonly onFailed: ((reason: ConnectionLost) => void) | undefined
}

/**
 * So many messages, or characters, leave before their tick is over: the server works on them while we go on. All at once,
 * the two would take turns.
 */
export const ENOUGH = { messages: 32, length: 16 * 1024 } as const

/**
 * So many characters of what waited leave as one text, or one message above it; the next when the program took them. A
 * server that reads again after a long time would otherwise cost several times what waited for it.
 */
export const PIECE = 256 * 1024

/** So many characters wait for a server that does not read. */
export const MOST = 16 * 1024 * 1024

type Writing = Pick<Program, "write" | "isWritable" | "end" | "soon">

/**
 * The writing side of a channel, which holds at most `maxLength` characters that the program did not take yet, or one
 * message above it: a server that never reads costs no more than that. Nothing of it waits or throws.
 */
export class Outbox {
  private readonly program: Writing
  private readonly maxLength: number
  private items: Array<Item> = []
  private length = 0
  /** A write at the end of this tick is arranged. */
  private isArranged = false
  /** The program has enough for now. */
  private isFull = false
  private closed: string | null = null

  constructor(program: Writing, maxLength: number) {
    this.program = program
    this.maxLength = maxLength
  }

  /**
   * Takes a message; `onFailed` is told, at most once, that it did not leave and will not. False where that is told before
   * this returns. One that is alone leaves at once: for one call at a time, the end of the tick is long.
   */
  send(message: Message, { isAlone = false, onFailed }: Pick<Sending, "onFailed" | "isAlone"> = {}): boolean {
    if (this.closed !== null) return refuse(onFailed, this.closed)
    // A request that is cancelled before it left need not leave at all.
    if (message["method"] === CANCELLED && this.drop(requestIdOf(message))) return true
    const line = `${JSON.stringify(message)}\n`
    if (isAlone && this.items.length === 0 && !this.isFull && this.program.isWritable()) {
      this.isFull = !this.program.write(line)
      return true
    }
    if (this.length > 0 && this.length + line.length > this.maxLength) return refuse(onFailed, DEAF)
    this.items.push({ id: message["method"] === undefined ? undefined : message["id"], line, onFailed })
    this.length += line.length
    this.arrange()
    return true
  }
  /** The program took what was written. */
  drained(): void {
    this.isFull = false
    if (!this.isArranged) this.flush()
  }
  /** Writes what waits and ends the input. Later sends fail. */
  end(): void {
    while (this.canWrite) this.program.write(this.take())
    this.shut("its standard input is closed")
  }
  /** Ends the input, and fails what did not leave and all later sends, with this reason. */
  close(why: string): void {
    const unsent = this.items
    this.items = []
    this.length = 0
    const reason = this.shut(why)
    for (const { onFailed } of unsent) refuse(onFailed, reason)
  }

  /** As much as leaves at once. */
  private take(): string {
    let text = ""
    let count = 0
    for (const { line } of this.items) {
      if (count > 0 && text.length + line.length > PIECE) break
      text += line
      count++
    }
    this.items = count === this.items.length ? [] : this.items.slice(count)
    this.length -= text.length
    return text
  }
  private flush(): void {
    while (this.canWrite && !this.isFull) this.isFull = !this.program.write(this.take())
  }
  /** All of it may have been cancelled meanwhile, or failed; what cannot leave any more waits for the end. */
  private get canWrite(): boolean {
    return this.items.length > 0 && this.program.isWritable()
  }
  private get hasEnough(): boolean {
    return this.items.length >= ENOUGH.messages || this.length >= ENOUGH.length
  }
  private arrange(): void {
    if (this.isFull) return
    if (this.hasEnough) return this.flush()
    if (this.isArranged) return
    this.isArranged = true
    this.program.soon(() => {
      this.isArranged = false
      if (!this.isFull) this.flush()
    })
  }
  private drop(id: Json | undefined): boolean {
    const at = id === undefined ? -1 : this.items.findIndex((item) => item.id === id)
    const [item] = at === -1 ? [] : this.items.splice(at, 1)
    this.length -= item?.line.length ?? 0
    return item !== undefined
  }
  /** The first reason stays. */
  private shut(why: string): string {
    if (this.closed === null) this.program.end()
    return this.closed ??= why
  }
}

const refuse = (onFailed: Item["onFailed"], detail: string): false => {
  onFailed?.(new ConnectionLost({ detail, unsent: true }))
  return false
}

const CANCELLED = "notifications/cancelled"
const DEAF = "the server does not read its standard input"

const requestIdOf = ({ params }: Message): Json | undefined => isObject(params) ? params["requestId"] : undefined
