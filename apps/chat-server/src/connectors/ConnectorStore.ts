/** The memory of the authorization server of connectors: its clients, the grants that a person gave them, and their tokens. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import type * as Path from "effect/Path"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto"
import type { AdapterPayload } from "oidc-provider"
import * as PrivateFile from "../settings/PrivateFile.ts"

/** One kind of thing each, by the names of the library. */
export interface ConnectorStore {
  readonly upsert: (model: string, id: string, payload: AdapterPayload, seconds: number | null) => Effect.Effect<void>
  readonly find: (model: string, id: string) => Effect.Effect<AdapterPayload | undefined>
  readonly findByUid: (model: string, uid: string) => Effect.Effect<AdapterPayload | undefined>
  /** A code or a refresh token was used: one that is shown again was stolen. */
  readonly consume: (model: string, id: string) => Effect.Effect<void>
  readonly destroy: (model: string, id: string) => Effect.Effect<void>
  /** All of one kind that have not run out. */
  readonly all: (model: string) => Effect.Effect<ReadonlyArray<AdapterPayload>>
  /** Ends all tokens that a person's yes gave. */
  readonly revokeByGrantId: (grantId: string) => Effect.Effect<void>
}

interface Kept {
  readonly model: string
  /** That of a token is without its id, which is the token itself. */
  readonly payload: AdapterPayload
  /** In milliseconds; null for as long as the file is there. */
  readonly until: number | null
  /** The payload as the file has it; null for what is not in the file. */
  readonly sealed: string | null
}

/** These survive the end of the program. The rest is the way to them, which takes minutes. */
export const LASTING: ReadonlySet<string> = new Set(["AccessToken", "Client", "Grant", "RefreshToken"])

export const TOKENS: ReadonlySet<string> = new Set(["AccessToken", "RefreshToken"])

/** The oldest goes when there are more: anybody may begin to sign in. */
export const MOST_PASSING = 1000

/** When there are more clients that nobody has said yes to, the oldest goes. */
export const MOST_CLIENTS = 200

const File = Schema.fromJsonString(Schema.Array(Schema.Struct({
  key: Schema.String,
  model: Schema.String,
  until: Schema.NullOr(Schema.Finite),
  sealed: Schema.String
})))

/**
 * Keeps them in `file`, for its owner alone: an id by its HMAC, the rest sealed, both under the server's token. Another token
 * ends all sign-ins. A file that cannot be read is begun anew, and the log says so; where it cannot be written, sign-ins last
 * as long as the program.
 */
export const make = Effect.fnUntraced(function*(
  file: string,
  token: Redacted.Redacted<string>
): Effect.fn.Return<ConnectorStore, never, FileSystem.FileSystem | Path.Path> {
  const context = yield* Effect.context<FileSystem.FileSystem | Path.Path>()
  const secret = secretOf(token)
  const lasting = yield* read(file, secret)
  const passing = new Map<string, Kept>()
  const turn = yield* Semaphore.make(1)
  const keyOf = keysOf(token)
  const of = (model: string) => LASTING.has(model) ? lasting : passing

  const set = (key: string, { model, payload, until }: Omit<Kept, "sealed">): void => {
    const sealed = LASTING.has(model) ? seal(secret, key, JSON.stringify(payload)) : null
    of(model).set(key, { model, payload, until, sealed })
  }

  const write = Effect.suspend(() => {
    const kept = [...lasting].map(([key, { model, sealed, until }]) => ({ key, model, until, sealed: sealed ?? "" }))
    return Effect.flatMap(Schema.encodeEffect(File)(kept), (text) => PrivateFile.write(file, text))
  }).pipe(
    Effect.provideContext(context),
    Effect.catch((error) => Effect.logWarning(`sign-ins of connectors end with this program: ${error.message}`)),
    turn.withPermit,
    Effect.uninterruptible
  )
  /** Changes what is there, and writes it down where it lasts. */
  const change = (model: string, alter: () => void) =>
    Effect.andThen(Effect.sync(alter), LASTING.has(model) ? write : Effect.void)
  const living = (kept: Kept | undefined) =>
    Effect.map(
      Clock.currentTimeMillis,
      (now) => kept === undefined || kept.until !== null && kept.until <= now ? undefined : kept
    )

  return {
    upsert: Effect.fnUntraced(function*(model, id, given, seconds) {
      const now = yield* Clock.currentTimeMillis
      const { jti: _, ...rest } = given
      const payload = TOKENS.has(model) ? rest : given
      yield* change(model, () => {
        for (const map of [lasting, passing]) dropExpired(map, now)
        const until = seconds === null ? null : now + seconds * 1000
        set(keyOf(model, id), { model, payload, until })
        dropOldest(passing, () => true, MOST_PASSING)
        dropOldest(lasting, isUnused(lasting), MOST_CLIENTS)
      })
    }),
    find: (model, id) =>
      Effect.map(
        living(of(model).get(keyOf(model, id))),
        (kept) => kept === undefined ? undefined : { ...kept.payload, ...TOKENS.has(model) ? { jti: id } : {} }
      ),
    findByUid: Effect.fnUntraced(function*(model, uid) {
      const found = [...of(model).values()].find((kept) => kept.model === model && kept.payload["uid"] === uid)
      return (yield* living(found))?.payload
    }),
    all: (model) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        dropExpired(of(model), now)
        return [...of(model).values()].flatMap((kept) => kept.model === model ? [kept.payload] : [])
      }),
    consume: Effect.fnUntraced(function*(model, id) {
      const key = keyOf(model, id)
      const kept = of(model).get(key)
      const consumed = Math.floor((yield* Clock.currentTimeMillis) / 1000)
      if (kept === undefined) return
      yield* change(model, () => set(key, { ...kept, payload: { ...kept.payload, consumed } }))
    }),
    destroy: (model, id) => change(model, () => void of(model).delete(keyOf(model, id))),
    revokeByGrantId: (grantId) =>
      change("RefreshToken", () => {
        for (const map of [lasting, passing]) {
          for (const [key, { payload }] of map) if (payload.grantId === grantId) map.delete(key)
        }
      })
  }
})

