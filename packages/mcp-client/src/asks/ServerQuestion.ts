/**
 * A server's question to this side, read from its request: a request of its own (until 2025-11-25), or one that comes
 * with the answer to a call (since 2026-07-28).
 */
import * as Data from "effect/Data"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as JsonRpc from "../base/JsonRpc.ts"
import * as JsonValue from "../base/JsonValue.ts"
import type { ServerMethod } from "../contract/Wire.ts"
import type { Elicitation, FormRequest, SamplingRequest, UrlRequest } from "../host/ServerRequests.ts"
import * as ElicitationForm from "./ElicitationForm.ts"

/** A question of a server, cleaned, without the server's name. */
export type ServerQuestion =
  | { readonly _tag: "Form"; readonly request: Omit<FormRequest, Who> }
  | { readonly _tag: "Url"; readonly request: Omit<UrlRequest, Who>; readonly elicitationId: string | null }
  | { readonly _tag: "Sampling"; readonly request: Omit<SamplingRequest, Who> }
  | { readonly _tag: "Roots" }

type Who = "server" | "isTrusted"

/** Why a server gets an error in place of an answer: a code of JSON-RPC and its words. */
export class Refused extends Data.TaggedError("Refused")<{ readonly code: number; readonly message: string }> {}

export interface Options {
  readonly elicitation: ReadonlyArray<Elicitation["kind"]>
  readonly sampling: boolean
  readonly roots: boolean
  /** Hides secrets, and what hides or deceives, in a text of the server's. */
  readonly scrub: (text: string) => string
}

export const METHODS: ReadonlySet<Schema.Json | undefined> = new Set(Object.keys(
  { "elicitation/create": true, "sampling/createMessage": true, "roots/list": true } satisfies Record<
    Exclude<ServerMethod, "ping">,
    true
  >
))

const METHOD_NOT_FOUND = -32601
const INVALID_PARAMS = -32602

/** No request of the protocol is nested deeper by far. */
const MOST_DEPTH = 32
/** A message is cut here. */
const MOST_WORDS = 4000
/** A form of more characters is refused. */
const MOST_FORM = 200_000
/** An address of more characters is none. */
const MOST_URL = 4000

/** Reads a request. A capability that was not advertised is unknown here (R56). */
export const decode = (
  method: string,
  params: Schema.Json | undefined,
  options: Options
): Result.Result<ServerQuestion, Refused> => {
  const { elicitation, roots, sampling } = options
  const given = JsonRpc.isObject(params) ? params : {}
  if (method === "roots/list" && roots) return Result.succeed({ _tag: "Roots" })
  if (method === "sampling/createMessage" && sampling) return samplingOf(given, options)
  if (method !== "elicitation/create" || elicitation.length === 0) {
    return Result.fail(new Refused({ code: METHOD_NOT_FOUND, message: "Method not found" }))
  }
  const mode = given["mode"] ?? "form"
  if (mode !== "form" && mode !== "url") return invalid("its mode is neither form nor url")
  if (!elicitation.includes(mode)) return invalid(`its mode ${mode} is not supported`)
  return mode === "form" ? formOf(given, options) : urlOf(given, options)
}

const invalid = (message: string) => Result.fail(new Refused({ code: INVALID_PARAMS, message }))

const formOf = ({ message, requestedSchema: schema }: Schema.JsonObject, { scrub }: Options) => {
  if (typeof message !== "string") return invalid("its message is no text")
  if (!JsonRpc.isObject(schema)) return invalid("its requestedSchema is no object")
  if (isDeeper(schema, MOST_DEPTH)) return invalid("its requestedSchema is nested too deep")
  if (!JsonValue.isSound(schema)) return invalid(INFINITE)
  const size = JSON.stringify(schema).length
  if (size > MOST_FORM) return invalid(`its requestedSchema has ${size} characters, more than ${MOST_FORM}`)
  const cleaned = withoutSecrets(schema, scrub)
  const fields = ElicitationForm.fields(cleaned)
  if (Result.isFailure(fields)) return invalid(`its requestedSchema is no form: ${fields.failure}`)
  const request = { kind: "form", message: cut(scrub(message)), schema: cleaned } as const
  return Result.succeed({ _tag: "Form", request } as const)
}

/** Readers go level by level, and cannot do that without end. */
const isDeeper = (value: Schema.Json, levels: number): boolean => {
  if (typeof value !== "object" || value === null) return false
  return levels === 0 || Object.values(value).some((part) => isDeeper(part, levels - 1))
}

const INFINITE = "a number in it is too large"

const SHOWN = ["title", "description"]

/**
 * Words for a person are scrubbed, and a default that holds a secret is dropped; names and values stay, or no answer fits.
 */
