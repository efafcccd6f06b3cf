/** The server that runs on a data folder, found by its announcement and believed only when it proves to be the announced one. */
import { allFiles, type Announcement, AnnouncementText, files } from "@boocode/chat-server/Announcement"
import { DataFolder } from "@boocode/chat-server/DataFolder"
import { pass, proof } from "@boocode/chat-server/Instance"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as UserDirectories from "effect/persistence/UserDirectories"
import type * as Redacted from "effect/Redacted"
import * as References from "effect/References"
import * as Schema from "effect/Schema"
import { randomBytes } from "node:crypto"
import { Remote } from "../backend/Remote.ts"
import type { Place } from "../options/Place.ts"

const LIMIT = "15 seconds"
const MAX_BYTES = 16_384

export interface Seeker {
  /** The id of whoever runs this command, where the system has such ids. */
  readonly user: number | null
  /** How a server is talked to. */
  readonly remote: (url: string) => Layer.Layer<Remote>
}

/** A running server, and what shows it that who asks is of this machine. */
export interface Found {
  readonly url: string
  readonly pass: Redacted.Redacted<string>
}

/**
 * The one that began first. Null whatever is wrong: without a running server a command does its work by itself. Takes 15 s at
 * most.
 */
export const find = Effect.fnUntraced(function*(place: Place, { remote, user }: Seeker) {
  const proven = yield* Effect.forEach(
    yield* announcements(place, user),
    (announced) =>
      Effect.timeout(Effect.provide(isProven(announced), remote(announced.url)), LIMIT).pipe(
        Effect.map((isProven) => isProven ? [announced] : []),
        Effect.orElseSucceed(() => [])
      ),
    { concurrency: "unbounded" }
  )
  const [first] = proven.flat().sort((one, other) => one.started < other.started ? -1 : 1)
  return first === undefined ? null : { url: first.url, pass: pass(first.secret) } satisfies Found
})

/** What shows a server at this address that who asks is of this machine; null for one of another machine. */
export const passFor = Effect.fnUntraced(function*(url: string, { remote, user }: Seeker) {
  const nowhere = { dataDir: null, configFile: null }
  const meant = (yield* announcements(nowhere, user, allFiles)).filter((announced) => isSame(announced.url, url))
  const proven = yield* Effect.findFirst(
    meant,
    (announced) =>
      Effect.provide(isProven(announced), remote(announced.url)).pipe(
        Effect.timeout(LIMIT),
        Effect.orElseSucceed(() => false)
      )
  )
  return Option.getOrNull(Option.map(proven, ({ secret }) => pass(secret)))
})

/** A server that listens here has several names. */
const isSame = (one: string, other: string): boolean => {
  const plain = (url: string) => url.replace(/\/+$/, "").replace(/\/\/(localhost|\[::1\])(?=[:/]|$)/i, "//127.0.0.1")
  return plain(one) === plain(other)
}

const announcements = (place: Pick<Place, "configFile" | "dataDir">, user: number | null, those = files) => {
  const folder = DataFolder.layer(place).pipe(
    Layer.provide(UserDirectories.layer),
    // Whatever is odd about the folder is told by whoever uses it.
    Layer.provide(Layer.succeed(References.MinimumLogLevel, "None"))
  )
  return those.pipe(
    Effect.provide(folder),
    Effect.flatMap(Effect.forEach((name) => read(name, user))),
    Effect.map((found) => found.flat()),
    Effect.orElseSucceed((): ReadonlyArray<Announcement> => [])
  )
}

const read = (name: string, user: number | null) =>
  Effect.scoped(trusted(name, user)).pipe(
    Effect.flatMap(Schema.decodeEffect(AnnouncementText)),
    Effect.map((found) => [found]),
    Effect.orElseSucceed((): ReadonlyArray<Announcement> => [])
  )

/** The text of a file, if nobody but this user can have written it; else none. */
const trusted = Effect.fnUntraced(function*(name: string, user: number | null) {
  const fs = yield* FileSystem.FileSystem
  const opened = yield* fs.open(name)
  const { mode, type, uid } = yield* opened.stat
  const isOwn = user === null || (Option.contains(uid, user) && (mode & OTHERS_WRITE) === 0)
  if (type !== "File" || !isOwn) return ""
  const bytes = yield* opened.readAlloc(MAX_BYTES)
  return new TextDecoder().decode(Option.getOrElse(bytes, () => new Uint8Array()))
})

const OTHERS_WRITE = 0o022

const isProven = Effect.fnUntraced(function*({ secret }: Announcement) {
  const { api, quick } = yield* Remote
  const nonce = randomBytes(16).toString("hex")
  const answer = yield* quick(api.health.health({ query: { nonce } }))
  return answer.proof === proof(secret, nonce)
})
