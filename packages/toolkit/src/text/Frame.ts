/** Marks around words of a server, which those words cannot imitate (R101). Pure. */
import { CleanText } from "@boocode/mcp-registry"
import * as Context from "effect/Context"
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
 * Gives the number of a text, eight hexadecimal digits: the same for the same text, and nobody else can tell which. The
 * numbers of the default are the same for as long as the program runs. A program that goes on with chats after a
 * restart provides a hash whose key it keeps: providers cache requests that begin like the one before.
 */
export type Numbers = (text: string) => string

/** The numbers of this program. */
export const Numbers = Context.Reference<Numbers>("toolkit/FrameNumbers", {
  defaultValue: () => {
    const key = crypto.randomUUID()
    return (text) => (Hash.string(`${key}${text}`) >>> 0).toString(16).padStart(8, "0")
  }
})

/**
 * Gives marks such as `<tool_result_9f2c01ab server="files">` and `</tool_result_9f2c01ab>`. The number is a nonce: no
 * server can know it when it writes, and it stands nowhere in the text.
 */
export const make = (
  numbers: Numbers,
  name: string,
  attributes: Readonly<Record<string, string>>,
  text: string
): Frame => {
  const mark = `${name}_${nonce(numbers, text, 0)}`
  const pairs = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(value)}"`)
  return { before: `<${mark}${pairs.join("")}>\n`, after: `\n</${mark}>` }
}

const nonce = (numbers: Numbers, text: string, attempt: number): string => {
  const number = numbers(`${attempt}${text}`)
  return text.includes(number) ? nonce(numbers, text, attempt + 1) : number
}

const NAME_BYTES = 200

// Most names are plain.
const PLAIN = /^[\w.-]{1,200}$/

const escaped = (name: string): string =>
  PLAIN.test(name) ? name : Utf8.prefix(CleanText.clean(name).replaceAll(/\s+/g, " "), NAME_BYTES)
    .replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll("\"", "&quot;")
