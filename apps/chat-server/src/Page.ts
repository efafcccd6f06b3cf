/**
 * The page at `/`: plain files, and the headers that keep a browser from running anything else.
 */
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerRespondable from "effect/http/HttpServerRespondable"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpStaticServer from "effect/http/HttpStaticServer"

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

/** Serves the files of a folder, `index.html` for `/`; nothing whose name begins with a dot. */
export const layer = (root: string) =>
  HttpRouter.use(Effect.fnUntraced(function*(router) {
    const files = yield* HttpStaticServer.make({ root, cacheControl: "no-cache" })
    yield* router.add(
      "GET",
      "/*",
      Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ url }) =>
        isHidden(url)
          ? Effect.succeed(notFound)
          : Effect.catch(files, (error) => Effect.map(HttpServerRespondable.toResponse(error), orWords)))
    )
  }))

/** Puts the policy and its companions on every answer. */
export const securityHeaders = HttpRouter.middleware(
  (httpEffect) =>
    Effect.flatMap(
      HttpServerRequest.HttpServerRequest,
      ({ url }) =>
        Effect.map(httpEffect, (response) =>
          HttpServerResponse.setHeaders(response, {
            "content-security-policy": url.startsWith(DOCS_PATH) ? DOCS_POLICY : POLICY,
            "x-content-type-options": "nosniff",
            "referrer-policy": "no-referrer",
            "cross-origin-resource-policy": "same-origin"
          }))
    ),
  { global: true }
)

const notFound = HttpServerResponse.text("There is nothing here. The page is at /, the API at /api/docs.\n", {
  status: 404
})

/** An empty 404 looks like a server that is broken. */
const orWords = (response: HttpServerResponse.HttpServerResponse) => response.status === 404 ? notFound : response

const isHidden = (url: string): boolean => {
  const path = url.split(/[?#]/)[0] ?? ""
  // Decoded once more than needed rather than once too few: a name with %2e is a name with a dot.
  const decoded = path.replaceAll(/%2e/gi, ".").replaceAll(/%2f/gi, "/")
  return decoded.split("/").some((segment) => segment.startsWith("."))
}
