/**
 * Headers as text: those that a command printed, a JSON object of texts by name or lines of the form `Name: value`; and
 * any text as the value of a header.
 */
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"
import * as JsonRpc from "./JsonRpc.ts"

/** Names and values, in the order they came. */
export type HeaderList = ReadonlyArray<readonly [name: string, value: string]>

/** Reads them. Fails with a sentence that names headers, and holds no value. */
export const parse = (text: string): Result.Result<HeaderList, string> => {
  const printed = text.trim()
  if (printed === "") return Result.fail("printed nothing")
  const headers = printed.startsWith("{") ? ofJson(printed) : ofLines(printed)
  return Result.flatMap(headers, (found) => {
    const wrong = found.find(([name, value]) => !NAME.test(name) || !VALUE.test(value))
    return wrong === undefined ? Result.succeed(found) : Result.fail(complaint(wrong))
  })
}

/** A text as a header can hold it: as it is, or marked and in base64 (2026-07-28, Streamable HTTP). */
export const encode = (text: string): string => isPlain(text) ? text : `${BEGIN}${Base64.encode(text)}${END}`

const BEGIN = "=?base64?"
const END = "?="

/** Whether a header can hold the text as it is, and nobody would take it for an encoded one (RFC 9110, 5.5). */
const isPlain = (text: string): boolean =>
  /^[\t\x20-\x7E]+$/.test(text) && text === text.trim() && !(text.startsWith(BEGIN) && text.endsWith(END))

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

/** A wrong name is not shown: it may be a secret. */
const complaint = ([name]: readonly [string, string]): string =>
  NAME.test(name)
    ? `gave ${name} a value with a character that no header may hold`
    : "printed a name that no header can have"

const ofJson = (text: string): Result.Result<HeaderList, string> => {
  const value = JsonRpc.decode(text)
  if (!JsonRpc.isObject(value)) return Result.fail("printed what begins like JSON and is none")
  const headers: Array<readonly [string, string]> = []
  for (const [name, header] of Object.entries(value)) {
    if (typeof header !== "string") return Result.fail("printed a JSON object with a value that is no text")
    headers.push([name, header.trim()])
  }
  return Result.succeed(headers)
}

const ofLines = (text: string): Result.Result<HeaderList, string> => {
  const headers: Array<readonly [string, string]> = []
  for (const line of text.split(/\r?\n/).filter((one) => one.trim() !== "")) {
    const at = line.indexOf(":")
    if (at <= 0) return Result.fail(`printed neither a JSON object nor lines of the form "Name: value"`)
    headers.push([line.slice(0, at).trim(), line.slice(at + 1).trim()])
  }
  return Result.succeed(headers)
}
