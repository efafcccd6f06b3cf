/**
 * Reads a stream of server-sent events as it comes, and holds each event under the cap (Decision 11, R37).
 */
import * as Bytes from "./Bytes.ts"
import * as Framing from "./Framing.ts"
import * as NextByte from "./NextByte.ts"
import * as SseLine from "./SseLine.ts"
import * as TopLevelId from "./TopLevelId.ts"

/** What became of an event above the cap that is an answer. @category models */
export interface Oversized {
  readonly bytes: number
  /** The id of the answer; null when none could be found in it. */
  readonly id: string | number | null
}

/** A stream of events while it streams by. Holds one event at most, up to the cap. @category models */
export interface SseEvents {
  /** Takes the next bytes, and tells at once of each event that they complete. */
  readonly push: (chunk: Uint8Array) => void
  /** To be called at the end of the stream. An event that was cut off counts for nothing. */
  readonly end: () => void
  /** The id of the last event that was complete and had one. */
  readonly lastEventId: () => string | null
  /** How long the server wants us to wait before the next connection, in milliseconds. */
  readonly retryMillis: () => number | null
  /** Whether the event under way went on for so long that it is not worth waiting for its end. */
  readonly isEndless: () => boolean
}

/** @category models */
export interface Options {
  /** The largest event that is told of. */
  readonly maxBytes: number
  /** An event beyond so many bytes is endless. Default as for a line of a pipe. */
  readonly endlessBytes?: number
  /** Is told of each event that has data; the name is empty where the server gave none. */
  readonly onEvent: (data: string, name: string) => void
  /** Is told of an answer above the cap. Everything else above it is dropped. */
  readonly onOversized: (oversized: Oversized) => void
}

const LF = 0x0a
const CR = 0x0d
const NEWLINE = new Uint8Array([LF])

/**
 * Begins at the start of a stream. Linear in the bytes, whatever the chunks.
 *
 * @category constructors
 */
export const make = ({ endlessBytes, maxBytes, onEvent, onOversized }: Options): SseEvents => {
  const endless = endlessBytes ?? Framing.dropAfter(maxBytes)
  const line = SseLine.make()
  let event = begin()
  let isFirst = true
  let afterCarriageReturn = false
  let lastEventId: string | null = null
  let retryMillis: number | null = null

  const field = () => {
    const { name, value } = line.field()
    if (name === "id") event.id = value
    if (name === "event") event.name = value
    if (name === "retry" && /^\d{1,9}$/.test(value)) retryMillis = Number(value)
  }
  const endOfEvent = () => {
    const { bytes, data, id, name, sought } = event
    event = begin()
    if (id !== null) lastEventId = id
    if (sought === null) return data.length === 0 ? undefined : onEvent(textOf(data), name)
    const found = sought.result()
    if (found.isAnswer && isMessage(name)) onOversized({ bytes, id: found.id })
  }
  const endOfLine = () => {
    if (line.isBlank()) return endOfEvent()
    if (line.isData()) event.lines++
    else if (!line.isComment()) field()
    line.clear()
  }
  const text = (bytes: Uint8Array) => {
    const wasData = line.isData()
    const data = line.push(bytes)
    if (!line.isComment()) event.bytes += bytes.length
    if (line.isData()) {
      if (!wasData && event.lines > 0) keep(event, NEWLINE)
      keep(event, data)
    }
    const open = line.isComment() ? line.length() : 0
    if (event.sought === null && event.bytes + open > maxBytes) seek(event)
  }
  return {
    push: (chunk) => {
      const breaks = NextByte.of(chunk, LF, CR)
      let at = (afterCarriageReturn && chunk[0] === LF) ? 1 : isFirst ? lengthOfMark(chunk) : 0
      if (chunk.length > 0) isFirst = afterCarriageReturn = false
      while (at < chunk.length) {
        const end = breaks(at)
        if (end > at) text(chunk.subarray(at, end))
        if (end === chunk.length) return
        at = chunk[end] === CR && chunk[end + 1] === LF ? end + 2 : end + 1
        afterCarriageReturn = chunk[end] === CR && at === chunk.length
        endOfLine()
      }
    },
    end: () => event.sought === null ? undefined : endOfEvent(),
    lastEventId: () => lastEventId,
    retryMillis: () => retryMillis,
    isEndless: () => event.sought !== null && event.bytes > endless
  }
}

/** Whether an event of this name holds a message. @category predicates */
export const isMessage = (name: string): boolean => name === "" || name === "message"

interface Event {
  bytes: number
  id: string | null
  name: string
  /** How many lines of data are complete. */
  lines: number
  data: Array<Uint8Array>
  /** Looks for the id of what is above the cap. */
  sought: TopLevelId.TopLevelId | null
}

const begin = (): Event => ({ bytes: 0, id: null, name: "", lines: 0, data: [], sought: null })

const keep = (event: Event, bytes: Uint8Array): void => {
  if (event.sought === null) event.data.push(bytes)
  else event.sought.push(bytes)
}

const seek = (event: Event): void => {
  const sought = TopLevelId.make()
  event.data.forEach(sought.push)
  event.data = []
  event.sought = sought
}

const textOf = (data: ReadonlyArray<Uint8Array>): string => {
  const text = Bytes.text(data)
  return text.startsWith(" ") ? text.slice(1) : text
}

/** A stream may begin with a byte order mark. */
const lengthOfMark = ([first, second, third]: Uint8Array): number =>
  first === 0xef && second === 0xbb && third === 0xbf ? 3 : 0
