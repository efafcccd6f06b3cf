/**
 * What a server program writes: messages to standard output, and whatever it likes to standard error.
 */
import type { ServerConfig } from "@boocode/mcp-config"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import * as Stream from "effect/Stream"
import { ConnectionLost } from "../McpError.ts"
import * as ServerLog from "../ServerLog.ts"
import * as Framing from "./Framing.ts"
import * as Inbox from "./Inbox.ts"
import type { Message } from "./JsonRpc.ts"
import * as Pace from "./Pace.ts"
import * as Tail from "./Tail.ts"
import { SILENCE, type Wire } from "./Wire.ts"

/** The output of one process. @category models */
export interface ServerOutput extends Pick<Wire, "listen" | "stderr" | "diagnostics"> {
  /** To be told each message of ours: what answers it is never held up. */
  readonly sent: (message: Message) => void
  /** Reads standard output to its end. Fails as soon as a line turns out to have none. */
  readonly read: Effect.Effect<void, ConnectionLost>
  /** Reads standard error to its end. */
  readonly readErrors: Effect.Effect<void>
}

/**
 * Output that nobody reads yet. Of what nobody asked for, no more is read than costs little.
 *
 * @category constructors
 */
export const make = (
  config: ServerConfig,
  handle: ChildProcessSpawner.ChildProcessHandle,
  scrub: (text: string) => string
): ServerOutput => {
  const decoder = Framing.make(config.maxMessageBytes)
  const inbox = Inbox.make()
  const tail = Tail.make()
  const pace = Pace.make()

  const held = (bytes: number) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const wait = pace.note(bytes, now)
      return wait === 0 ? Effect.void : Effect.sleep(wait)
    })
  const unasked = () => inbox.unasked() + decoder.blanks() * Inbox.LINE_COST
  const receive = (chunk: Uint8Array): Effect.Effect<void, ConnectionLost> => {
    const before = unasked()
    const frames = decoder.push(chunk)
    const skipped = frames.flatMap((frame) => frame._tag === "Endless" ? [] : inbox.receive(frame) ?? [])
    const noted = Effect.forEach(
      skipped,
      (line) => Effect.logDebug(`${config.name}: not a message: ${scrub(line)}`),
      { discard: true }
    )
    const last = frames.at(-1)
    if (last?._tag !== "Endless") return Effect.andThen(noted, held(unasked() - before))
    return Effect.andThen(noted, Effect.fail(endless(last.bytes, config.maxMessageBytes)))
  }
  const complain = (line: string) => Effect.andThen(Effect.logDebug(`${config.name}: ${line}`), ServerLog.stderr(line))

  return {
    // The end of the process is told by its exit status; a broken pipe adds nothing to it.
    read: Stream.runForEach(Stream.catch(handle.stdout, () => Stream.empty), receive),
    readErrors: Stream.decodeText(
      Stream.tap(handle.stderr, (chunk) => held(chunk.length + ERROR_LINE_COST * linesOf(chunk)))
    ).pipe(
      Stream.tap((text) => Effect.sync(() => tail.append(text))),
      // By lines, because a secret that came in two pieces is found in neither.
      Stream.mapAccum(() => "", (rest, text) => Tail.lines(rest + text), {
        onHalt: (rest) => rest === "" ? [] : [rest]
      }),
      Stream.runForEach((text) => complain(inOneLine(scrub(text)))),
      // As above: what ends standard error shows in the exit status.
      Effect.ignore
    ),
    sent: inbox.sent,
    listen: inbox.listen,
    stderr: () => scrub(tail.text()),
    diagnostics: () => [
      ...inbox.diagnostics().map(scrub),
      ...unfinished(decoder),
      ...decoder.hasLines() || decoder.unfinished() > 0 ? [] : [silence(tail)],
      ...pace.isHeld() ? [HELD] : []
    ]
  }
}

/** Each line is cleaned, logged and kept for a while. */
const ERROR_LINE_COST = 512

const linesOf = (chunk: Uint8Array): number => {
  let lines = 0
  for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, at + 1)) lines++
  return lines
}

const NEWLINE = 0x0a

const megabytes = (bytes: number): string => `${Math.round(bytes / 1_000_000)} MB`

const HELD = `it wrote more than ${megabytes(Pace.BYTES_PER_SECOND)} a second that nobody asked for, and was held up`

const silence = (tail: Tail.Tail): string => tail.text() === "" ? SILENCE : `${SILENCE} to standard output`

/** A line may be under way at any time; it is worth a word when it is the first, or longer than any sensible message. */
const unfinished = (decoder: Framing.Decoder): ReadonlyArray<string> => {
  const bytes = decoder.unfinished()
  const isNormal = bytes === 0 || (decoder.hasLines() && bytes < 1_000_000)
  return isNormal ? [] : [`it wrote ${amount(bytes)} to standard output without a line end`]
}

const amount = (bytes: number): string => bytes < 1_000_000 ? `${bytes} bytes` : megabytes(bytes)

/** What a terminal would write over itself, such as the steps of a progress bar, stays one line. */
const inOneLine = (text: string): string => text.trimEnd().replaceAll("\n", " ")

/** Above the cap only its call fails; without an end there is no call to fail, and reading on would cost time for ever. */
const endless = (bytes: number, maxBytes: number) =>
  new ConnectionLost({
    happened: "the connection was dropped",
    detail: `the server wrote ${megabytes(bytes)} to standard output without a line end`,
    try: `a message is one line of at most ${megabytes(maxBytes)} ("maxMessageBytes"): have the server end its lines`
  })
