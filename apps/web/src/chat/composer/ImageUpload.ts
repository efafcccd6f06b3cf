/** Pictures that are attached: made small enough to send before they leave the browser. */
import type { NewAttachment } from "../../api/Types.ts"
import { files } from "../../messages/ChatMessages.ts"

/** Models see no more than this, in pixels of the longer side. */
const LONGEST = 2048
/** A picture up to this many bytes that is not too large goes as it is. */
const SMALL = 1_500_000
const TYPES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"])
const QUALITY = 0.88

interface Picture {
  readonly name: string
  readonly bytes: number
  readonly preview: string
  readonly attachment: NewAttachment
}

/** The bytes as a `data:` address. */
export const dataAddress = (blob: Blob): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(typeof reader.result === "string" ? reader.result : "")
    reader.onerror = () => reject(new Error(files.unreadable))
    reader.readAsDataURL(blob)
  })

/** The text of a `data:` address after its comma; a file without bytes has none. */
export const base64Of = (address: string): string => address.split(",")[1] ?? ""

const drawn = async (bitmap: ImageBitmap): Promise<Blob> => {
  const scale = Math.min(1, LONGEST / Math.max(bitmap.width, bitmap.height))
  const canvas = document.createElement("canvas")
  canvas.width = Math.max(1, Math.round(bitmap.width * scale))
  canvas.height = Math.max(1, Math.round(bitmap.height * scale))
  const context = canvas.getContext("2d")
  if (context === null) throw new Error(files.notSmaller)
  context.imageSmoothingQuality = "high"
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height)
  const as = (type: string) => new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, type, QUALITY))
  // Text in a screenshot stays sharp as PNG; a photograph would be many megabytes then.
  const png = await as("image/png")
  if (png !== null && png.size <= SMALL) return png
  const jpeg = await as("image/jpeg")
  if (jpeg === null) throw new Error(files.notSmaller)
  return jpeg
}

/** Fails with words when it is no picture that this browser knows. */
export const read = async (file: File): Promise<Picture> => {
  const name = file.name === "" ? files.picture : file.name
  const bitmap = await createImageBitmap(file).catch(() => {
    throw new Error(files.noPicture(name))
  })
  const isFine = TYPES.has(file.type) && file.size <= SMALL && Math.max(bitmap.width, bitmap.height) <= LONGEST
  const blob = isFine ? file : await drawn(bitmap)
  bitmap.close()
  const preview = await dataAddress(blob)
  return {
    name,
    bytes: blob.size,
    preview,
    attachment: { kind: "image", name, mediaType: blob.type, data: base64Of(preview) }
  }
}
