/** The sessions of people who are logged in. Browsers keep an id in a cookie; this side keeps only what proves it. */
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

/** Keeps them in `file`. Where that cannot be written they last as long as the program, and the log says so. */
export const make = Effect.fnUntraced(function*(
  file: string,
  token: Redacted.Redacted<string>
): Effect.fn.Return<LoginSessions, never, FileSystem.FileSystem | Path.Path> {
  const context = yield* Effect.context<FileSystem.FileSystem | Path.Path>()
  const read = yield* Effect.option(Effect.flatMap(
    Effect.map(PrivateFile.read(file), (text) => text ?? "[]"),
    Schema.decodeEffect(Kept)
  ))
  const live = new Map(Option.getOrElse(read, () => []).map(({ mac, until }) => [mac, until]))
  const macOf = (id: string) => createHmac("sha256", Redacted.value(token)).update(`session:${id}`).digest("base64url")
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
    const id = randomBytes(32).toString("base64url")
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
