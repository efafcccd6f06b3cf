/** Requests that do not fit the contract, and our own faults, as problem documents. */
import * as KeyShape from "@boocode/language-models/KeyShape"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { HttpApiSchemaError } from "effect/http-api/HttpApiError"
import type * as HttpServerError from "effect/http/HttpServerError"
import { isHttpServerError } from "effect/http/HttpServerError"
import type * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as SchemaIssue from "effect/SchemaIssue"
import { AnswersProblems } from "../api/ChatApi.ts"
import * as Problems from "../api/Problems.ts"
import * as RequestLimits from "./RequestLimits.ts"

export const layer = Layer.succeed(
  AnswersProblems,
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
    // It repeats what was sent, and somebody may have put a key in the wrong place.
    message: KeyShape.scrub(issues(error)),
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
      message: `a body may have at most ${
        RequestLimits.bodyLimitOf(error.request.method, error.request.url)
      } bytes here`,
      hint: "send less at once"
    }, { attachment: null })
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
    }, { attachment: null })
    : response
