/** Finds the server that runs on a data folder, by its announcement and a proof that it is the announced one. */
import { allFiles, type Announcement, AnnouncementText, files } from "@boocode/chat-server/Announcement"
import { DataFolder } from "@boocode/chat-server/DataFolder"
import { pass, proof } from "@boocode/chat-server/InstanceSecret"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as References from "effect/References"
import * as Schema from "effect/Schema"
import { randomBytes } from "node:crypto"
import type { DataLocation } from "../options/DataLocation.ts"

const LIMIT = "15 seconds"
const MAX_BYTES = 16_384

export interface Seeker {
  /** The id of the user who runs this command; null where the system has no such ids. */
  readonly user: number | null
  /** Asks the server of an address to prove itself by this number. Its failures count as no proof. */
  readonly proofOf: (url: string, nonce: string) => Effect.Effect<string | null, unknown>
}

/**
 * The running server of a place that began first, with a pass that proves to it that the caller is on its machine. Null without
 * one, and for whatever else is wrong: the command then works by itself. Takes 15 s at most.
 */
export const find = Effect.fnUntraced(function*(place: DataLocation, seeker: Seeker) {
  const proven = yield* Effect.filter(
    yield* announcements(place, seeker.user),
    (announced) => isProven(announced, seeker),
    { concurrency: "unbounded" }
  )
  const [first] = proven.sort((one, other) => one.started < other.started ? -1 : 1)
  return first === undefined
    ? null
    : { url: first.url, pass: pass(first.secret), isOnDemand: first.onDemand === true }
})

/** A pass for the server of an address; null when that is on another machine. */
export const passFor = Effect.fnUntraced(function*(url: string, seeker: Seeker) {
  const all = yield* announcements({ dataDir: null, configFile: null }, seeker.user, allFiles)
  const proven = yield* Effect.findFirst(
    all.filter((announced) => isSame(announced.url, url)),
    (announced) => isProven(announced, seeker)
  )
  return Option.getOrNull(Option.map(proven, ({ secret }) => pass(secret)))
})

/** This machine has several names. */
const isSame = (one: string, other: string): boolean => {
  const plain = (url: string) => url.replace(/\/+$/, "").replace(/\/\/(localhost|\[::1\])(?=[:/]|$)/i, "//127.0.0.1")
  return plain(one) === plain(other)
}

const announcements = (place: Pick<DataLocation, "configFile" | "dataDir">, user: number | null, those = files) => {
  const folder = DataFolder.layer(place).pipe(
    // The verb itself reports what is wrong with the folder.
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

/** The text of a file that only this user can have written; else an empty one. */
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

/** Whether the server of an announcement knows its secret. */
const isProven = ({ secret, url }: Announcement, { proofOf }: Seeker) => {
  const nonce = randomBytes(16).toString("hex")
  return proofOf(url, nonce).pipe(
    Effect.map((answer) => answer === proof(secret, nonce)),
    Effect.timeout(LIMIT),
    Effect.orElseSucceed(() => false)
  )
}
