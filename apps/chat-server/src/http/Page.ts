/** The page at `/`: what Vite built, and the headers that keep a browser from running anything else. */
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Runtime from "effect/Runtime"
import * as Schema from "effect/Schema"
import { AppHost } from "../apps/AppHost.ts"
import * as PageFiles from "./PageFiles.ts"

const policyFor = (frames: ReadonlyArray<string>) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data:",
    // Sound that tools gave.
    "media-src 'self'",
    // Formulas have fonts of their own.
    "font-src 'self'",
    // The page opens without a server, and can be installed.
    "worker-src 'self'",
    "manifest-src 'self'",
    // Apps of servers, which send a policy of their own.
    ["frame-src 'self'", ...frames].join(" "),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'"
  ].join("; ")

const POLICY = policyFor([])

// The reference of the API carries its script and styles in itself, and may ask nobody but this server.
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
  readonly hint: string = "build it with: node scripts/WebBuild.mjs (pnpm start does so by itself)"
}

/** Serves what was built into a folder, `index.html` for `/`; nothing that was not there when the server started. */
export const layer = (root: string) =>
  HttpRouter.use(Effect.fnUntraced(function*(router) {
    const files = yield* PageFiles.read(root).pipe(
      Effect.filterOrFail((found) => found.has("/index.html"), () => new Error("it has no index.html")),
      Effect.mapError((cause) => new PageMissing({ folder: root, cause }))
    )
    yield* router.add(
      "GET",
      "/*",
      Effect.map(HttpServerRequest.HttpServerRequest, ({ headers, url }) => {
        const path = url.split(/[?#]/)[0] ?? ""
        const file = files.get(path === "/" ? "/index.html" : path)
        return file === undefined ? notFound : PageFiles.response(file, headers)
      })
    )
  }))

/** The headers of an answer that is no page. */
export const SECURITY = {
  "content-security-policy": POLICY,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin"
} as const

/** Puts the policy and its companions on every answer; one that brings a policy of its own keeps it. */
export const securityHeaders = HttpRouter.middleware(
  Effect.map(AppHost, ({ framed }) => {
    const ofPage = policyFor(framed)
    return <E, R>(httpEffect: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
      Effect.flatMap(
        HttpServerRequest.HttpServerRequest,
        ({ url }) =>
          Effect.map(httpEffect, (response) =>
            HttpServerResponse.setHeaders(response, {
              ...SECURITY,
              "content-security-policy": response.headers["content-security-policy"] ??
                (isDocs(url) ? DOCS_POLICY : isPage(url) ? ofPage : POLICY)
            }))
      )
  }),
  { global: true }
)

const pathOf = (url: string): string => url.split(/[?#]/)[0] ?? ""

const isDocs = (url: string): boolean => pathOf(url) === DOCS_PATH

const isPage = (url: string): boolean => pathOf(url) === "/" || pathOf(url) === "/index.html"

const notFound = HttpServerResponse.text("There is nothing here. The page is at /, the API at /api/docs.\n", {
  status: 404
})
