/** The arguments of a tool call as text of a model, in both directions. */
import { isJSONObject, type JSONObject, type JSONValue } from "@ai-sdk/provider"
import * as Tool from "effect/ai/Tool"
import * as Option from "effect/Option"

/**
 * The `params` of a tool call from the text a model wrote. Blank text is `{}`. Text that is not JSON stays the text
 * itself, so that the call can be answered with what is wrong; it never fails a stream. JSON that sets
 * `__proto__` or the like counts as not JSON.
 */
export const decode = (text: string): unknown =>
  text.trim() === "" ? {} : Option.getOrElse(parse(text), (): unknown => text)

/**
 * The object a provider gets back for `params`. Providers refuse anything else, so what is not an object, for instance
 * the text of a broken call, is wrapped: `{ "rawInvalidInput": … }`. Lone surrogates become U+FFFD.
 */
export const encode = (params: unknown): JSONObject => {
  const value = typeof params === "string" ? decode(params) : params
  if (value === undefined || value === null) return {}
  if (isJSONObject(value) && !Array.isArray(value)) return wellFormedObject(value)
  return { rawInvalidInput: typeof value === "string" ? value.toWellFormed() : JSON.stringify(value) }
}

const wellFormed = (value: JSONValue): JSONValue => {
  if (typeof value === "string") return value.toWellFormed()
  if (Array.isArray(value)) return value.map(wellFormed)
  return isJSONObject(value) ? wellFormedObject(value) : value
}

const wellFormedObject = (object: JSONObject): JSONObject =>
  Object.fromEntries(
    Object.entries(object).map(([key, value]) => [
      key.toWellFormed(),
      value === undefined ? undefined : wellFormed(value)
    ])
  )

const parse = Option.liftThrowable(Tool.unsafeSecureJsonParse)
