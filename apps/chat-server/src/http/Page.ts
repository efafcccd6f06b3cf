/**
 * The page at `/`: what Vite built, and the headers that keep a browser from running anything else.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import type * as Headers from "effect/http/Headers"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Path from "effect/Path"
import * as Runtime from "effect/Runtime"
import * as Schema from "effect/Schema"
import { createHash } from "node:crypto"

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'"
].join("; ")

// The reference page of the API carries its script and styles in itself; it still may ask nobody but this server.
const DOCS_POLICY = [
  "default-src 'none'",
  "script-src 'unsafe-inline'",
  "style-src 'unsafe-inline'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "font-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'"
].join("; ")

export const DOCS_PATH = "/api/docs"

/** The page was never built, or its folder cannot be read. `boocode` prints the message and the hint. */
export class PageMissing extends Schema.TaggedError<PageMissing>()("PageMissing", {
  folder: Schema.String,
  cause: Schema.Defect()
}) {
  override readonly [Runtime.errorExitCode] = 1
  override get message(): string {
    return `there is no built page in ${this.folder}`
  }
  get hint(): string {
    return "build it with: node scripts/WebBuild.mjs (pnpm start does so by itself)"
  }
}

/** Serves what was built into a folder, `index.html` for `/`; nothing that was not there when the server started. */
export const layer = (root: string) =>
  HttpRouter.use(Effect.fnUntraced(function*(router) {
    const files = yield* readFiles(root).pipe(
      Effect.filterOrFail((found) => found.has("/index.html"), () => new Error("it has no index.html")),
      Effect.mapError((cause) => new PageMissing({ folder: root, cause }))
    )
    yield* router.add(
      "GET",
      "/*",
      Effect.map(HttpServerRequest.HttpServerRequest, ({ headers, url }) => {
        const path = url.split(/[?#]/)[0] ?? ""
        const file = files.get(path === "/" ? "/index.html" : path)
        return file === undefined ? notFound : response(file, headers)
      })
    )
  }))

/** Puts the policy and its companions on every answer; one that brings a policy of its own keeps it. */
export const securityHeaders = HttpRouter.middleware(
  (httpEffect) =>
    Effect.flatMap(
      HttpServerRequest.HttpServerRequest,
      ({ url }) =>
        Effect.map(httpEffect, (response) =>
          HttpServerResponse.setHeaders(response, {
            "content-security-policy": response.headers["content-security-policy"] ?? policyOf(url),
            "x-content-type-options": "nosniff",
            "referrer-policy": "no-referrer",
            "cross-origin-resource-policy": "same-origin"
          }))
    ),
  { global: true }
)

const policyOf = (url: string): string => url.split(/[?#]/)[0] === DOCS_PATH ? DOCS_POLICY : POLICY

const notFound = HttpServerResponse.text("There is nothing here. The page is at /, the API at /api/docs.\n", {
  status: 404
})

// The files of the built page, in memory: a few hundred kilobytes that stay of one piece when they are built anew.

/** One file, and what there is of it compressed. */
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
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8"
}

const ENCODINGS = [["br", ".br"], ["gzip", ".gz"]] as const

/** Reads a folder whole; paths begin with a slash. Names that begin with a dot and types unknown here are left out. */
export const readFiles = Effect.fnUntraced(function*(root: string) {
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

// The names of what Vite puts there hold a hash of the content.
const about = (path: string, ending: string, content: Uint8Array) => ({
  type: TYPES[ending] ?? "application/octet-stream",
  etag: `"${createHash("sha256").update(content).digest("base64url").slice(0, 22)}"`,
  cache: path.startsWith("/assets/") ? "public, max-age=31536000, immutable" : "no-cache"
})

const isShown = (name: string): boolean => !name.split(/[/\\]/).some((segment) => segment.startsWith("."))
