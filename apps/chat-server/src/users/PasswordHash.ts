/** Passwords as they are kept: scrypt with a salt, its cost beside it, so that a later version may take a higher one. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Semaphore from "effect/Semaphore"
import { randomBytes, scrypt, timingSafeEqual } from "node:crypto"

interface Cost {
  readonly N: number
  readonly r: number
  readonly p: number
}

/** The cost of a new hash: by default the one that OWASP takes for equal to 128 MB at once, with 32 MB. Tests take less. */
export const Cost = Context.Reference<Cost>("@boocode/chat-server/PasswordHash/Cost", {
  defaultValue: () => ({ N: 32_768, r: 8, p: 3 })
})
const BYTES = 32

/** So many are worked out at once: each takes 32 MB and a core. */
const AT_ONCE = 2

export interface PasswordHash {
  readonly of: (password: Redacted.Redacted<string>) => Effect.Effect<string>
  /** Whether a password is the one of a hash. Takes as long where there is no hash, or one that cannot be read. */
  readonly isRight: (password: Redacted.Redacted<string>, hash: string | null) => Effect.Effect<boolean>
}

/** Works on other threads than the one that answers requests. */
export const make: Effect.Effect<PasswordHash> = Effect.gen(function*() {
  const turns = yield* Semaphore.make(AT_ONCE)
  const cost = yield* Cost
  const nobody: Kept = { cost, salt: randomBytes(16), key: randomBytes(BYTES) }
  return {
    of: (password) => {
      const salt = randomBytes(16)
      return Effect.map(
        turns.withPermit(derive(password, salt, cost)),
        (key) => ["scrypt", cost.N, cost.r, cost.p, salt.toString("base64url"), key.toString("base64url")].join("$")
      )
    },
    isRight: (password, hash) => {
      const kept = hash === null ? null : read(hash)
      const { cost, key, salt } = kept ?? nobody
      return Effect.map(
        turns.withPermit(derive(password, salt, cost)),
        (found) => timingSafeEqual(found, key) && kept !== null
      )
    }
  }
})

interface Kept {
  readonly cost: Cost
  readonly salt: Buffer
  readonly key: Buffer
}

const read = (hash: string): Kept | null => {
  const found = /^scrypt\$(\d{1,8})\$(\d{1,3})\$(\d{1,3})\$([\w-]+)\$([\w-]+)$/.exec(hash)
  const [, N, r, p, salt, key] = found ?? []
  const kept = { cost: { N: Number(N), r: Number(r), p: Number(p) }, ...{ salt: bytes(salt), key: bytes(key) } }
  return kept.key.length === BYTES ? kept : null
}

const bytes = (text = ""): Buffer => Buffer.from(text, "base64url")

const derive = (password: Redacted.Redacted<string>, salt: Buffer, cost: Cost): Effect.Effect<Buffer> =>
  Effect.callback((resume) => {
    // A letter may come composed or decomposed, from one keyboard or another.
    const text = Redacted.value(password).normalize("NFKC")
    scrypt(
      text,
      salt,
      BYTES,
      { ...cost, maxmem: 256 * cost.N * cost.r },
      (error, key) => resume(error === null ? Effect.succeed(key) : Effect.die(error))
    )
  })
