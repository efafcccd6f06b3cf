/** The models that a provider lists itself, asked for as its wire wants it. */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Secrets from "../errors/Secrets.ts"

export interface ListedModel {
  readonly id: string
  /** Null when the provider does not say. */
  readonly contextTokens: number | null
}

export interface ListedAt {
  /** `GET {baseUrl}/models`. */
  readonly baseUrl: string
  /** Those that authenticate. */
  readonly headers: Readonly<Record<string, string>>
  /** The parameters of the query, for lists that come in pages. */
  readonly query: string
  /** Hides the key. */
  readonly scrub: Secrets.Scrub
  readonly fetch: typeof globalThis.fetch
}

/** A list could not be had. Its texts hold no key, and of an address its origin alone. */
export class ListingFailed extends Schema.TaggedError<ListingFailed>()("ListingFailed", {
  message: Schema.String,
  hint: Schema.String
}) {}

/**
 * The chat models of a provider, in its order; of a list in pages the first 1,000. Reads 10 MB at most. Has no limit of time.
 * Fails with `ListingFailed`, which says what is wrong: the connection, the key, the path, or an answer that is no list.
 */
export const list = Effect.fnUntraced(function*(at: ListedAt) {
  const place = Secrets.place(at.baseUrl)
  const response = yield* requested(at, place)
  const text = yield* body(response, place)
  if (response.status >= 400) return yield* refused(response.status, at.scrub(said(text)), place)
  const listing = decode(text)
  if (Result.isFailure(listing)) return yield* noList(text, place)
  const { data, models } = listing.success
  return (data ?? models ?? []).flatMap(listedModel)
})

const requested = ({ baseUrl, fetch, headers, query, scrub }: ListedAt, place: string) =>
  Effect.tryPromise({
    try: (signal) => fetch(`${baseUrl.replace(/\/+$/, "")}/models${query}`, { headers, signal }),
    catch: (cause) => unreachable(place, scrub(describe(cause)), codeOf(cause))
  })

const MOST_BYTES = 10_000_000

const body = (response: Response, place: string): Effect.Effect<string, ListingFailed> => {
  const { body: bytes } = response
  if (bytes === null) return Effect.succeed("")
  const failure = (why: string) =>
    new ListingFailed({ message: `the answer of ${place} ${why}`, hint: "check the address" })
  let read = 0
  return Stream.fromReadableStream({ evaluate: () => bytes, onError: () => failure("broke off") }).pipe(
    Stream.tap((chunk) => {
      read += chunk.length
      return read > MOST_BYTES ? Effect.fail(failure("is too long for a list of models")) : Effect.void
    }),
    Stream.decodeText(),
    Stream.mkString
  )
}

const Listing = Schema.Struct({
  data: Schema.optional(Schema.Array(Schema.JsonObject)),
  /** As Google calls it. */
  models: Schema.optional(Schema.Array(Schema.JsonObject))
}).check(Schema.makeFilter(({ data, models }) => data !== undefined || models !== undefined))

const decode = Schema.decodeResult(Schema.fromJsonString(Listing))

const NO_CHAT = /embed|rerank|whisper|tts|transcri|moderation|dall-e|stable-diffusion/i

const listedModel = (listed: Schema.JsonObject): ReadonlyArray<ListedModel> => {
  const { id = listed["name"], supportedGenerationMethods: methods } = listed
  const name = typeof id === "string" ? id.replace(/^models\//, "") : ""
  const isOther = Array.isArray(methods) && !methods.includes("generateContent")
  return name === "" || NO_CHAT.test(name) || isOther ? [] : [{ id: name, contextTokens: contextOf(listed) }]
}

/** As vLLM, OpenRouter, Groq, Mistral, llama.cpp, Google and Anthropic call it. */
const NAMES = [
  "max_model_len",
  "context_length",
  "context_window",
  "max_context_length",
  "n_ctx",
  "inputTokenLimit",
  "max_input_tokens"
]

const contextOf = (listed: Schema.JsonObject): number | null => {
  const meta = Predicate.isObject(listed["meta"]) ? listed["meta"] : {}
  const found = NAMES.map((name): unknown => listed[name] ?? Reflect.get(meta, name))
  return found.filter(Predicate.isNumber).find((tokens) => Number.isSafeInteger(tokens) && tokens > 0) ?? null
}

const describe = (cause: unknown): string => {
  if (!Predicate.isError(cause)) return String(cause)
  return Predicate.isError(cause.cause) && cause.cause.message !== "" ? cause.cause.message : cause.message
}

const codeOf = (cause: unknown): string => {
  if (Predicate.hasProperty(cause, "code") && typeof cause.code === "string") return cause.code
  return Predicate.hasProperty(cause, "cause") ? codeOf(cause.cause) : describe(cause)
}

const HINTS: ReadonlyArray<readonly [RegExp, string]> = [
  [/redirects to/, "give the address that it redirects to"],
  [/ECONNREFUSED/, "start the server of the models there, or correct the port"],
  [/ENOTFOUND|EAI_AGAIN/, "check the name of the host, and the network of this machine"],
  [/CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS|EPROTO|SSL/i, "check whether it is http or https, and its certificate"]
]

const unreachable = (place: string, why: string, code: string) =>
  new ListingFailed({
    message: `${place} cannot be reached: ${why}`,
    hint: HINTS.find(([pattern]) => pattern.test(`${code} ${why}`))?.[1] ?? "check the address"
  })

/** The words of an error as all wires have it, else the beginning of the text, unless it is a web page. */
const said = (text: string): string => {
  const words = Result.match(decodeError(text), { onFailure: () => text, onSuccess: errorWords })
  return isPage(words) ? "" : words.replaceAll(/\s+/g, " ").trim().slice(0, MOST_WORDS)
}

const MOST_WORDS = 300

const decodeError = Schema.decodeResult(
  Schema.fromJsonString(Schema.Struct({
    error: Schema.Union([Schema.String, Schema.Struct({ message: Schema.String })])
  }))
)

const errorWords = ({ error }: { readonly error: string | { readonly message: string } }): string =>
  typeof error === "string" ? error : error.message

const isPage = (text: string): boolean => /^\s*</.test(text)

const refused = (status: number, words: string, place: string) => {
  const end = words === "" ? "" : `: ${words}`
  if (status === 401 || status === 403 || (status === 400 && /api.?key/i.test(words))) {
    return new ListingFailed({
      message: `${place} refuses the key (${status})${end}`,
      hint: "check that the key is whole, is for this provider, and still holds"
    })
  }
  return new ListingFailed({
    message: `${place} answers ${status}${end}`,
    hint: status === 404 || status === 405
      ? NO_PATH
      : "try again later; the provider's own pages say whether it is well"
  })
}

const NO_PATH = "check the path of the address: for most it ends with /v1"

const noList = (text: string, place: string) =>
  new ListingFailed({
    message: `${place} answers with ${isPage(text) ? "a web page" : "something else"}, not with a list of models`,
    hint: NO_PATH
  })
