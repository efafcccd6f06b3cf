/**
 * Reads a stream of server-sent events as it comes, and holds each event under the cap (Decision 11, R37).
 */
import * as Bytes from "./Bytes.ts"
import * as Framing from "./Framing.ts"
import * as NextByte from "./NextByte.ts"
import * as SseField from "./SseField.ts"
import * as SseLine from "./SseLine.ts"
import * as SseText from "./SseText.ts"
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
  /** Whether what is no request and no notification answers one known request, so that its id is not waited for. */
  readonly isOwn?: boolean
  /**
   * Is told of an answer above the cap, as soon as that shows: its end may take minutes. Everything else above it is
   * dropped.
   */
  readonly onOversized: (oversized: Oversized) => void
  /** Is told the length of what came besides: comments, fields, blank lines, and what is above the cap and no answer. */
  readonly onIdle?: (length: number) => void
}

const LF = 0x0a
const CR = 0x0d
const NEWLINE = new Uint8Array([LF])
/** A stream may begin with a byte order mark. */
const MARK = [0xef, 0xbb, 0xbf]

/**
 * Begins at the start of a stream. Linear in the bytes, whatever the chunks.
 *
 * @category constructors
 */
export const make = (options: Options): SseEvents => {
  const place = SseField.place()
  const { maxBytes, onEvent, onIdle = NOBODY } = options
  let pieces: Pieces | null = null
  let isFirst = true
  return {
    push: (chunk) => {
      const isBetween = pieces === null || pieces.isBetween()
      if (isBetween && SseText.isWhole(chunk, maxBytes)) SseText.read(chunk, place, onEvent, onIdle)
      else (pieces ??= inPieces(options, place, isFirst)).push(chunk)
      if (chunk.length > 0) isFirst = false
    },
    end: () => pieces?.end(),
    lastEventId: () => place.lastEventId,
    retryMillis: () => place.retryMillis,
    isEndless: () => pieces?.isEndless() === true
  }
}

const NOBODY = () => {}

/** Events that do not come whole. */
interface Pieces extends Pick<SseEvents, "push" | "end" | "isEndless"> {
  /** Whether the next byte begins an event. */
  readonly isBetween: () => boolean
}

const inPieces = (
  { endlessBytes, isOwn = false, maxBytes, onEvent, onIdle = NOBODY, onOversized }: Options,
  place: SseField.Place,
  isFirst: boolean
): Pieces => {
  const endless = endlessBytes ?? Framing.dropAfter(maxBytes)
  const line = SseLine.make()
  let event = begin()
  let marked = isFirst ? 0 : MARK.length
  let afterCarriageReturn = false

  const endOfEvent = () => {
    const { bytes, data, fields, isTold, sought } = event
    event = begin()
    SseField.passed(place, fields)
    if (sought === null) return data.length === 0 ? onIdle(0) : onEvent(textOf(data), fields.name)
    if (isTold) return
    const found = sought.result()
    if (found.isAnswer && isMessage(fields.name)) onOversized({ bytes, id: found.id })
    else onIdle(bytes)
  }
  const tellEarly = ({ bytes, fields, isTold, lines, sought }: Event) => {
    if (isTold || sought?.hasOutcome() !== true || !(line.isData() || lines > 0) || !isMessage(fields.name)) return
    const found = sought.result()
    if (!found.isAnswer) return
    if (found.id === null && !isOwn) return
    event.isTold = true
    onOversized({ bytes, id: found.id })
  }
  const endOfLine = () => {
    if (line.isBlank()) return endOfEvent()
    if (line.isData()) event.lines++
    else if (!line.isComment()) {
      SseField.read(line.text(), event.fields, place)
      onIdle(line.length())
    }
    line.clear()
  }
  const text = (bytes: Uint8Array) => {
    const wasData = line.isData()
    const data = line.push(bytes)
    if (line.isComment()) onIdle(bytes.length)
    else event.bytes += bytes.length
    if (line.isData()) {
      if (!wasData && event.lines > 0) keep(event, NEWLINE)
      keep(event, data)
    }
    const open = line.isComment() ? line.length() : 0
    if (event.sought === null && event.bytes + open <= maxBytes) return
    if (event.sought === null) seek(event)
    tellEarly(event)
  }
  /** Where a chunk goes on behind the mark. */
  const behindMark = (chunk: Uint8Array) => {
    const from = marked
    while (marked < MARK.length && chunk[marked - from] === MARK[marked]) marked++
    const at = marked - from
    if (at < chunk.length) marked = MARK.length
    return at
  }
  return {
    isBetween: () => event.bytes === 0 && line.isBlank() && !afterCarriageReturn,
    push: (chunk) => {
      const breaks = NextByte.of(chunk, LF, CR)
      let at = afterCarriageReturn && chunk[0] === LF ? 1 : behindMark(chunk)
      if (chunk.length > 0) afterCarriageReturn = false
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
    isEndless: () => event.sought !== null && event.bytes > endless
  }
}

/** Whether an event of this name holds a message. @category predicates */
export const isMessage = (name: string): boolean => name === "" || name === "message"

interface Event {
  bytes: number
  fields: SseField.Fields
  /** How many lines of data are complete. */
  lines: number
  data: Array<Uint8Array>
  /** Looks for the id of what is above the cap. */
  sought: TopLevelId.TopLevelId | null
  isTold: boolean
}

const begin = (): Event => ({ bytes: 0, fields: SseField.begin(), lines: 0, data: [], sought: null, isTold: false })

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
