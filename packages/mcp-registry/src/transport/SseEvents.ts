/**
 * Lets a stream of server-sent events through as it comes, but no event above the cap (Decision 11, R37).
 */
import * as Framing from "./Framing.ts"
import * as NextByte from "./NextByte.ts"
import * as SseLine from "./SseLine.ts"
import * as TopLevelId from "./TopLevelId.ts"

/** What became of an event above the cap. @category models */
export interface Oversized {
  readonly bytes: number
  /** The id of the answer; null when none could be found in it. */
  readonly id: string | number | null
}

/** A stream of events while it streams by. Holds 64 KiB of an event at most. @category models */
export interface SseEvents {
  /** Takes the next bytes and gives those to pass on, in order. */
  readonly push: (chunk: Uint8Array) => ReadonlyArray<Uint8Array>
  /** To be called at the end of the stream; gives what to pass on then. An event that was cut off counts for nothing. */
  readonly end: () => ReadonlyArray<Uint8Array>
  /** Ends an event that was cut off, for whoever is to read another stream behind this one. */
  readonly abandon: () => ReadonlyArray<Uint8Array>
  /** The id of the last event that was complete and had one. */
  readonly lastEventId: () => string | null
  /** How long the server wants us to wait before the next connection, in milliseconds. */
  readonly retryMillis: () => number | null
  /** Whether the event under way went on for so long that it is not worth waiting for its end. */
  readonly isEndless: () => boolean
}

/** @category models */
export interface Options {
  /** The largest event that is let through. */
  readonly maxBytes: number
  /** Is told of an answer above the cap. What it gives is passed on in its place, as messages. */
  readonly onOversized: (oversized: Oversized) => ReadonlyArray<string>
  /** An event beyond so many bytes is endless. Default as for a line of a pipe. */
  readonly endlessBytes?: number
  /** Is told of each event that was let through, before whoever it is passed on to; the data of a large one is empty. */
  readonly onEvent?: (data: () => string) => void
}

const LF = 0x0a
const CR = 0x0d
/** Smaller events are not looked into unless they turn out to be above the cap. */
const UNREAD_BYTES = 64 * 1024
/** Ends an event that was begun. Nobody listens for events of this name. */
const ABANDON = "event: boocode-discarded\n\n"

const encoder = new TextEncoder()
/** At the start of a line a newline would end the event, and so pass it on. */
const abandoned = (isInLine: boolean) => encoder.encode(`${isInLine ? "\n" : ""}${ABANDON}`)

/**
 * Begins at the start of a stream. Linear in the bytes, whatever the chunks.
 *
 * @category constructors
 */
export const make = ({ endlessBytes, maxBytes, onEvent, onOversized }: Options): SseEvents => {
  const endless = endlessBytes ?? Framing.dropAfter(maxBytes)
  const line = SseLine.make()
  let event = begin()
  let isDiscarding = false
  let afterCarriageReturn = false
  let lastEventId: string | null = null
  let retryMillis: number | null = null

  const field = () => {
    const { name, value } = line.field()
    if (name === "id") event.id = value
    if (name === "event") event.name = value
    if (name === "retry" && /^\d{1,9}$/.test(value)) retryMillis = Number(value)
  }
  const replacement = (): ReadonlyArray<Uint8Array> => {
    if (!isDiscarding) return []
    isDiscarding = false
    const { id, isAnswer } = event.data.result()
    if (!isAnswer || (event.name !== "" && event.name !== "message")) return []
    return onOversized({ bytes: event.bytes, id }).map((message) => encoder.encode(`data: ${message}\n\n`))
  }
  const endOfEvent = () => {
    if (!isDiscarding) onEvent?.(event.data.text)
    const replaced = replacement()
    if (event.id !== null) lastEventId = event.id
    event = begin()
    return replaced
  }
  const endOfLine = () => {
    if (line.isBlank()) return endOfEvent()
    if (!line.isComment()) field()
    line.clear()
    return []
  }
  const text = (bytes: Uint8Array) => {
    const data = line.push(bytes)
    if (!line.isComment()) event.bytes += bytes.length
    event.data.push(data)
    return !isDiscarding && event.bytes + (line.isComment() ? line.length() : 0) > maxBytes
  }
  const push = (chunk: Uint8Array) => {
    const out: Array<Uint8Array> = []
    const breaks = NextByte.of(chunk, LF, CR)
    let passed = 0
    let at = afterCarriageReturn && chunk[0] === LF ? 1 : 0
    if (chunk.length > 0) afterCarriageReturn = false
    while (at < chunk.length) {
      const end = breaks(at)
      const isInLine = !line.isBlank()
      if (end > at && text(chunk.subarray(at, end))) {
        out.push(chunk.subarray(passed, at), abandoned(isInLine))
        isDiscarding = true
      }
      if (end === chunk.length) {
        at = end
        break
      }
      const next = chunk[end] === CR && chunk[end + 1] === LF ? end + 2 : end + 1
      afterCarriageReturn = chunk[end] === CR && next === chunk.length
      const wasDiscarding = isDiscarding
      out.push(...endOfLine())
      if (wasDiscarding) passed = next
      at = next
    }
    if (!isDiscarding) out.push(chunk.subarray(passed))
    return out.filter(({ length }) => length > 0)
  }
  return {
    push,
    end: () => isDiscarding ? endOfEvent() : [],
    abandon: () => event.bytes > 0 || !line.isBlank() ? [abandoned(!line.isBlank())] : [],
    lastEventId: () => lastEventId,
    retryMillis: () => retryMillis,
    isEndless: () => isDiscarding && event.bytes > endless
  }
}

interface Event {
  bytes: number
  id: string | null
  name: string
  readonly data: Data
}

const begin = (): Event => ({ bytes: 0, id: null, name: "", data: makeData() })

interface Data {
  readonly push: (bytes: Uint8Array) => void
  readonly result: () => ReturnType<TopLevelId.TopLevelId["result"]>
  /** Empty once it is large. */
  readonly text: () => string
}

/** Looks for the id in the data of an event, once the event is large enough to be in doubt. */
const makeData = (): Data => {
  let held: Array<Uint8Array> = []
  let heldBytes = 0
  let reader: TopLevelId.TopLevelId | null = null
  const read = () => {
    const made = TopLevelId.make()
    held.forEach(made.push)
    held = []
    return made
  }
  return {
    push: (bytes) => {
      if (reader !== null) return reader.push(bytes)
      if (bytes.length > 0) held.push(bytes)
      heldBytes += bytes.length
      if (heldBytes > UNREAD_BYTES) reader = read()
    },
    result: () => (reader ?? read()).result(),
    text: () => {
      const decoder = new TextDecoder()
      return held.map((bytes) => decoder.decode(bytes, { stream: true })).join("")
    }
  }
}
