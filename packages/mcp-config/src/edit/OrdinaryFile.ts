/** An ordinary text file: where it is, and what it says. */
import * as ByteSize from "effect/ByteSize"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import type { PlatformError } from "effect/PlatformError"
import * as Result from "effect/Result"

/** The most that a file may have. */
export const MAX_BYTES = ByteSize.mebibytes(1)

const MAX_LINKS = 16

/** Follows symbolic links to the file itself, also when it does not exist yet. */
export const real = (file: string, links = MAX_LINKS): Effect.Effect<
  string,
  PlatformError,
  FileSystem.FileSystem | Path.Path
> =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const found = yield* Effect.result(fs.realPath(file))
    if (Result.isSuccess(found)) return found.success
    if (found.failure.reason._tag !== "NotFound" || links === 0) return yield* Effect.fail(found.failure)
    const link = yield* Effect.orElseSucceed(fs.readLink(file), () => null)
    return link === null ? file : yield* real(path.resolve(path.dirname(file), link), links - 1)
  })

/** A file as it was read; both are null for one that is not there. */
export interface Read {
  readonly text: string | null
  readonly info: FileSystem.File.Info | null
}

/**
 * Reads a file. A pipe or a device would be waited for, and what is not UTF-8 would come back damaged: those fail with words,
 * as does more than `MAX_BYTES`.
 */
export const read = Effect.fnUntraced(function*(file: string) {
  const fs = yield* FileSystem.FileSystem
  const info = yield* fs.stat(file).pipe(Effect.catchIf(isAbsent, () => Effect.succeed(null)))
  if (info === null) return { text: null, info } satisfies Read
  if (info.type !== "File") return yield* Effect.fail("this is not an ordinary file")
  if (ByteSize.isGreaterThan(info.size, MAX_BYTES)) return yield* Effect.fail("the file has more than 1 MB")
  const text = decode(yield* fs.readFile(file))
  return text === null ? yield* Effect.fail("the file is not UTF-8 text") : { text, info } satisfies Read
})

/** Whether there is no such file. */
export const isAbsent = (error: PlatformError): boolean => error.reason._tag === "NotFound"

const decode = (bytes: Uint8Array): string | null =>
  Result.getOrElse(
    Result.try(() => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)),
    () => null
  )
