/** Turns a server's JSON-RPC error into a reason. */
import type * as Schema from "effect/Schema"
import * as ServerQuestion from "../asks/ServerQuestion.ts"
import * as JsonRpc from "../base/JsonRpc.ts"
import * as JsonValue from "../base/JsonValue.ts"
import * as Revision from "../contract/Revision.ts"
import * as ErrorWords from "../errors/ErrorWords.ts"
import {
  HandshakeFailed,
  type McpErrorReason,
  ProtocolMismatch,
  RequestFailed,
  type Visit
} from "../errors/McpError.ts"

type Scrub = (text: string) => string

export const toReason = (method: string, error: Schema.JsonObject, scrub: Scrub): RequestFailed => {
  const visits = visitsOf(error, scrub)
  const data = dataOf(error, scrub)
  return new RequestFailed({
    method,
    code: codeOf(error),
    detail: detailOf(error, data, scrub),
    ...(data === undefined ? {} : { data }),
    ...(visits.length === 0 ? {} : { visits })
  })
}

export const ofHandshake = (
  method: string,
  error: Schema.JsonObject,
  scrub: Scrub
): ProtocolMismatch | HandshakeFailed =>
  Revision.isSupport(error["data"])
    ? mismatch(error["data"].supported, scrub)
    : new HandshakeFailed({
      method,
      detail: detailOf(error, dataOf(error, scrub), scrub),
      code: codeOf(error),
      stderr: ""
    })

/** Offered are the revisions that the server did not name: the entry may have ruled those out. */
export const mismatch = (supported: ReadonlyArray<string>, scrub: Scrub): ProtocolMismatch =>
  new ProtocolMismatch({
    offered: Revision.ALL.filter((revision) => !supported.includes(revision)),
    supported: supported.map((revision) => scrub(revision).slice(0, 100))
  })

/** The limit on a server's message, and on the data behind it, in characters. */
const MOST_CHARACTERS = 4000

// The cut must not come before secrets are hidden, or half of one is left.
const words = ({ message }: Schema.JsonObject, scrub: Scrub): string =>
  typeof message === "string" && message !== "" ? ErrorWords.capped(scrub(message), MOST_CHARACTERS) : "no reason given"

/**
 * The `data` of an error as it may be shown; undefined where there is none, where it is nested too deep to be read, and
 * where it holds addresses to visit, of which only the safe ones are told.
 */
const dataOf = ({ code, data }: Schema.JsonObject, scrub: Scrub): Schema.Json | undefined =>
  data === undefined || data === null || code === VISIT_FIRST
    ? undefined
    : JsonValue.mapTexts({ data }, scrub)?.["data"]

const detailOf = (error: Schema.JsonObject, data: Schema.Json | undefined, scrub: Scrub): string => {
  const shown = typeof data === "string" ? data : JSON.stringify(data) ?? ""
  const told = words(error, scrub)
  return NOTHING.has(shown) ? told : `${told}; data: ${ErrorWords.capped(shown, MOST_CHARACTERS)}`
}

const NOTHING: ReadonlySet<string> = new Set(["", "{}", "[]"])

const codeOf = ({ code }: Schema.JsonObject): number => {
  const whole = typeof code === "number" ? Math.trunc(code) : INTERNAL
  // With any other number a status could not be sent on, nor a list of statuses with it.
  return Number.isSafeInteger(whole) ? whole : INTERNAL
}

const INTERNAL = -32603

/** A person is told where the server wants them; more than a few addresses are no invitation. */
const visitsOf = ({ code, data }: Schema.JsonObject, scrub: Scrub): ReadonlyArray<Visit> =>
  code === VISIT_FIRST && JsonRpc.isObject(data) && isVisits(data["elicitations"])
    ? data["elicitations"].slice(0, MOST_VISITS).flatMap(({ elicitationId, message, url }) => {
      const address = ServerQuestion.addressOf(url)
      return address === null ? [] : [{ elicitationId, message: scrub(message), url: address }]
    })
    : []

const VISIT_FIRST = -32042
const MOST_VISITS = 5

const isVisits = (value: Schema.Json | undefined): value is ReadonlyArray<Schema.JsonObject & Visit> =>
  Array.isArray(value) &&
  value.every((visit) => JsonRpc.isObject(visit) && FIELDS.every((field) => typeof visit[field] === "string"))

const FIELDS = ["elicitationId", "message", "url"]

/** Whether a reason is that the server knows no such method. */
export const isUnknownMethod = (reason: McpErrorReason): boolean =>
  reason._tag === "RequestFailed" && reason.code === JsonRpc.METHOD_NOT_FOUND
