/** The key that seals what people keep here: from `BOOCODE_SECRET`, or from a file of the state folder. */
import * as Context from "effect/Context"
import * as Aead from "effect/crypto/Aead"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { createHash } from "node:crypto"
import { DataFolder } from "../settings/DataFolder.ts"
import * as PrivateFile from "../settings/PrivateFile.ts"
import * as SharedSecret from "./SharedSecret.ts"
import { UserRefused } from "./UserError.ts"

/** In the state folder. */
const FILE = "secret-key"

/** Seals by AES-256-GCM. A sealed text opens with the same `of` only, so that nobody can move it to another row. */
export class SecretKey extends Context.Service<SecretKey, {
  /** Makes the key where there is none. Fails when none can be kept. */
  readonly seal: (text: Redacted.Redacted<string>, of: string) => Effect.Effect<string, UserRefused>
  /** Null for a text that another key sealed, or as another's. */
  readonly open: (sealed: string, of: string) => Effect.Effect<Redacted.Redacted<string> | null>
  /** As `seal`. */
  readonly sealBytes: (bytes: Uint8Array, of: string) => Effect.Effect<Uint8Array, UserRefused>
  /** As `open`. */
  readonly openBytes: (sealed: Uint8Array, of: string) => Effect.Effect<Uint8Array | null>
}>()("chat-server/SecretKey") {
  static readonly layer = Layer.effect(
    SecretKey,
    Effect.gen(function*() {
      const path = yield* Path.Path
      const file = path.join((yield* DataFolder).state, FILE)
      const given = yield* SharedSecret.given
      const needs = yield* Effect.context<Effect.Services<ReturnType<typeof PrivateFile.write>>>()
      const kept = Effect.provideContext(PrivateFile.read(file), needs)
      const made = Effect.gen(function*() {
        const key = Base64.encode(yield* (yield* SecureRandom.SecureRandom).randomBytes(ALGORITHM.keyLength))
        yield* Effect.provideContext(PrivateFile.write(file, `${key}\n`), needs)
        // Another program may have made one at the same time: what is there now is the key.
        return (yield* kept) ?? key
      })
      const text = (orMake: boolean) =>
        given === null
          ? Effect.flatMap(kept, (found) => found === null && orMake ? made : Effect.succeed(found))
          : Effect.succeed(Redacted.value(given))
      return SecretKey.of(
        yield* make((orMake) =>
          Effect.mapError(
            text(orMake),
            ({ message }) =>
              new UserRefused({
                message: `no key can be kept in ${file}: ${message}`,
                hint: "set BOOCODE_SECRET, or BOOCODE_STATE_DIR to a folder that can be written"
              })
          )
        )
      )
    })
  ).pipe(Layer.provide(Aead.layerWebCrypto.pipe(Layer.provideMerge(SecureRandom.layerWebCrypto))))

  /** This very text is the key. */
  static readonly layerOf = (text: string) =>
    Layer.effect(SecretKey, make(() => Effect.succeed(text))).pipe(
      Layer.provide(Aead.layerWebCrypto.pipe(Layer.provideMerge(SecureRandom.layerWebCrypto)))
    )
}

const ALGORITHM = Aead.aes256Gcm

const make = Effect.fnUntraced(function*(
  find: (orMake: boolean) => Effect.Effect<string | null, UserRefused, SecureRandom.SecureRandom>
) {
  const aead = yield* Aead.Aead
  const random = yield* SecureRandom.SecureRandom
  const key = (orMake: boolean) =>
    Effect.flatMap(
      Effect.provideService(find(orMake), SecureRandom.SecureRandom, random),
      (text) =>
        text === null
          ? Effect.succeed(null)
          : Aead.key(ALGORITHM, createHash("sha256").update(text.trim()).digest())
    )
  /** A nonce, and what it was sealed with. */
  const seal = Effect.fnUntraced(function*(plain: Uint8Array, of: string) {
    const sealing = yield* key(true)
    if (sealing === null) return yield* NO_KEY
    const nonce = yield* random.randomBytes(ALGORITHM.nonceLength)
    return [nonce, yield* aead.encrypt(sealing, plain, { nonce, aad: bytesOf(of) })] as const
  }, Effect.catchTag("CryptoError", () => Effect.fail(NO_KEY)))
  const open = Effect.fnUntraced(function*(nonce: Uint8Array | null, bytes: Uint8Array | null, of: string) {
    const opening = yield* key(false)
    if (opening === null || nonce === null || bytes === null) return null
    return yield* aead.decrypt(opening, bytes, { nonce, aad: bytesOf(of) })
  }, Effect.orElseSucceed(() => null))
  return {
    seal: (text: Redacted.Redacted<string>, of: string) =>
      Effect.map(seal(bytesOf(Redacted.value(text)), of), (parts) => parts.map(Base64.encode).join(".")),
    open: (sealed: string, of: string) => {
      const [nonce = null, bytes = null] = sealed.split(".").map((part) => Result.getOrNull(Base64.decode(part)))
      return Effect.map(
        open(nonce, bytes, of),
        (plain) => plain === null ? null : Redacted.make(new TextDecoder().decode(plain))
      )
    },
    sealBytes: (bytes: Uint8Array, of: string) => Effect.map(seal(bytes, of), (parts) => Buffer.concat(parts)),
    openBytes: (sealed: Uint8Array, of: string) =>
      open(sealed.subarray(0, ALGORITHM.nonceLength), sealed.subarray(ALGORITHM.nonceLength), of)
  }
})

const NO_KEY = new UserRefused({
  message: "nothing can be sealed on this machine",
  hint: "see that BOOCODE_SECRET is a text, or that the state folder can be written"
})

const bytesOf = (text: string) => new TextEncoder().encode(text)
