/**
 * SHA-256 of text, as lowercase hexadecimal digits.
 */
import * as Digest from "effect/crypto/Digest"
import type * as Effect from "effect/Effect"

const encoder = new TextEncoder()

/** Hashes a text. @category hashing */
export const hex = (text: string): Effect.Effect<string, never, Digest.Digest> =>
  Digest.Digest.use((digest) => digest.digestHex(Digest.sha256, encoder.encode(text)))
