/**
 * The spans of requests to this server: which have one, what they are called, and that nothing secret is in them.
 */
import * as HttpMiddleware from "effect/http/HttpMiddleware"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as UrlParams from "effect/http/UrlParams"
import * as Layer from "effect/Layer"
import * as Routes from "../Routes.ts"

/**
 * The API's alone: probes, scrapes, the page's files and logins that come back are left out. A request belongs to the trace
 * that its `traceparent` names.
 */
export const layer = Layer.mergeAll(
  Layer.succeed(HttpMiddleware.SpanNameGenerator, ({ method, url }) => `${method} ${Routes.patternOf(url)}`),
  Layer.succeed(HttpMiddleware.TracerDisabledWhen, ({ url }: HttpServerRequest.HttpServerRequest) => !isTold(url)),
  // What people search for and what logins bring back stand there.
  Layer.succeed(UrlParams.CurrentRedactedNames, [/(?:)/])
)

const isTold = (url: string): boolean => url.startsWith("/api/") && !/^\/api\/health(?![\w-])/.test(url)
