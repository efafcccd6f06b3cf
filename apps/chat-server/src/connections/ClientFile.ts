/** A file of another application, as far as BooCode may change it. */
import { EditedFile, Environment, OrdinaryFile } from "@boocode/mcp-config"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import type { PlatformError } from "effect/PlatformError"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { TOLD } from "../settings/ToldWords.ts"

/** A file of another application cannot be read, or must not be changed. It is as it was. */
export class ConnectionRefused extends Schema.TaggedError<ConnectionRefused>()("ConnectionRefused", {
  ...TOLD,
  file: Schema.String
}) {}

/** The text of a file; null for one that is not there. Fails for a link, a device, and what is not UTF-8 or over 1 MB. */
export const read = Effect.fnUntraced(function*(file: string) {
  const fs = yield* FileSystem.FileSystem
  const link = yield* Effect.result(fs.readLink(file))
  if (Result.isSuccess(link)) {
    return yield* refused(
      file,
      `is a link to ${link.success}`,
      "change what it leads to by hand, or put a file in its place"
    )
  }
  return yield* Effect.mapError(
    OrdinaryFile.read(file),
    (error) => typeof error === "string" ? refused(file, error, BY_HAND) : unreadable(file, error)
  )
})

const BY_HAND = "add the entry by hand; boocode connect --json prints it"

/** Fails unless the file is an ordinary one of this person, who may write it, in a folder that is no link. */
export const check = Effect.fnUntraced(function*(file: string) {
  const { info } = yield* read(file)
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const { variables } = yield* Environment
  const home = variables["HOME"] ?? variables["USERPROFILE"] ?? path.sep
  if (info !== null && (info.mode & 0o200) === 0) {
    return yield* refused(file, "is read-only", `if you mean it to be changed: chmod u+w ${file}`)
  }
  const owner = yield* Effect.orElseSucceed(Effect.map(fs.stat(home), ({ uid }) => uid), () => Option.none<number>())
  const isOthers = info !== null && Option.isSome(owner) && Option.isSome(info.uid) && info.uid.value !== owner.value
  if (isOthers) return yield* refused(file, "belongs to another user", "connect the application as that user")
  const below = path.relative(home, path.dirname(file))
  if (below.startsWith("..") || path.isAbsolute(below)) return
  const real = (folder: string) => Effect.orElseSucceed(fs.realPath(folder), () => null)
  const [folder, start] = [yield* real(path.dirname(file)), yield* real(home)]
  if (folder !== null && start !== null && folder !== path.join(start, below)) {
    return yield* refused(file, `is behind a link to ${folder}`, "change what it leads to by hand")
  }
})

/** Replaces a text by another. Fails when the file has another text by now. */
export const replace = (file: string, before: string | null, after: string) =>
  EditedFile.edit(
    { path: file, name: file },
    (text) =>
      text === (before ?? "")
        ? Result.succeed(after)
        : Result.fail(refused(file, "was changed by another program just now", "try again"))
  ).pipe(
    Effect.catchTag("EditFailed", ({ detail, hint }) => Effect.fail(refused(file, detail, hint)))
  )

/** Why a file was not changed. */
export const refused = (file: string, what: string, hint: string) =>
  new ConnectionRefused({ file, message: `${file} ${what}`, hint: `${hint}; nothing was changed` })

const unreadable = (file: string, error: PlatformError) =>
  error.reason._tag === "PermissionDenied"
    ? refused(file, "may not be read", "check its owner and its mode")
    : refused(file, `cannot be read (${error.reason._tag})`, "check the file")
