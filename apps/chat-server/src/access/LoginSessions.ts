/** The sessions of people who are logged in. Browsers keep an id in a cookie; this side keeps only what proves it. */
import { StateStorage } from "@boocode/mcp-client/StateStorage"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import type * as Path from "effect/Path"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import { createHmac, randomBytes } from "node:crypto"
import * as PrivateFile from "../settings/PrivateFile.ts"

export const LIFE = Duration.days(30)
/** The oldest goes when there are more. */
const MAX = 200

export interface LoginSessions {
  /** Begins one and gives its id. Another start of the program knows it too. */
  readonly begin: Effect.Effect<Redacted.Redacted<string>>
  readonly isKnown: (id: string) => Effect.Effect<boolean>
  /** Ends one. Its id is worth nothing from then on. */
  readonly end: (id: string) => Effect.Effect<void>
}

/** An id is known by its HMAC under the token: a reader of the file can prove nothing, and another token ends them all. */
const Kept = Schema.fromJsonString(
  Schema.Array(Schema.Struct({ mac: Schema.String, until: Schema.Finite }))
)

const macsOf = (token: Redacted.Redacted<string>) => (id: string) =>
  createHmac("sha256", Redacted.value(token)).update(`session:${id}`).digest("base64url")

const newId = () => randomBytes(32).toString("base64url")

/** One of another node is known here, and one that ended there is not. Each is a text of its own. */
const makeShared = (storage: StateStorage, prefix: string, token: Redacted.Redacted<string>): LoginSessions => {
  const macOf = macsOf(token)
  const nameOf = (id: string) => `${prefix}/${macOf(id)}`
  const begin = Effect.gen(function*() {
    const now = yield* Clock.currentTimeMillis
    const id = newId()
    const all = yield* storage.list(`${prefix}/`)
    const old = all.filter(({ text }, at) => Number(text) <= now || at < all.length - MAX + 1)
    yield* Effect.forEach(old, ({ name }) => storage.remove(name), { discard: true })
    yield* storage.write(nameOf(id), `${now + Duration.toMillis(LIFE)}`, 0)
    return Redacted.make(id)
  })
  return {
    begin: Effect.catch(
      begin,
      (error) => Effect.as(Effect.logWarning(`nobody can log in: ${error.message}`), Redacted.make(newId()))
    ),
    isKnown: (id) =>
      Effect.flatMap(
        Clock.currentTimeMillis,
        (now) => Effect.map(storage.read(nameOf(id)), (kept) => Number(kept?.text ?? 0) > now)
      ).pipe(
        Effect.orElseSucceed(() => false)
      ),
    end: (id) =>
      Effect.catch(
        storage.remove(nameOf(id)),
        (error) => Effect.logWarning(`a login could not be ended: ${error.message}`)
      )
  }
}

/** Keeps them in `file`. Where that cannot be written they last as long as the program, and the log says so. */
export const make = Effect.fnUntraced(function*(
  file: string,
  token: Redacted.Redacted<string>
): Effect.fn.Return<LoginSessions, never, FileSystem.FileSystem | Path.Path> {
  const storage = yield* StateStorage
  const name = storage?.nameOf(file) ?? null
  if (storage !== null && name !== null) return makeShared(storage, name, token)
  const context = yield* Effect.context<FileSystem.FileSystem | Path.Path>()
  const read = yield* Effect.option(Effect.flatMap(
    Effect.map(PrivateFile.read(file), (text) => text ?? "[]"),
    Schema.decodeEffect(Kept)
  ))
  const live = new Map(Option.getOrElse(read, () => []).map(({ mac, until }) => [mac, until]))
  const macOf = macsOf(token)
  // One at a time: two that log in at once would write into each other's file.
  const turn = yield* Semaphore.make(1)
  const store = Effect.suspend(() =>
    Effect.flatMap(
      Schema.encodeEffect(Kept)([...live].map(([mac, until]) => ({ mac, until }))),
      (text) => PrivateFile.write(file, text)
    )
  ).pipe(
    Effect.provideContext(context),
    Effect.catch((error) => Effect.logWarning(`logins end with this program: ${error.message}`)),
    turn.withPermits(1),
    Effect.uninterruptible
  )
  const begin = Effect.gen(function*() {
    const now = yield* Clock.currentTimeMillis
    const id = newId()
    for (const [mac, until] of live) if (until <= now) live.delete(mac)
    for (const mac of [...live.keys()].slice(0, Math.max(0, live.size - MAX + 1))) live.delete(mac)
    live.set(macOf(id), now + Duration.toMillis(LIFE))
    yield* store
    return Redacted.make(id)
  })
  return {
    begin,
    isKnown: (id) => Effect.map(Clock.currentTimeMillis, (now) => (live.get(macOf(id)) ?? 0) > now),
    end: (id) => Effect.suspend(() => live.delete(macOf(id)) ? store : Effect.void)
  }
})