const withoutSecrets = (schema: Schema.JsonObject, scrub: Options["scrub"]): Schema.JsonObject => {
  const clean = (value: Schema.Json): Schema.Json => {
    if (Array.isArray(value)) return value.map(clean)
    return JsonRpc.isObject(value) ? cleanObject(value) : value
  }
  const cleanObject = (object: Schema.JsonObject): Schema.JsonObject =>
    Object.fromEntries(
      Object.entries(object).flatMap(([key, part]) => {
        if (SHOWN.includes(key) && typeof part === "string") return [[key, scrub(part)] as const]
        if (key === "enumNames" && Array.isArray(part)) {
          return [[key, part.map((name) => typeof name === "string" ? scrub(name) : name)] as const]
        }
        if (key !== "default") return [[key, clean(part)] as const]
        return scrub(JSON.stringify(part)) === JSON.stringify(part) ? [[key, part] as const] : []
      })
    )
  const { properties, ...rest } = schema
  if (!JsonRpc.isObject(properties)) return schema
  // A field may itself be called title.
  const fields = Object.entries(properties).map(([name, field]) => [name, clean(field)] as const)
  return { ...cleanObject(rest), properties: Object.fromEntries(fields) }
}

/** Nobody here visits it, but a person may: it must be what it looks like. */
const urlOf = ({ elicitationId, message, url }: Schema.JsonObject, { scrub }: Options) => {
  if (typeof message !== "string") return invalid("its message is no text")
  const address = typeof url === "string" ? addressOf(url) : null
  if (address === null) return invalid(`its url is no address of up to ${MOST_URL} characters`)
  const request = { kind: "url", message: cut(scrub(message)), url: address } as const
  const id = typeof elicitationId === "string" ? elicitationId : null
  return Result.succeed({ _tag: "Url", request, elicitationId: id } as const)
}

/** An address as it is shown; null for what is none, or is too long for anybody to look at. */
export const addressOf = (url: string): string | null => url.length > MOST_URL ? null : URL.parse(url)?.href ?? null

const samplingOf = (params: Schema.JsonObject, { scrub }: Options) => {
  if (isDeeper(params, MOST_DEPTH)) return invalid("it is nested too deep")
  if (!JsonValue.isSound(params)) return invalid(INFINITE)
  const { maxTokens, messages, modelPreferences, stopSequences, systemPrompt, temperature, toolChoice, tools } = params
  if (!Array.isArray(messages) || messages.length === 0) return invalid("it has no messages")
  if (typeof maxTokens !== "number" || !(maxTokens >= 1)) return invalid("its maxTokens is no number of tokens")
  if ((tools ?? null) !== null || (toolChoice ?? null) !== null) return invalid("tools are not supported")
  const read = messages.map((message) => messageOf(message, scrub))
  const known = read.filter((message) => message !== null)
  if (known.length < read.length) {
    return invalid(`its message ${read.indexOf(null) + 1} is none of text, image or audio`)
  }
  const request: Omit<SamplingRequest, Who> = {
    messages: known,
    systemPrompt: typeof systemPrompt === "string" && systemPrompt !== "" ? scrub(systemPrompt) : null,
    maxTokens: Math.floor(maxTokens),
    temperature: typeof temperature === "number" ? temperature : null,
    stopSequences: Array.isArray(stopSequences) ? stopSequences.filter((text) => typeof text === "string") : [],
    modelPreferences: JsonRpc.isObject(modelPreferences) ? modelPreferences : {}
  }
  return Result.succeed({ _tag: "Sampling", request } as const)
}

const messageOf = (message: Schema.Json, scrub: Options["scrub"]): Schema.JsonObject | null => {
  if (!JsonRpc.isObject(message) || (message["role"] !== "user" && message["role"] !== "assistant")) return null
  const { content = null } = message
  const blocks = (Array.isArray(content) ? content : [content]).map((block) => blockOf(block, scrub))
  const known = blocks.filter((block) => block !== null)
  return known.length < blocks.length
    ? null
    : { ...message, content: Array.isArray(content) ? known : known[0] ?? null }
}

const blockOf = (block: Schema.Json, scrub: Options["scrub"]): Schema.JsonObject | null => {
  if (!JsonRpc.isObject(block)) return null
  const { data, mimeType, text, type } = block
  if (type === "text" && typeof text === "string") return { ...block, text: scrub(text) }
  const isMedia = (type === "image" || type === "audio") && typeof data === "string" && typeof mimeType === "string"
  return isMedia ? block : null
}

const cut = (words: string): string => words.length > MOST_WORDS ? `${words.slice(0, MOST_WORDS)}…` : words
