/**
 * Server-sent events that came whole in one chunk, as nearly all do: read as text, at a fraction of what bytes cost.
 */
import * as SseField from "./SseField.ts"

const LF = 0x0a
const CR = 0x0d
/** The first byte of a byte order mark. */
const MARK = 0xef
const DATA = "data:"

/** A mark within a stream is none. */
const decoder = new TextDecoder("utf-8", { ignoreBOM: true })

/** Whether a chunk that begins an event also ends one, in lines that end with LF, and is under the cap. @category predicates */
export const isWhole = (chunk: Uint8Array, maxBytes: number): boolean =>
  chunk.length <= maxBytes && chunk[chunk.length - 1] === LF && chunk[chunk.length - 2] === LF && chunk[0] !== MARK &&
  !chunk.includes(CR)

/** Tells of each event in such a chunk. @category decoding */
export const read = (
  chunk: Uint8Array,
  place: SseField.Place,
  onEvent: (data: string, name: string) => void,
  onIdle: (length: number) => void
): void => {
  const text = decoder.decode(chunk)
  let fields = SseField.begin()
  let data: string | null = null
  for (let at = 0, end = 0; at < text.length; at = end + 1) {
    end = text.indexOf("\n", at)
    if (end === at) {
      const [told, { name }] = [data, fields]
      SseField.passed(place, fields)
      fields = SseField.begin()
      data = null
      if (told === null) onIdle(0)
      else onEvent(told, name)
    } else if (text.startsWith(DATA, at)) {
      const value = text.slice(at + DATA.length, end)
      data = data === null ? withoutSpace(value) : `${data}\n${value}`
    } else {
      if (text[at] !== ":") SseField.read(text.slice(at, end), fields, place)
      onIdle(end - at)
    }
  }
}

const withoutSpace = (value: string): string => value.startsWith(" ") ? value.slice(1) : value
