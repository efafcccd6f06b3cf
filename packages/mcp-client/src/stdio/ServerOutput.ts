/** The output of a server program: messages on standard output, anything on standard error. */
import type { ServerConfig } from "@boocode/mcp-config"
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Message } from "../base/JsonRpc.ts"
import * as Pace from "../base/Pace.ts"
import * as TextTail from "../base/TextTail.ts"
import type { Receiver } from "../contract/Channel.ts"
import { ConnectionLost } from "../errors/McpError.ts"
import * as ServerLog from "../host/ServerLog.ts"
import * as Framing from "./Framing.ts"
import { Inbox } from "./Inbox.ts"

/** How the diagnostics of a server begin that has written nothing so far. */
export const SILENCE = "it wrote nothing"

/** The output of one process. It is read slowly where nobody asked for it. */
export class ServerOutput {
  private readonly config: ServerConfig
  private readonly clock: Clock.Clock
  private readonly scrub: (text: string) => string
  private readonly decoder: Framing.Framing
  private readonly inbox = new Inbox()
  private readonly pace = new Pace.Pace()
  // Most servers never write any.
  private errors: TextTail.ErrorLines | null = null

  constructor(config: ServerConfig, clock: Clock.Clock, scrub: (text: string) => string) {
    this.config = config
    this.clock = clock
    this.scrub = scrub
    this.decoder = new Framing.Framing(config.maxMessageBytes)
  }

  /**
   * Takes some standard output, and hands on what it completes. Gives what is to be done before more is read, null when
   * that is nothing. It fails as soon as a line turns out to have no end.
   */
  read(bytes: Uint8Array): Effect.Effect<void, ConnectionLost> | null {
    const { config } = this
    const before = this.unasked
    let skipped: Array<string> | null = null
    let end: Effect.Effect<void, ConnectionLost> | null = null
    for (const frame of this.decoder.push(bytes)) {
      if (frame._tag === "Endless") end = Effect.fail(endless(frame.bytes, config.maxMessageBytes))
      else {
        const line = this.inbox.receive(frame)
        if (line !== null) (skipped ??= []).push(line)
      }
    }
    const added = this.unasked - before
    end ??= added === 0 ? null : this.held(added)
    return skipped === null ? end : Effect.andThen(skip(config.name, skipped, this.scrub), end ?? Effect.void)
  }
  /** Takes some standard error. Gives what is to be done before more is read. */
  readErrors(bytes: Uint8Array): Effect.Effect<void> {
    this.errors ??= TextTail.makeErrorLines()
    return Effect.andThen(
      complain(this.config.name, this.errors.push(bytes), this.scrub),
      this.held(bytes.length + ERROR_LINE_COST * linesOf(bytes)) ?? Effect.void
    )
  }
  /** Notes the last line of standard error, whose end will not come. */
  get endErrors(): Effect.Effect<void> {
    return Effect.suspend(() => complain(this.config.name, this.errors?.end() ?? [], this.scrub))
  }
  /** Notes a message of ours: its answer is never held up. */
  sent(message: Message): void {
    this.inbox.sent(message)
  }
  listen(receiver: Receiver): void {
    this.inbox.listen(receiver)
  }
  stderr(): string {
    return this.errors === null ? "" : this.scrub(this.errors.last())
  }
  diagnostics(): ReadonlyArray<string> {
    const { decoder, errors, inbox, pace, scrub } = this
    return [
      ...inbox.diagnostics().map(scrub),
      ...unfinished(decoder),
      ...decoder.hasLines() || decoder.unfinished() > 0 ? [] : [silence(errors?.last() ?? "")],
      ...pace.diagnostics()
    ]
  }

  private held(bytes: number): Effect.Effect<void> | null {
    const wait = this.pace.note(bytes, this.clock.currentTimeMillisUnsafe())
    return wait === 0 ? null : Effect.sleep(wait)
  }
  private get unasked(): number {
    return this.inbox.unasked() + this.decoder.blanks() * Pace.LINE_COST
  }
}

const skip = (name: string, lines: ReadonlyArray<string>, scrub: (text: string) => string) =>
  Effect.forEach(lines, (line) => Effect.logDebug(`${name}: not a message: ${scrub(line)}`), { discard: true })

const complain = (name: string, lines: ReadonlyArray<string>, scrub: (text: string) => string) =>
  Effect.forEach(lines, (text) => {
    const line = inOneLine(scrub(text))
    return Effect.andThen(Effect.logDebug(`${name}: ${line}`), ServerLog.stderr(line))
  }, { discard: true })

/** Each line is cleaned, logged and kept for a while. */
const ERROR_LINE_COST = 512

const linesOf = (chunk: Uint8Array): number => {
  let lines = 0
  for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, at + 1)) lines++
  return lines
}

const NEWLINE = 0x0a

const megabytes = (bytes: number): string => `${Math.round(bytes / 1_000_000)} MB`

const silence = (said: string): string => said === "" ? SILENCE : `${SILENCE} to standard output`

/** A line may be under way at any time; it is worth a word when it is the first, or longer than any sensible message. */
const unfinished = (decoder: Framing.Framing): ReadonlyArray<string> => {
  const bytes = decoder.unfinished()
  const isNormal = bytes === 0 || (decoder.hasLines() && bytes < 1_000_000)
  return isNormal ? [] : [`it wrote ${amount(bytes)} to standard output without a line end`]
}

const amount = (bytes: number): string => bytes < 1_000_000 ? `${bytes} bytes` : megabytes(bytes)

/** The steps of a progress bar, which a terminal writes over each other, stay one line. */
const inOneLine = (text: string): string => text.trimEnd().replaceAll("\n", " ")

/** Above the cap only its call fails; without an end there is no call to fail, and reading on would cost time for ever. */
const endless = (bytes: number, maxBytes: number) =>
  new ConnectionLost({
    happened: "the connection was dropped",
    detail: `the server wrote ${megabytes(bytes)} to standard output without a line end`,
    try: `a message is one line of at most ${megabytes(maxBytes)} ("maxMessageBytes"): have the server end its lines`
  })
