/** The files of the built page, in memory: some hundred kilobytes, which stay as they are while the page is built anew. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import type * as Headers from "effect/http/Headers"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Path from "effect/Path"
import { createHash } from "node:crypto"

export interface PageFile {
  readonly type: string
  readonly etag: string
  readonly cache: string
  readonly plain: Uint8Array
  /** By the name of the encoding, the smallest first. */
  readonly packed: ReadonlyArray<{ readonly encoding: string; readonly bytes: Uint8Array }>
}

const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".webmanifest": "application/manifest+json",
  ".woff2": "font/woff2"
}

const ENCODINGS = [["br", ".br"], ["gzip", ".gz"]] as const

/** Reads a folder whole; paths begin with a slash. Names that begin with a dot and types unknown here are left out. */
export const read = Effect.fnUntraced(function*(root: string) {
  const fs = yield* FileSystem.FileSystem
  const { extname, join, sep } = yield* Path.Path
  const names = (yield* fs.readDirectory(root, { recursive: true })).filter(isShown)
  const there = new Set(names)
  const files = yield* Effect.forEach(
    names.filter((name) => TYPES[extname(name)] !== undefined),
    Effect.fnUntraced(function*(name) {
      const plain = yield* fs.readFile(join(root, name))
      const packed = yield* Effect.forEach(
        ENCODINGS.filter(([, ending]) => there.has(name + ending)),
        ([encoding, ending]) => Effect.map(fs.readFile(join(root, name + ending)), (bytes) => ({ encoding, bytes }))
      )
      const path = `/${name.split(sep).join("/")}`
      return [path, { ...about(path, extname(name), plain), plain, packed }] as const
    })
  )
  return new Map<string, PageFile>(files)
})

/** The file as this client takes it, or 304 when it has it already. */
export const response = (file: PageFile, headers: Headers.Headers): HttpServerResponse.HttpServerResponse => {
  const shared = { "cache-control": file.cache, etag: file.etag, vary: "accept-encoding" }
  if (headers["if-none-match"] === file.etag) return HttpServerResponse.empty({ status: 304, headers: shared })
  const accepted = (headers["accept-encoding"] ?? "").split(",").map((word) => word.trim().toLowerCase())
  const chosen = file.packed.find(({ encoding }) => accepted.some((word) => word.split(";")[0] === encoding))
  if (chosen === undefined) {
    return HttpServerResponse.uint8Array(file.plain, { contentType: file.type, headers: shared })
  }
  return HttpServerResponse.uint8Array(chosen.bytes, {
    contentType: file.type,
    headers: { ...shared, "content-encoding": chosen.encoding }
  })
}

// Vite puts a hash of the content into the names below /assets/.
const about = (path: string, ending: string, content: Uint8Array) => ({
  type: TYPES[ending] ?? "application/octet-stream",
  etag: `"${createHash("sha256").update(content).digest("base64url").slice(0, 22)}"`,
  cache: path.startsWith("/assets/") ? "public, max-age=31536000, immutable" : "no-cache"
})

const isShown = (name: string): boolean => !name.split(/[/\\]/).some((segment) => segment.startsWith("."))
