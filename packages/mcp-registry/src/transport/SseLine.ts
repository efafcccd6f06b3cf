/**
 * One line of a stream of server-sent events, of which no more is kept than its field needs.
 */

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
export const make = (): SseLine => {
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
