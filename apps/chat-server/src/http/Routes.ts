/**
 * What no route of the API answers to: a path that is not there, or a method that its path does not take.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { HttpApiSchemaError } from "effect/http-api/HttpApiError"
import * as HttpMiddleware from "effect/http/HttpMiddleware"
import * as HttpRouter from "effect/http/HttpRouter"
import type * as HttpServerError from "effect/http/HttpServerError"
import { isHttpServerError } from "effect/http/HttpServerError"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as UrlParams from "effect/http/UrlParams"
import * as Layer from "effect/Layer"
import * as PrometheusMetrics from "effect/observability/PrometheusMetrics"
import * as SchemaIssue from "effect/SchemaIssue"
import { Problems as ProblemsOf } from "../api/ChatApi.ts"
import * as Problems from "../api/Problems.ts"
import { HostMetrics, ServerGauges } from "../telemetry/HostMetrics.ts"
import * as Guard from "./Guard.ts"
import { DOCS_PATH } from "./Page.ts"
import * as RouteNames from "./RouteNames.ts"

// Not HEAD: the router answers it with the GET route of the path. What is no path of the API is the page's for GET.
const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const

const answer = Effect.map(HttpServerRequest.HttpServerRequest, ({ method, url }) => {
  const path = url.split("?")[0] ?? ""
  const allowed = allowedMethods(path)
  const told = { hint: `${DOCS_PATH} lists what there is` }
  if (allowed.length === 0) {
    return Problems.response(404, { ...told, _tag: "UnknownRoute", message: `there is no ${method} ${path}` }, {
      nearest: []
    })
  }
  const message = `${path} takes ${allowed.join(", ")}, not ${method}`
  return HttpServerResponse.setHeader(
    Problems.response(405, { ...told, _tag: "MethodNotAllowed", message }),
    "allow",
    allowed.join(", ")
  )
})

export const layer = Layer.mergeAll(
  HttpRouter.add(METHODS[0], "/api/*", answer),
  ...METHODS.slice(1).map((method) => HttpRouter.add(method, "/*", answer))
)

const allowedMethods = (path: string): ReadonlyArray<string> => {
  const taken = RouteNames.methodsOf(path)
  return METHODS.filter((method) => taken.has(method)).flatMap((method) =>
    method === "GET" ? ["GET", "HEAD"] : [method]
  )
}

// `GET /metrics`: everything counted so far, as Prometheus reads it.

export const metricsLayer = HttpRouter.use(Effect.fnUntraced(function*(router) {
  const servers = yield* ServerGauges
  const process = yield* HostMetrics
  yield* router.add(
    "GET",
    "/metrics",
    Effect.gen(function*() {
      yield* servers.measure
      yield* process.measure
      return HttpServerResponse.text(yield* PrometheusMetrics.format({ metricNameMapper: named }), {
        contentType: "text/plain; version=0.0.4; charset=utf-8",
        headers: { "cache-control": "no-store" }
      })
    })
  )
}))

/** Prometheus has the unit in the name, OpenTelemetry beside it. */
const named = (id: string): string => /^mcp\.client\..*duration$/.test(id) ? `${id}.seconds` : id

// Requests that do not fit the contract, and our own faults, as problem documents.

export const problemsLayer = Layer.succeed(
  ProblemsOf,
  (httpEffect) => Effect.map(Effect.catchCause(httpEffect, recover), refuseMedia)
)

const recover = <E>(cause: Cause.Cause<E>): Effect.Effect<HttpServerResponse.HttpServerResponse, E> => {
  const failure = cause.reasons.find(Cause.isFailReason)
  if (failure !== undefined) {
    return HttpApiSchemaError.is(failure.error) ? fromSchema(failure.error) : Effect.failCause(cause)
  }
  const defect = cause.reasons.find(Cause.isDieReason)?.defect
  if (defect === undefined) return Effect.failCause(cause)
  if (isHttpServerError(defect)) return Effect.succeed(fromServer(defect))
  if (isTooDeep(defect)) return Effect.as(Effect.logDebug("a request went too deep", cause), tooDeep)
  return Effect.as(Effect.logError("a request could not be answered", cause), internal)
}

const fromSchema = (error: HttpApiSchemaError) => {
  if (error.kind === "Body" || error.kind === "ResponseHeaders") {
    return Effect.as(Effect.logError("an answer does not fit the contract", error.cause), internal)
  }
  return Effect.succeed(Problems.response(400, {
    _tag: "InvalidRequest",
    message: issues(error),
    hint: "/api/docs says what this route takes"
  }))
}

const formatIssues = SchemaIssue.makeFormatterStandardSchemaV1()

const issues = (error: HttpApiSchemaError): string =>
  formatIssues(error.cause.issue).issues.map((issue) => {
    const path = (issue.path ?? []).map((segment) => String(typeof segment === "object" ? segment.key : segment))
    return [error.kind.toLowerCase(), ...path].join(".") + ": " + issue.message
  }).join("; ")

const fromServer = (error: HttpServerError.HttpServerError) =>
  error.reason._tag === "RequestParseError" && error.reason.reason === "BodyTooLarge"
    ? Problems.response(413, {
      _tag: "BodyTooLarge",
      message: `a body may have at most ${Guard.bodyLimitOf(error.request.method, error.request.url)} bytes here`,
      hint: "send less at once"
    })
    : Problems.response(400, {
      _tag: "InvalidRequest",
      message: "the body could not be read",
      hint: "send it again"
    })

/** JSON can be nested deeper than anything that walks through it can follow. */
const isTooDeep = (defect: unknown): boolean => defect instanceof RangeError && /call stack/.test(defect.message)

const tooDeep = Problems.response(400, {
  _tag: "InvalidRequest",
  message: "the body is nested too deep",
  hint: "/api/docs says what this route takes"
})

const internal = Problems.response(500, {
  _tag: "InternalError",
  message: "something went wrong on this side",
  hint: "the server's log says what"
})

const refuseMedia = (response: HttpServerResponse.HttpServerResponse) =>
  response.status === 415
    ? Problems.response(415, {
      _tag: "UnsupportedMediaType",
      message: "bodies are JSON",
      hint: "send the header content-type: application/json"
    })
    : response

// The spans of requests to this server: which have one, what they are called, and that nothing secret is in them.

/**
 * The API's alone: probes, scrapes, the page's files and logins that come back are left out. A request belongs to the trace
 * that its `traceparent` names.
 */
export const requestSpansLayer = Layer.mergeAll(
  Layer.succeed(HttpMiddleware.SpanNameGenerator, ({ method, url }) => `${method} ${RouteNames.patternOf(url)}`),
  Layer.succeed(HttpMiddleware.TracerDisabledWhen, ({ url }: HttpServerRequest.HttpServerRequest) => !isTold(url)),
  // What people search for and what logins bring back stand there.
  Layer.succeed(UrlParams.CurrentRedactedNames, [/(?:)/])
)

const isTold = (url: string): boolean => url.startsWith("/api/") && !/^\/api\/health(?![\w-])/.test(url)