const dropExpired = (map: Map<string, Kept>, now: number): void => {
  for (const [key, { until }] of map) if (until !== null && until <= now) map.delete(key)
}

const dropOldest = (map: Map<string, Kept>, isDroppable: (kept: Kept) => boolean, most: number): void => {
  const droppable = [...map].filter(([, kept]) => isDroppable(kept))
  for (const [key] of droppable.slice(0, Math.max(0, droppable.length - most))) map.delete(key)
}

const isUnused = (lasting: ReadonlyMap<string, Kept>) => {
  const used = new Set(
    [...lasting.values()].flatMap(({ model, payload }) => model === "Grant" ? [payload.clientId] : [])
  )
  return ({ model, payload }: Kept): boolean => model === "Client" && !used.has(payload.client_id)
}

const secretOf = (token: Redacted.Redacted<string>): Uint8Array =>
  new Uint8Array(hkdfSync("sha256", Redacted.value(token), "", "connectors", 32))

/** The key of a thing by its kind and id. Nobody gets back from it to an id, which may be a token. */
export const keysOf = (token: Redacted.Redacted<string>) => {
  const secret = secretOf(token)
  return (model: string, id: string): string =>
    createHmac("sha256", secret).update(`${model}:${id}`).digest("base64url")
}

const NONCE = 12
const TAG = 16

const seal = (secret: Uint8Array, key: string, text: string): string => {
  const nonce = randomBytes(NONCE)
  const cipher = createCipheriv("aes-256-gcm", secret, nonce).setAAD(Buffer.from(key))
  const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString("base64url")
}

/** Null for what another token sealed. */
const unseal = (secret: Uint8Array, key: string, sealed: string): AdapterPayload | null =>
  Result.getOrNull(Result.try((): AdapterPayload | null => {
    const bytes = Buffer.from(sealed, "base64url")
    const decipher = createDecipheriv("aes-256-gcm", secret, bytes.subarray(0, NONCE)).setAAD(Buffer.from(key))
    decipher.setAuthTag(bytes.subarray(NONCE, NONCE + TAG))
    const text = Buffer.concat([decipher.update(bytes.subarray(NONCE + TAG)), decipher.final()]).toString("utf8")
    const payload: unknown = JSON.parse(text)
    return isPayload(payload) ? payload : null
  }))

const isPayload = (value: unknown): value is AdapterPayload => typeof value === "object" && value !== null

const read = Effect.fnUntraced(function*(file: string, secret: Uint8Array) {
  const found = yield* Effect.map(PrivateFile.read(file), (text) => text ?? "[]").pipe(
    Effect.flatMap(Schema.decodeEffect(File)),
    Effect.tapError((error) =>
      Effect.logWarning(`${file} cannot be used, so connectors sign in anew: ${error.message}`)
    ),
    Effect.option
  )
  return new Map(
    Option.getOrElse(found, () => []).flatMap(({ key, model, sealed, until }): ReadonlyArray<[string, Kept]> => {
      const payload = unseal(secret, key, sealed)
      return payload === null ? [] : [[key, { model, payload, until, sealed }]]
    })
  )
})
