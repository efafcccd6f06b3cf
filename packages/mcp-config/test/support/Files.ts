/** Files held in memory, and the layers a configuration needs around them. */
import * as ByteSize from "effect/ByteSize"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as PlatformError from "effect/PlatformError"
import { type Configuration, Environment, McpConfig, type McpConfigNeeds } from "../../src/index.ts"

/** A file's text by its absolute path; "forbidden" stands for a file that may not be read. */
export type Files = Readonly<Record<string, string | { readonly type: "forbidden" | "device" | "folder" }>>

const failure = (tag: "NotFound" | "PermissionDenied", method: string, path: string) =>
  PlatformError.systemError({ _tag: tag, module: "FileSystem", method, pathOrDescriptor: path })

/** A file system of these files. `reads` receives every path that was read. */
export const layerFiles = (files: Files, reads: Array<string>) =>
  FileSystem.layerNoop({
    exists: (path) => Effect.succeed(Object.keys(files).some((file) => file === path || file.startsWith(`${path}/`))),
    stat: (path) => {
      const file = files[path]
      if (file === undefined) return Effect.fail(failure("NotFound", "stat", path))
      if (typeof file === "string") return Effect.succeed(infoOf("File", file.length))
      return Effect.succeed(infoOf(TYPES[file.type]))
    },
    readFileString: (path) => {
      reads.push(path)
      const file = files[path]
      if (file === undefined) return Effect.fail(failure("NotFound", "readFileString", path))
      return typeof file === "string"
        ? Effect.succeed(file)
        : Effect.fail(failure("PermissionDenied", "readFileString", path))
    }
  })

const TYPES = { forbidden: "File", device: "CharacterDevice", folder: "Directory" } as const

/** What a file system tells of a file. */
export const infoOf = (type: FileSystem.File.Type, size = 0): FileSystem.File.Info => ({
  type,
  mtime: Option.none(),
  atime: Option.none(),
  birthtime: Option.none(),
  dev: 0n,
  ino: Option.none(),
  mode: 0o644,
  nlink: Option.none(),
  uid: Option.none(),
  gid: Option.none(),
  rdev: Option.none(),
  size: ByteSize.bytes(size),
  blksize: Option.none(),
  blocks: Option.none()
})

/** The configuration a layer gives over these files and variables. `reads` receives every path that was read. */
export const configurationOf = (
  layer: Layer.Layer<McpConfig, never, McpConfigNeeds>,
  files: Files,
  variables: Readonly<Record<string, string | undefined>> = {},
  reads: Array<string> = []
): Effect.Effect<Configuration> =>
  Effect.provide(
    McpConfig.use((config) => config.current),
    Layer.provide(layer, Layer.mergeAll(layerFiles(files, reads), Path.layer, Environment.layer(variables)))
  )

/** The configuration of one file at /data/mcp.json. */
export const configurationOfText = (
  text: string,
  variables: Readonly<Record<string, string | undefined>> = {},
  files: Files = {}
): Effect.Effect<Configuration> =>
  configurationOf(McpConfig.layerFile("/data/mcp.json"), { "/data/mcp.json": text, ...files }, variables)

/** The configuration of servers written into /data/mcp.json. */
export const configurationOfServers = (
  servers: unknown,
  variables: Readonly<Record<string, string | undefined>> = {},
  files: Files = {}
): Effect.Effect<Configuration> =>
  configurationOfText(JSON.stringify({ mcpServers: servers }, null, 2), variables, files)
