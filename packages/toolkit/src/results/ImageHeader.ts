/** Reads kind and size of an image, and whether its bytes are complete, from the bytes. Nothing is decoded. */
import * as Result from "effect/Result"

/** An image that providers may take. */
export interface Picture {
  readonly bytes: Uint8Array
  readonly mediaType: "image/png" | "image/jpeg" | "image/gif" | "image/webp"
  /** In pixels. */
  readonly width: number
  readonly height: number
}

/**
 * Reads the header of a PNG, JPEG, GIF or WebP. Fails, in words that end a sentence about the image, for anything else,
 * for a size of nothing, and for data that breaks off.
 */
export const read = (bytes: Uint8Array): Result.Result<Picture, string> => {
  const mediaType = kindOf(bytes)
  if (mediaType === null) return Result.fail("its data is no PNG, JPEG, GIF or WebP")
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  // Every read beyond the end throws, and means the same.
  const size = Result.getOrNull(Result.try(() => SIZES[mediaType](view)))
  if (size === null) return Result.fail("its data breaks off")
  const { height, width } = size
  if (width === 0 || height === 0) return Result.fail("it has no pixels")
  return Result.succeed({ bytes, mediaType, width, height })
}

/** Whether the bytes begin as one of these images, damaged or not. */
export const isImage = (bytes: Uint8Array): boolean => kindOf(bytes) !== null

type Kind = Picture["mediaType"]
interface Size {
  readonly width: number
  readonly height: number
}

const MAGIC = [
  ["image/png", /^\x89PNG\r\n\x1a\n/],
  ["image/jpeg", /^\xff\xd8\xff/],
  ["image/gif", /^GIF8[79]a/],
  ["image/webp", /^RIFF[^]{4}WEBP/]
] as const

const kindOf = (bytes: Uint8Array): Kind | null => {
  const start = String.fromCharCode(...bytes.subarray(0, 12))
  return MAGIC.find(([, magic]) => magic.test(start))?.[0] ?? null
}

const IEND = 0x49454e44

const png = (view: DataView): Size | null => {
  for (let at = 8; view.getUint32(at + 4) !== IEND;) at += view.getUint32(at) + 12
  return { width: view.getUint32(16), height: view.getUint32(20) }
}

const jpeg = (view: DataView): Size | null => {
  let at = 2
  // Any number of FF may stand before a marker.
  for (let code = view.getUint8(at + 1); !isFrame(code); code = view.getUint8(at + 1)) {
    at += code === 0xff ? 1 : view.getUint16(at + 2) + 2
  }
  const isWhole = hasEnd(view, at)
  return isWhole ? { height: view.getUint16(at + 5), width: view.getUint16(at + 7) } : null
}

/** Markers C0 to CF begin a frame, but for three that say other things. */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc

/** Cameras write more behind the end. */
const hasEnd = (view: DataView, from: number): boolean => {
  for (let at = view.byteLength - 2; at > from; at--) if (view.getUint16(at) === 0xffd9) return true
  return false
}

const gif = (view: DataView): Size | null => {
  let end = view.byteLength - 1
  while (view.getUint8(end) === 0) end--
  return view.getUint8(end) === 0x3b ? { width: view.getUint16(6, true), height: view.getUint16(8, true) } : null
}

const webp = (view: DataView): Size | null => {
  if (view.getUint32(4, true) + 8 > view.byteLength) return null
  const form = view.getUint8(15)
  if (form === 0x58) return { width: 1 + uint24(view, 24), height: 1 + uint24(view, 27) }
  if (form === 0x20) return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff }
  const bits = view.getUint32(21, true)
  return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) }
}

const uint24 = (view: DataView, at: number): number => view.getUint16(at, true) + (view.getUint8(at + 2) << 16)

const SIZES: Record<Kind, (view: DataView) => Size | null> = {
  "image/png": png,
  "image/jpeg": jpeg,
  "image/gif": gif,
  "image/webp": webp
}
