/**
 * The keychain of the system, which holds one key; with that key texts are sealed that lie in a file.
 *
 * Not the texts themselves: some keychains take a few hundred characters, and several programs change them together.
 */
import type { Seal } from "@boocode/mcp-client"
import type * as Keyring from "@napi-rs/keyring"
import * as Aead from "effect/crypto/Aead"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Semaphore from "effect/Semaphore"
import { createHash } from "node:crypto"

/** The keychain cannot be used: it is locked, not there, or its library is not. */
export class KeychainFailed extends Data.TaggedError("KeychainFailed")<{
  readonly detail: string
}> {
  override get message() {
    return `the keychain of the system cannot be used: ${this.detail}`
  }
}

/** One entry of a keychain. */
export interface Keychain {
  /** Null when there is none yet. */
  readonly read: Effect.Effect<string | null, KeychainFailed>
  readonly write: (text: string) => Effect.Effect<void, KeychainFailed>
}

/** A keychain may ask a person to unlock it, and must not hold a program up for ever. */
const LIMIT = "30 seconds"

/** The service and the account under which a person finds the key in the keychain. */
const PLACE = ["boocode", "the key of credentials.json"] as const

/** The kernel's own keyring forgets everything when the machine restarts. */
const OPTIONS = { linux: { store: "secret-service" } } as const

/**
 * That of this system: Keychain on macOS, Credential Manager on Windows, the Secret Service on Linux. Loads its library
 * when it is first asked. Each request lasts 30 s at most.
 */
export const system: Keychain = {
  read: Effect.suspend(() => asked((entry, signal) => entry.getPassword(signal))),
  write: (text) => asked((entry, signal) => entry.setPassword(text, signal))
}

/** A keychain that holds one key, made of a secret that several programs share. */
export const ofSecret = (secret: Redacted.Redacted): Keychain => ({
  read: Effect.sync(() =>
    createHash("sha256").update(`boocode credentials ${Redacted.value(secret)}`).digest("base64")
  ),
  write: () => Effect.fail(new KeychainFailed({ detail: "its key is made of BOOCODE_SECRET" }))
})

const asked = <A>(
  ask: (entry: Keyring.AsyncEntry, signal: AbortSignal) => Promise<A>
): Effect.Effect<A, KeychainFailed> =>
  Effect.tryPromise({
    try: (signal) =>
      loaded("@napi-rs/keyring").then((library) => ask(new library.AsyncEntry(...PLACE, OPTIONS), signal)),
    catch: (error) => new KeychainFailed({ detail: error instanceof Error ? error.message : String(error) })
  }).pipe(
    Effect.timeoutOrElse({
      duration: LIMIT,
      orElse: () => Effect.fail(new KeychainFailed({ detail: `no answer within ${LIMIT}` }))
    })
  )

/** By a name that no bundler follows: the library has binary files, and need not be there. */
const loaded = (name: string): Promise<typeof Keyring> => import(name)

/** How a keychain is used. */
export interface Options {
  /**
   * `auto` seals where the keychain can be used and says so in the log where it cannot; `keychain` keeps nothing that is
   * not sealed; `file` seals nothing, and still opens what was sealed.
   */
  readonly use: "auto" | "file" | "keychain"
  /** Default: that of the system. */
  readonly keychain?: Keychain
}

/** Makes a seal. The keychain is asked when something is first sealed or opened, and again until it answers. */
export const seal = Effect.fnUntraced(
  function*({ keychain = system, use }: Options): Effect.fn.Return<Seal, never, Aead.Aead | SecureRandom.SecureRandom> {
    const aead = yield* Aead.Aead
    const random = yield* SecureRandom.SecureRandom
    const turn = yield* Semaphore.make(1)
    let known: Aead.Key | null = null
    let isTold = false

    const find = (orMake: boolean) =>
      turn.withPermit(Effect.gen(function*() {
        if (known !== null) return known
        const text = (yield* keychain.read) ?? (orMake ? yield* create : null)
        known = text === null ? null : yield* keyOf(text)
        return known
      }))
    const create = Effect.gen(function*() {
      yield* keychain.write(Base64.encode(yield* random.randomBytes(ALGORITHM.keyLength)))
      // Another program may have made one at the same time: what is there now is the key.
      return yield* keychain.read
    })
    const warn = (error: { readonly message: string }) =>
      Effect.suspend(() => {
        if (isTold || use !== "auto") return Effect.succeed(null)
        isTold = true
        return Effect.as(Effect.logWarning(`${error.message}; tokens are kept in a file that only you can read`), null)
      })
    const sealed = Effect.fnUntraced(function*(text: string, of: string) {
      const key = yield* find(true)
      if (key === null) return null
      const nonce = yield* random.randomBytes(ALGORITHM.nonceLength)
      const bytes = yield* aead.encrypt(key, bytesOf(text), { nonce, aad: bytesOf(of) })
      return [nonce, bytes].map(Base64.encode).join(".")
    })
    const opened = Effect.fnUntraced(function*(text: string, of: string) {
      const key = yield* find(false)
      const [nonce = null, bytes = null] = text.split(".").map((part) => Result.getOrNull(Base64.decode(part)))
      if (key === null || nonce === null || bytes === null) return null
      return new TextDecoder().decode(yield* aead.decrypt(key, bytes, { nonce, aad: bytesOf(of) }))
    })
    /** Another program may have put another key there since: two that make the first one at once are one too many. */
    const openedAnew = (text: string, of: string) =>
      Effect.suspend(() => {
        known = null
        return opened(text, of)
      })
    return {
      isRequired: use === "keychain",
      seal: (text, of) => use === "file" ? Effect.succeed(null) : Effect.catch(sealed(text, of), warn),
      open: (text, of) =>
        opened(text, of).pipe(
          Effect.catchTag("CryptoError", () => openedAnew(text, of)),
          Effect.orElseSucceed(() => null)
        )
    }
  }
)

const bytesOf = (text: string) => new TextEncoder().encode(text)

/** Its nonces may be random. */
const ALGORITHM = Aead.xchacha20Poly1305

const keyOf = (text: string) =>
  Effect.fromResult(Base64.decode(text)).pipe(
    Effect.flatMap((bytes) => Aead.key(ALGORITHM, bytes)),
    Effect.mapError(() => new KeychainFailed({ detail: "what it holds for boocode is no key" }))
  )

/** Provides the cryptography that sealing needs. */
export const layerCrypto: Layer.Layer<Aead.Aead | SecureRandom.SecureRandom> = Aead.layerWebCrypto.pipe(
  Layer.provideMerge(SecureRandom.layerWebCrypto)
)
