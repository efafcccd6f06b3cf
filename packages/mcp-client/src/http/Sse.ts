/**
 * Reads a stream of server-sent events as it comes, and holds each event under the cap (Decision 11, R37).
 */
import * as JsonRpc from "../base/JsonRpc.ts"
import * as Framing from "../stdio/Framing.ts"
import * as LostMessageId from "../stdio/LostMessageId.ts"

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
  const place = startPlace()
  const { maxBytes, onEvent, onIdle = NOBODY } = options
  let pieces: Pieces | null = null
  let isFirst = true
  return {
    push: (chunk) => {
      const isBetween = pieces === null || pieces.isBetween()
      if (isBetween && isWhole(chunk, maxBytes)) readWhole(chunk, place, onEvent, onIdle)
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
  place: Place,
  isFirst: boolean
): Pieces => {
  const endless = endlessBytes ?? Framing.dropAfter(maxBytes)
  const line = makeLine()
  let event = begin()
  let marked = isFirst ? 0 : MARK.length
  let afterCarriageReturn = false

  const endOfEvent = () => {
    const { bytes, data, fields, isTold, sought } = event
    event = begin()
    passField(place, fields)
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
      readField(line.text(), event.fields, place)
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
      const breaks = LostMessageId.nextByteOf(chunk, LF, CR)
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
  fields: Fields
  /** How many lines of data are complete. */
  lines: number
  data: Array<Uint8Array>
  /** Looks for the id of what is above the cap. */
  sought: LostMessageId.LostMessageId | null
  isTold: boolean
}

const begin = (): Event => ({ bytes: 0, fields: beginFields(), lines: 0, data: [], sought: null, isTold: false })

const keep = (event: Event, bytes: Uint8Array): void => {
  if (event.sought === null) event.data.push(bytes)
  else event.sought.push(bytes)
}

const seek = (event: Event): void => {
  const sought = LostMessageId.make()
  event.data.forEach(sought.push)
  event.data = []
  event.sought = sought
}

const textOf = (data: ReadonlyArray<Uint8Array>): string => {
  const text = JsonRpc.textOfBytes(data)
  return text.startsWith(" ") ? text.slice(1) : text
}

// The fields of server-sent events other than their data: what an event is called, and where a stream may be taken up.

/** What a stream is at. @category models */
export interface Place {
  /** The id of the last event that was complete and had one. */
  lastEventId: string | null
  /** How long the server wants us to wait before the next connection, in milliseconds. */
  retryMillis: number | null
}

/** The fields of one event so far. @category models */
export interface Fields {
  id: string | null
  name: string
}

/** At the start of a stream. @category constructors */
export const startPlace = (): Place => ({ lastEventId: null, retryMillis: null })

/** At the start of an event. @category constructors */
export const beginFields = (): Fields => ({ id: null, name: "" })

/** Takes a line that is neither data nor a comment. One that means nothing counts for nothing. @category decoding */
export const readField = (line: string, fields: Fields, at: Place): void => {
  const colon = line.indexOf(":")
  const name = colon === -1 ? line : line.slice(0, colon)
  const value = colon === -1 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1)
  if (name === "event") fields.name = value
  if (name === "id" && ID.test(value)) fields.id = value
  if (name === "retry" && RETRY.test(value)) at.retryMillis = Number(value)
}

/** The event is complete. @category combinators */
export const passField = (at: Place, { id }: Fields): void => {
  if (id !== null) at.lastEventId = id
}

/** What a header can hold, for that is how it goes back. An event with any other id counts as one without. */
const ID = /^[\x20-\x7e]{0,1000}$/
const RETRY = /^\d{1,9}$/

// One line of a stream of server-sent events, of which no more is kept than its field needs.

/** @category models */
export interface SseLine {
  /** Takes the next bytes of the line. Gives those that belong to the value of a `data` field. */
  readonly push: (bytes: Uint8Array) => Uint8Array
  /** Whether the line has no bytes yet. */
  readonly isBlank: () => boolean
  readonly isComment: () => boolean
  /** Whether the line is known to be one of data. */
  readonly isData: () => boolean
  /** The bytes of the line so far. */
  readonly length: () => number
  /** The beginning of the line, up to 1 KB. */
  readonly text: () => string
  /** Begins the next line. */
  readonly clear: () => void
}

const DATA = "data:"
const KEPT_BYTES = 1024
const COLON = 0x3a
const NONE = new Uint8Array(0)
const decoder = new TextDecoder()

/** @category constructors */
export const makeLine = (): SseLine => {
  let head = NONE
  let kept = 0
  let length = 0
  let isData = false

  const keep = (bytes: Uint8Array, wanted: number) => {
    if (head === NONE) head = new Uint8Array(KEPT_BYTES)
    const taken = bytes.subarray(0, Math.max(0, Math.min(bytes.length, wanted - kept)))
    head.set(taken, kept)
    kept += taken.length
    return bytes.subarray(taken.length)
  }
  const text = () => decoder.decode(head.subarray(0, kept))
  return {
    push: (bytes) => {
      if (isData || (length === 0 && beginsWithData(bytes))) {
        const value = isData ? bytes : bytes.subarray(DATA.length)
        length += bytes.length
        isData = true
        return value
      }
      length += bytes.length
      const rest = keep(bytes, DATA.length)
      if (kept < DATA.length) return NONE
      isData = kept === DATA.length && text() === DATA
      if (isData) return rest
      keep(rest, KEPT_BYTES)
      return NONE
    },
    isBlank: () => length === 0,
    isComment: () => !isData && length > 0 && head[0] === COLON,
    isData: () => isData,
    length: () => length,
    text,
    clear: () => {
      kept = 0
      length = 0
      isData = false
    }
  }
}

/** Nearly every line of data comes in one piece. */
const beginsWithData = (bytes: Uint8Array): boolean =>
  bytes[0] === 0x64 && bytes[1] === 0x61 && bytes[2] === 0x74 && bytes[3] === 0x61 && bytes[4] === COLON

// Server-sent events that came whole in one chunk, as nearly all do: read as text, at a fraction of what bytes cost.

/** The first byte of a byte order mark. */
const TEXT_MARK = 0xef

/** A mark within a stream is none. */
const decoderText = new TextDecoder("utf-8", { ignoreBOM: true })

/** Whether a chunk that begins an event also ends one, in lines that end with LF, and is under the cap. @category predicates */
export const isWhole = (chunk: Uint8Array, maxBytes: number): boolean =>
  chunk.length <= maxBytes && chunk[chunk.length - 1] === LF && chunk[chunk.length - 2] === LF &&
  chunk[0] !== TEXT_MARK &&
  !chunk.includes(CR)

/** Tells of each event in such a chunk. @category decoding */
export const readWhole = (
  chunk: Uint8Array,
  place: Place,
  onEvent: (data: string, name: string) => void,
  onIdle: (length: number) => void
): void => {
  const text = decoderText.decode(chunk)
  let fields = beginFields()
  let data: string | null = null
  for (let at = 0, end = 0; at < text.length; at = end + 1) {
    end = text.indexOf("\n", at)
    if (end === at) {
      const [told, { name }] = [data, fields]
      passField(place, fields)
      fields = beginFields()
      data = null
      if (told === null) onIdle(0)
      else onEvent(told, name)
    } else if (text.startsWith(DATA, at)) {
      const value = text.slice(at + DATA.length, end)
      data = data === null ? withoutSpace(value) : `${data}\n${value}`
    } else {
      if (text[at] !== ":") readField(text.slice(at, end), fields, place)
      onIdle(end - at)
    }
  }
}

const withoutSpace = (value: string): string => value.startsWith(" ") ? value.slice(1) : value
