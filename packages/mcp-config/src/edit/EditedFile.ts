/** Changes a file by a function over its text. Readers see the old text or the new one; a second writer loses nothing. */
import * as ByteSize from "effect/ByteSize"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import type { PlatformError } from "effect/PlatformError"
import type * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import * as EditLock from "./EditLock.ts"
import * as OrdinaryFile from "./OrdinaryFile.ts"

/** A file to change. */
export interface Target {
  /** Absolute. */
  readonly path: string
  /** How a person would name it. */
  readonly name: string
}

/** The outcome of a change. */
export interface Edited {
  /** The text it began with; null for a file that was not there. */
  readonly before: string | null
  readonly after: string
  /** False when the change changes nothing; then nothing was written. */
  readonly isChanged: boolean
  /** The file that was meant: what a symbolic link leads to, or the path itself. */
  readonly file: string
  /** True when the file that was written belongs to another user; it still does. */
  readonly isOthers: boolean
}

/** A file that could not be read or written. It is as it was before. */
export class EditFailed extends Data.TaggedError("EditFailed")<{
  readonly file: string
  readonly detail: string
  readonly hint: string
  readonly cause?: unknown
}> {
  /** Names the file and the trouble. */
  override get message(): string {
    return `${this.file}: ${this.detail}`
  }
}

/** A change: the text in (empty for a file that is not there), the new text out. An edit may ask for it more than once. */
export type Change<E> = (text: string) => Result.Result<string, E>

/** Tells what a change would come to, and writes nothing. */
export const preview = <E>(
  target: Target,
  change: Change<E>
): Effect.Effect<Edited, EditFailed | E, FileSystem.FileSystem | Path.Path> => inWords(target, outlook(target, change))

/**
 * Changes a file. A file or folder that is not there is made, for its owner alone.
 *
 * The new text is written beside the file, flushed, and renamed over it, so that a reader sees the old text or the new
 * one. Mode and owner stay; a symbolic link stays one, and what it leads to is changed. Several edits at once wait for
 * each other, for at most 15 s, and each sees the text of the one before; a lock whose holder shows no life for 5 s is
 * taken over. A program that knows nothing of the lock is noticed when it wrote before the renaming: then the change is
 * made again, on its text.
 */
export const edit = <E>(
  target: Target,
  change: Change<E>
): Effect.Effect<Edited, EditFailed | E, FileSystem.FileSystem | Path.Path> => inWords(target, applied(target, change))

/** The failures of an edit, before they become an `EditFailed`. */
type Trouble<E> = string | PlatformError | EditLock.Busy | Overtaken | Refused<E>

/** Somebody else wrote first, or took this writer for dead. */
interface Overtaken {
  readonly _tag: "Overtaken"
}

/** The change itself said no. */
interface Refused<E> {
  readonly _tag: "Refused"
  readonly why: E
}

const OVERTAKEN: Overtaken = { _tag: "Overtaken" }

const outlook = Effect.fnUntraced(function*<E>(target: Target, change: Change<E>) {
  const file = yield* OrdinaryFile.real(target.path)
  const { text } = yield* OrdinaryFile.read(file)
  return yield* changed(file, text, change)
})

const applied = Effect.fnUntraced(function*<E>(target: Target, change: Change<E>) {
  const expected = yield* outlook(target, change)
  if (!expected.isChanged) return expected
  const path = yield* Path.Path
  const fs = yield* FileSystem.FileSystem
  yield* fs.makeDirectory(path.dirname(expected.file), { recursive: true, mode: 0o700 })
  const attempt = EditLock.withLock(expected.file, (draft) => written(expected.file, draft, change))
  return yield* Effect.retry(attempt, {
    while: (error) => typeof error !== "string" && error._tag === "Overtaken",
    times: MAX_ATTEMPTS
  })
})

const changed = <E>(file: string, before: string | null, change: Change<E>) =>
  Effect.mapBoth(Effect.fromResult(change(before ?? "")), {
    onSuccess: (after): Edited => ({
      before,
      after,
      isChanged: after !== (before ?? ""),
      file,
      isOthers: false
    }),
    onFailure: (why): Refused<E> => ({ _tag: "Refused", why })
  })

