/**
 * Marks around words of a server, which those words cannot imitate (R101). Pure.
 */
import { CleanText } from "@boocode/mcp-registry"
import * as Hash from "effect/Hash"
import * as Utf8 from "./Utf8.ts"

/** The marks of one text. */
export interface Frame {
  /** Stands before the text. */
  readonly before: string
  /** Stands after the text. */
  readonly after: string
}

/**
 * Gives marks such as `<tool_result_9f2c01ab server="files">` and `</tool_result_9f2c01ab>`. The number is a nonce: no
 * server can know it when it writes, and it stands nowhere in the text. In one run of a program the same text gets the
 * same number, because providers cache requests that begin like the one before.
 */
export const make = (name: string, attributes: Readonly<Record<string, string>>, text: string): Frame => {
  const mark = `${name}_${nonce(text, 0)}`
  const pairs = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(value)}"`)
  return { before: `<${mark}${pairs.join("")}>\n`, after: `\n</${mark}>` }
}

const nonce = (text: string, attempt: number): string => {
  const number = (Hash.string(`${SECRET}${attempt}${text}`) >>> 0).toString(16).padStart(8, "0")
  return text.includes(number) ? nonce(text, attempt + 1) : number
}

const SECRET = crypto.randomUUID()

const NAME_BYTES = 200

const escaped = (name: string): string =>
  Utf8.prefix(CleanText.clean(name).replaceAll(/\s+/g, " "), NAME_BYTES)
    .replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll("\"", "&quot;")
