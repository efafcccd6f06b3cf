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
  const seal = Effect.fnUntraced(function*(text: Redacted.Redacted<string>, of: string) {
    const sealing = yield* key(true)
    if (sealing === null) return yield* NO_KEY
    const nonce = yield* random.randomBytes(ALGORITHM.nonceLength)
    const bytes = yield* aead.encrypt(sealing, bytesOf(Redacted.value(text)), { nonce, aad: bytesOf(of) })
    return [nonce, bytes].map(Base64.encode).join(".")
  })
  const open = Effect.fnUntraced(function*(sealed: string, of: string) {
    const opening = yield* key(false)
    const [nonce = null, bytes = null] = sealed.split(".").map((part) => Result.getOrNull(Base64.decode(part)))
    if (opening === null || nonce === null || bytes === null) return null
    return Redacted.make(new TextDecoder().decode(yield* aead.decrypt(opening, bytes, { nonce, aad: bytesOf(of) })))
  })
  return {
    seal: (text: Redacted.Redacted<string>, of: string) =>
      Effect.catchTag(seal(text, of), "CryptoError", () => Effect.fail(NO_KEY)),
    open: (sealed: string, of: string) => Effect.orElseSucceed(open(sealed, of), () => null)
  }
})

const NO_KEY = new UserRefused({
  message: "nothing can be sealed on this machine",
  hint: "see that BOOCODE_SECRET is a text, or that the state folder can be written"
})

const bytesOf = (text: string) => new TextEncoder().encode(text)
