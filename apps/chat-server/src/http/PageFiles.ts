/** The files of the built page, in memory: a few megabytes, which stay as they are while the page is built anew. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import type * as Headers from "effect/http/Headers"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Path from "effect/Path"
import * as Schema from "effect/Schema"

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

/** The whole page in one file, as `scripts/WebBuild.mjs` writes it: a line that says what follows it. */
const PAGE = "page.pack"

const Index = Schema.fromJsonString(Schema.Array(Schema.Struct({
  path: Schema.String,
  etag: Schema.String,
  /** How long it is as it is, and packed. */
  plain: Schema.Int,
  packed: Schema.Array(Schema.Struct({ encoding: Schema.String, length: Schema.Int }))
})))

/** Reads the page that was built into a folder; paths begin with a slash. */
export const read = Effect.fnUntraced(function*(root: string) {
  const fs = yield* FileSystem.FileSystem
  const { extname, join } = yield* Path.Path
  const all = yield* fs.readFile(join(root, PAGE))
  let at = all.indexOf(NEW_LINE) + 1
  const index = yield* Schema.decodeUnknownEffect(Index)(new TextDecoder().decode(all.subarray(0, at)))
  const next = (length: number) => all.subarray(at, at += length)
  return new Map<string, PageFile>(index.map(({ etag, packed, path, plain }) => [path, {
    type: TYPES[extname(path)] ?? "application/octet-stream",
    etag,
    // Vite puts a hash of the content into the names below /assets/.
    cache: path.startsWith("/assets/") ? "public, max-age=31536000, immutable" : "no-cache",
    plain: next(plain),
    packed: packed.map(({ encoding, length }) => ({ encoding, bytes: next(length) }))
  }]))
})

const NEW_LINE = 10

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
