/** SHA-256 of text, as lowercase hexadecimal digits. */
import * as Digest from "effect/crypto/Digest"
import type * as Effect from "effect/Effect"

const encoder = new TextEncoder()

/** Hashes a text. */
export const hex = (text: string): Effect.Effect<string, never, Digest.Digest> =>
  Digest.Digest.use((digest) => digest.digestHex(Digest.sha256, encoder.encode(text)))

/** FNV-1a over UTF-16 code units, then a finalizer for spread: 32 bits as eight hexadecimal digits, the same for ever. */
export const short = (text: string): string => {
  let value = 0x811c9dc5
  for (let index = 0; index < text.length; index++) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193)
  }
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35)
  return ((value ^ (value >>> 16)) >>> 0).toString(16).padStart(8, "0")
}
