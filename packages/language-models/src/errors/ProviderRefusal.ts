/** Reads why a provider refused a request: its length, its images, the order of its messages, one of its tools. */
import type * as AiError from "effect/ai/AiError"

/** Whether a request was refused because it is longer than the model's context window. */
export const isTooLong = (error: AiError.AiError): boolean => {
  const text = refusal(error)
  return text !== null &&
    (error.reason._tag === "InvalidRequestError" && statusOf(error) === 413 || TOO_LONG.test(text))
}

/**
 * How many tokens a request may have, when such a refusal says it; else null. The share for the answer is
 * taken off.
 */
export const contextTokens = (error: AiError.AiError): number | null => {
  const text = (refusal(error) ?? "").replaceAll(/(?<=\d)[,_](?=\d{3})/g, "")
  const both = /(\d+) \+ (\d+) > (\d+)/.exec(text)
  if (both !== null) return positive(Number(both[3]) - Number(both[2]))
  return positive(Number(LIMITS.map((pattern) => pattern.exec(text)?.[1]).find((digits) => digits !== undefined)))
}

/**
 * Whether a request was refused for the order of its messages, as templates of Mistral's models refuse a user after a
 * tool.
 */
export const isAboutRoles = (error: AiError.AiError): boolean =>
  /unexpected role|roles must alternate/i.test(refusal(error) ?? "")

/**
 * Whether a request was refused for an image in it: because the model sees none, because of the image, or because
 * images of results are in a user's message behind them.
 */
export const isAboutImages = (error: AiError.AiError): boolean =>
  isAboutRoles(error) ||
  (error.reason._tag === "InvalidRequestError"
    ? /image|vision|multi-?modal/i.test(refusal(error) ?? "")
    : isBlind(error))

/** Whether a request was refused for a PDF in it. */
export const isAboutFiles = (error: AiError.AiError): boolean =>
  /\bpdfs?\b|documents?\b|input_file|file_data|inline_?data|mime.?type|\bfiles?\b/i.test(refusal(error) ?? "")

/** Whether a request was refused because the model takes no PDFs at all. */
export const takesNoFiles = (error: AiError.AiError): boolean =>
  isAboutFiles(error) && /support|unknown variant/i.test(refusal(error) ?? "")

/** Whether a request was refused because the model sees no images at all. */
export const isBlind = (error: AiError.AiError): boolean => {
  const text = refusal(error) ?? ""
  return NO_IMAGES.test(text) && !OF_THE_IMAGE.test(text)
}

/** Whether a request was refused because the provider takes no definitions that are left to search. */
export const isAboutDeferral = (error: AiError.AiError): boolean =>
  /additional_tools|defer_loading|tool_reference/.test(refusal(error) ?? "")

/**
 * The one tool for whose definition a request was refused, of these that it had, in their order; null when the provider
 * names none, neither by its place nor by its name, or several.
 */
export const refusedTool = (error: AiError.AiError, names: ReadonlyArray<string>): string | null => {
  const text = (refusal(error) ?? "").replaceAll(ADDED, "")
  const places = new Set(PLACES.flatMap((pattern) => [...text.matchAll(pattern)].map(([, place]) => Number(place))))
  const [place] = places
  if (place !== undefined) return places.size === 1 ? names[place] ?? null : null
  if (OF_THE_HISTORY.test(text)) return null
  const named = names.filter((name) =>
    new RegExp(`["'\`]${name}(?:["'\`]|\\\\)|\\b(?:function|tool) ${name}\\b`, "i").test(text)
  )
  return named.length === 1 && /tool|function|schema/i.test(text) ? named[0] ?? null : null
}

/** As Google, OpenAI and Anthropic say it, and servers that check requests with pydantic. */
const PLACES = [
  /function_?declarations\[(\d+)\]/gi,
  /\btools\[(\d+)\](?!\.function_?declarations)/gi,
  /\btools\.(\d+)\./g,
  /["']tools\\?["'], ?(\d+)/g
]

/** A definition that an item of the input added has no place in the list. */
const ADDED = /input\[\d+\]\.tools\[\d+\]/g

/** A call or result that is refused is no reason to leave out its tool. */
const OF_THE_HISTORY = /messages?[.[]|input\[|tool_(?:call|use|result)|thought_?signature/i

/** As OpenAI, Anthropic, Google, llama.cpp, vLLM, LM Studio, Ollama, Mistral, xAI and OpenRouter say it. */
const TOO_LONG = new RegExp(
  [
    /context[_ ]length/,
    /context[_ ](window|size|limit)/,
    /exceed_context/,
    /context the overflows/,
    /prompt is too long/,
    /maximum (prompt|context|input) length/,
    /input token count/,
    /maximum number of (input )?tokens/,
    /too (long|large) for (the |this )?model/,
    /reduce the length of the/,
    /request_too_large/
  ].map(({ source }) => source).join("|"),
  "i"
)

const LIMITS = [
  /> (\d+) maximum/,
  /(?:context|prompt|input) length (?:is|of)(?: only)? (\d+)/i,
  /allowed \((\d+)\)/,
  /context size \((\d+)/i,
  /"n_ctx":\s*(\d+)/,
  /model with (\d+) maximum context/i,
  /context (?:window|limit|length|size)[^\d]{0,20}(\d{4,})/i
]

const NO_IMAGES =
  /(image|vision|multi-?modal)[^.]{0,60}(not supported|unsupported|only supported by|not enabled|does not support)|(not support|unsupported|no endpoints[^.]{0,40}support|not a|unknown variant)[^.]{0,40}(image|vision|multi-?modal)/i

/** A fault of one image says nothing of the model. */
const OF_THE_IMAGE = /format|media.?type|mime|valid image|image is valid|size|too large|dimension|decode|corrupt/i

/** Message and body of a refusal; null for any other failure. */
const refusal = ({ reason }: AiError.AiError): string | null =>
  reason._tag === "InvalidRequestError" || reason._tag === "InternalProviderError"
    ? `${reason.description ?? ""} ${reason.http?.body ?? ""}`
    : null

const statusOf = ({ reason }: AiError.AiError): number | undefined =>
  reason._tag === "InvalidRequestError" ? reason.http?.response?.status : undefined

const positive = (tokens: number): number | null => Number.isSafeInteger(tokens) && tokens > 0 ? tokens : null
