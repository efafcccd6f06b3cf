/**
 * Damage of SQLite's files that SQLite passes over in silence: it takes an empty file for a new one, and a log that it
 * cannot read for none. Pure.
 */

/** Where a number of a header is, all of them with the highest byte first. */
const PAGE_SIZE = 16
const CHANGES = 24
const PAGES = 28
const CHANGES_AT_PAGES = 92
const HEADER_BYTES = 100

/** Names the damage of a file that has no log beside it; null without damage. `header` is its first 100 bytes. */
export const ofFile = (header: Uint8Array, size: number): string | null => {
  if (size === 0) return "it is empty"
  if (header.length < HEADER_BYTES) return `it is cut off after ${size} bytes`
  const view = viewOf(header)
  const pageSize = view.getUint16(PAGE_SIZE)
  const bytes = (pageSize === 1 ? 65_536 : pageSize) * view.getUint32(PAGES)
  const isCounted = view.getUint32(CHANGES) === view.getUint32(CHANGES_AT_PAGES)
  return isCounted && bytes > size ? `it is cut off after ${size} of ${bytes} bytes` : null
}

const LOG_HEADER = 32
const FRAME_HEADER = 24
/** With its last bit set, checksums read numbers with the highest byte first. */
const LOG_MAGIC = 0x377f0682

/**
 * Names the damage of the log beside a file; null without damage. A log that only stops, as it does after a loss of power,
 * is in order; one with a whole commit after the break is not. Frames without one are of a transaction that was rolled back
 * or never finished.
 */
export const ofLog = (log: Uint8Array): string | null => {
  if (log.length < LOG_HEADER || log.subarray(0, LOG_HEADER).every((byte) => byte === 0)) return null
  const view = viewOf(log)
  const isLittle = view.getUint32(0) === LOG_MAGIC
  const isMagic = (view.getUint32(0) | 1) >>> 0 === (LOG_MAGIC | 1) >>> 0
  const start = sum(view, isLittle, [0, 0], 0, 24)
  if (!isMagic || !isEqual(start, sumAt(view, 24))) return "its log (-wal) cannot be read"
  const length = FRAME_HEADER + view.getUint32(8)
  const isWhole = (at: number, before: Sum) =>
    isOurs(view, at) &&
    isEqual(
      sum(view, isLittle, sum(view, isLittle, before, at, 8), at + FRAME_HEADER, length - FRAME_HEADER),
      sumAt(view, at + 16)
    )
  const frames = Array.from(
    { length: Math.floor((log.length - LOG_HEADER) / length) },
    (_, at) => LOG_HEADER + at * length
  )
  const before = (at: number) => at === LOG_HEADER ? start : sumAt(view, at - length + 16)
  const end = frames.findIndex((at) => !isWhole(at, before(at)))
  const goesOn = end !== -1 &&
    frames.slice(end + 1).some((at) => isCommit(view, at) && isOurs(view, at - length) && isWhole(at, before(at)))
  return goesOn ? `its log (-wal) is damaged at byte ${frames[end] ?? 0}` : null
}

type Sum = readonly [number, number]

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

const sumAt = (view: DataView, at: number): Sum => [view.getUint32(at), view.getUint32(at + 4)]

const isEqual = (one: Sum, other: Sum): boolean => one[0] === other[0] && one[1] === other[1]

/** Frames of an earlier round have other salts. */
const isOurs = (view: DataView, at: number): boolean =>
  view.getUint32(at + 8) === view.getUint32(16) && view.getUint32(at + 12) === view.getUint32(20)

/** The last frame of a transaction says how many pages the file has after it. */
const isCommit = (view: DataView, at: number): boolean => view.getUint32(at + 4) !== 0

const sum = (view: DataView, isLittle: boolean, before: Sum, from: number, length: number): Sum => {
  let [one, other] = before
  for (let at = from; at < from + length; at += 8) {
    one = (one + view.getUint32(at, isLittle) + other) >>> 0
    other = (other + view.getUint32(at + 4, isLittle) + one) >>> 0
  }
  return [one, other]
}