const MAX_ATTEMPTS = 10

/** Puts the changed text into the draft and the draft in place of the file. */
const written = Effect.fnUntraced(function*<E>(file: string, draft: string, change: Change<E>) {
  const { info, text } = yield* OrdinaryFile.read(file)
  const edited = yield* changed(file, text, change)
  if (!edited.isChanged) return edited
  const bytes = new TextEncoder().encode(edited.after)
  if (ByteSize.isGreaterThan(ByteSize.bytes(bytes.length), OrdinaryFile.MAX_BYTES)) {
    return yield* Effect.fail("the file would have more than 1 MB")
  }
  const isOthers = yield* unlessDismissed(fill(draft, bytes, info))
  if ((yield* OrdinaryFile.read(file)).text !== text) return yield* Effect.fail(OVERTAKEN)
  const fs = yield* FileSystem.FileSystem
  yield* unlessDismissed(Effect.retry(fs.rename(draft, file), { while: isInUse, times: 5, schedule: IN_USE }))
  return { ...edited, isOthers }
})

/** The draft is gone when another writer took this one for dead. */
const unlessDismissed = <A, R>(effect: Effect.Effect<A, PlatformError | string, R>) =>
  Effect.mapError(effect, (error) => typeof error !== "string" && OrdinaryFile.isAbsent(error) ? OVERTAKEN : error)

/** Windows refuses to replace a file while somebody reads it. */
const isInUse = (error: PlatformError): boolean =>
  error.reason._tag === "Busy" || error.reason._tag === "PermissionDenied"

const IN_USE = Schedule.spaced("40 millis")

const fill = Effect.fnUntraced(function*(draft: string, bytes: Uint8Array, info: FileSystem.File.Info | null) {
  const fs = yield* FileSystem.FileSystem
  // Never made anew: a draft that is gone was taken away.
  const file = yield* fs.open(draft, { flag: "r+" })
  yield* file.writeAll(bytes)
  // Not every file system can flush, and the renaming is no less whole without.
  yield* Effect.ignore(file.sync)
  if (info === null) return false
  const isOthers = yield* keepOwner(draft, info)
  yield* fs.chmod(draft, info.mode & 0o7777)
  return isOthers
}, Effect.scoped)

/** Gives the draft the owner and group of the file, and tells whether the owner is another. */
const keepOwner = Effect.fnUntraced(function*(draft: string, { gid, uid }: FileSystem.File.Info) {
  const fs = yield* FileSystem.FileSystem
  const own = yield* fs.stat(draft)
  if (Option.isNone(uid) || Option.isNone(gid)) return false
  const isOwn = Option.contains(own.uid, uid.value)
  if (isOwn && Option.contains(own.gid, gid.value)) return false
  yield* Effect.mapError(
    fs.chown(draft, uid.value, gid.value),
    (error) =>
      OrdinaryFile.isAbsent(error) ? error : "the file belongs to another user or group, which could not be kept"
  )
  return !isOwn
})

const inWords = <E, R>(
  { name }: Target,
  effect: Effect.Effect<Edited, Trouble<E>, R>
): Effect.Effect<Edited, EditFailed | E, R> =>
  Effect.mapError(effect, (trouble) => {
    if (typeof trouble === "string") return new EditFailed({ file: name, detail: trouble, hint: HINT })
    if (trouble._tag === "Refused") return trouble.why
    return new EditFailed({ file: name, ...words(trouble) })
  })

const HINT = "name an ordinary file that you may read and write"

const words = (trouble: PlatformError | EditLock.Busy | Overtaken) => {
  if (trouble._tag === "Overtaken") {
    return { detail: "another program keeps changing this file", hint: "try again when it is done" }
  }
  if (trouble._tag === "Busy") {
    return {
      detail: "another boocode is changing this file",
      hint: `try again; if none is running, remove ${trouble.lock}`
    }
  }
  const { reason } = trouble
  const where = "pathOrDescriptor" in reason && reason.pathOrDescriptor !== undefined ? reason.pathOrDescriptor : "it"
  const detail = reason._tag === "PermissionDenied" ? `${where} may not be read or written` : reason.message
  return { detail, hint: HINT, cause: trouble }
}
