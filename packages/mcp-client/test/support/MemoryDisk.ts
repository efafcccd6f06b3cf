/** Files held in memory, with what writing safely takes: exclusive creation, hard links, renaming. */
import * as ByteSize from "effect/ByteSize"
import * as WebCrypto from "effect/crypto/WebCrypto"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as PlatformError from "effect/PlatformError"
import { createHash } from "node:crypto"

type Trouble = "NotFound" | "AlreadyExists" | "PermissionDenied"

const failure = (tag: Trouble, method: string, path: string) =>
  PlatformError.systemError({ _tag: tag, module: "FileSystem", method, pathOrDescriptor: path })

const NO_TIME = { mtime: Option.none(), atime: Option.none(), birthtime: Option.none() }
const NO_IDS = { ino: Option.none(), nlink: Option.none(), uid: Option.none(), gid: Option.none(), rdev: Option.none() }

const infoOf = (text: string): FileSystem.File.Info => ({
  type: "File",
  ...NO_TIME,
  ...NO_IDS,
  dev: 0n,
  mode: 0o600,
  size: ByteSize.bytes(text.length),
  blksize: Option.none(),
  blocks: Option.none()
})

/** Hashes at once, where the real one answers from another thread whenever it likes. */
const PROMPT_CRYPTO = WebCrypto.layer(Object.create(globalThis.crypto, {
  subtle: {
    value: { digest: (_: string, data: Uint8Array) => Promise.resolve(createHash("sha256").update(data).digest()) }
  }
}))

/** A disk, the text of every file by its path, and every path that was written or renamed to, in order. */
export const make = () => {
  const files = new Map<string, string>()
  const modes = new Map<string, number>()
  const writes: Array<string> = []
  const state = { isReadOnly: false, forbidden: new Set<string>(), stuck: new Set<string>() }
  const read = (method: string, path: string) =>
    Effect.suspend(() => {
      const text = files.get(path)
      if (state.stuck.has(path)) return Effect.never
      if (state.forbidden.has(path)) return Effect.fail(failure("PermissionDenied", method, path))
      return text === undefined ? Effect.fail(failure("NotFound", method, path)) : Effect.succeed(text)
    })
  const changing = <A>(method: string, path: string, change: () => Effect.Effect<A, PlatformError.PlatformError>) =>
    Effect.suspend(() => state.isReadOnly ? Effect.fail(failure("PermissionDenied", method, path)) : change())
  const fs = FileSystem.layerNoop({
    exists: (path) => Effect.sync(() => files.has(path)),
    makeDirectory: (path) => changing("makeDirectory", path, () => Effect.void),
    realPath: (path) => Effect.as(read("realPath", path), path),
    stat: (path) =>
      Effect.suspend(() =>
        [...files.keys()].some((file) => file.startsWith(`${path}/`))
          ? Effect.succeed({ ...infoOf(""), type: "Directory" as const })
          : Effect.map(read("stat", path), infoOf)
      ),
    readFileString: (path) => read("readFileString", path),
    writeFileString: (path, text, options) =>
      changing("writeFileString", path, () => {
        if (options?.flag === "wx" && files.has(path)) return Effect.fail(failure("AlreadyExists", "write", path))
        if (options?.flag === "r+" && !files.has(path)) return Effect.fail(failure("NotFound", "write", path))
        files.set(path, text)
        if (options?.mode !== undefined) modes.set(path, options.mode)
        writes.push(path)
        return Effect.void
      }),
    link: (from, to) =>
      changing("link", to, () => {
        if (files.has(to)) return Effect.fail(failure("AlreadyExists", "link", to))
        return Effect.map(read("link", from), (text) => void files.set(to, text))
      }),
    copyFile: (from, to) =>
      changing("copyFile", to, () => Effect.map(read("copyFile", from), (text) => void files.set(to, text))),
    remove: (path, options) =>
      changing(
        "remove",
        path,
        () =>
          files.delete(path) || options?.force === true ? Effect.void : Effect.fail(failure("NotFound", "remove", path))
      ),
    rename: (from, to) =>
      changing("rename", to, () =>
        Effect.map(read("rename", from), (text) => {
          files.delete(from)
          files.set(to, text)
          modes.set(to, modes.get(from) ?? 0o644)
          writes.push(to)
        }))
  })
  return { files, modes, writes, state, layer: Layer.mergeAll(fs, Path.layer, PROMPT_CRYPTO) }
}
