/** Real PNG bytes of any size, without a library. */
import { crc32, deflateSync } from "node:zlib"

const chunk = (type: string, data: Uint8Array): Buffer => {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data])
  const frame = Buffer.alloc(8)
  frame.writeUInt32BE(data.length, 0)
  frame.writeUInt32BE(crc32(body), 4)
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)])
}

const file = (width: number, height: number, pixels: Uint8Array): Buffer => {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  // Eight bits of red, green and blue.
  header.set([8, 2, 0, 0, 0], 8)
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", header),
    chunk("IDAT", pixels),
    chunk("IEND", new Uint8Array())
  ])
}

/** Color that runs from side to side, so that it is no single color and still small as a file. */
export const gradient = (width: number, height: number): Buffer => {
  const row = Buffer.alloc(1 + width * 3)
  for (let x = 0; x < width; x++) row.set([Math.floor((x * 255) / width), 64, 200], 1 + x * 3)
  return file(width, height, deflateSync(Buffer.concat(Array.from({ length: height }, () => row))))
}

/** A few bytes that claim to be 50,000 pixels wide and high. */
export const bomb = (): Buffer => file(50_000, 50_000, deflateSync(Buffer.alloc(1000)))
