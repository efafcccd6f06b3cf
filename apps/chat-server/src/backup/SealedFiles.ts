/** Files under a passphrase: scrypt makes the key, AES-256-GCM encrypts and tells a change. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { createCipheriv, createDecipheriv, randomBytes, scrypt } from "node:crypto"

const SALT = 16
const IV = 12
const TAG = 16
/** 128 MB of memory and about half a second for each guess. */
const COST = { N: 2 ** 17, r: 8, p: 1, maxmem: 256 * 1024 * 1024 }
const CIPHER = "aes-256-gcm"

const Files = Schema.fromJsonString(Schema.Record(Schema.String, Schema.Uint8ArrayFromBase64))

const keyOf = (passphrase: Redacted.Redacted, salt: Uint8Array) =>
  Effect.callback<Buffer>((resume) =>
    scrypt(
      Redacted.value(passphrase).normalize("NFC"),
      salt,
      32,
      COST,
      (error, key) => resume(error === null ? Effect.succeed(key) : Effect.die(error))
    )
  )

export const seal = Effect.fnUntraced(function*(
  files: Readonly<Record<string, Uint8Array>>,
  passphrase: Redacted.Redacted
) {
  const [salt, iv] = [randomBytes(SALT), randomBytes(IV)]
  const cipher = createCipheriv(CIPHER, yield* keyOf(passphrase, salt), iv)
  const text = yield* Effect.orDie(Schema.encodeEffect(Files)(files))
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()])
  return Buffer.concat([salt, iv, cipher.getAuthTag(), sealed])
})

/** Null for a wrong passphrase, and for bytes that were changed: the two cannot be told apart. */
export const open = Effect.fnUntraced(function*(bytes: Uint8Array, passphrase: Redacted.Redacted) {
  if (bytes.length < SALT + IV + TAG) return null
  const [salt, iv, tag] = [
    bytes.subarray(0, SALT),
    bytes.subarray(SALT, SALT + IV),
    bytes.subarray(SALT + IV, SALT + IV + TAG)
  ]
  const key = yield* keyOf(passphrase, salt)
  const text = Effect.try(() => {
    const decipher = createDecipheriv(CIPHER, key, iv).setAuthTag(tag)
    return Buffer.concat([decipher.update(bytes.subarray(SALT + IV + TAG)), decipher.final()]).toString("utf8")
  })
  return yield* Effect.orElseSucceed(Effect.flatMap(text, Schema.decodeEffect(Files)), () => null)
})
