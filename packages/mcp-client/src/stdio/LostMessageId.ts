/** Finds the `id` of a JSON-RPC message that is too large to keep, while its bytes stream by. */
import * as Bytes from "../base/Bytes.ts"
import * as JsonRpc from "../base/JsonRpc.ts"

/** Finds the id of a message that was thrown away; null where it is no answer. */
export interface LostMessageId {
  /** Reads the next bytes of the message. Constant memory. */
  readonly push: (bytes: Uint8Array) => void
  /**
   * The id of an answer, as `JsonRpc.idIn` has it; null when it has none, or when the message is a request or notification of the server.
   */
  readonly result: () => { readonly id: string | number | null; readonly isAnswer: boolean }
  /** Whether a key was seen that answers alone have: until then a `method` may still come. */
  readonly hasOutcome: () => boolean
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COLON = 0x3a
const COMMA = 0x2c
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
/** White space and the bytes of a byte order mark. */
const LEAD: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf])
/** Longer keys and ids are of no interest. */
const MAX_TOKEN_BYTES = 256
/** Behind so many bytes of a text that is of no interest its end is searched for. */
const WORTH_A_SEARCH = 32

/** Begins to read a message. */
export const make = (): LostMessageId => {
  /** A line that does not begin as an object is no message. */
  let isObject: boolean | null = null
  let depth = 0
  let inString = false
  let escaped = false
  let isKey = true
  let key = ""
  let token: Array<number> = []
  let hasOutcome = false
  const values = new Map<string, string | number | undefined>()

  const keep = (byte: number) => {
    if (depth === 1 && token.length < MAX_TOKEN_BYTES) token.push(byte)
  }
  const endOfKey = () => {
    const value = parse(token)
    key = typeof value === "string" ? value : ""
    if (key === "result" || key === "error") hasOutcome = true
    isKey = false
    token = []
  }
  const endOfValue = () => {
    if (key === "id" || key === "method") values.set(key, parse(token))
    isKey = true
    token = []
  }
  const structure = (byte: number) => {
    if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) return void depth++
    if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
      if (depth === 1) endOfValue()
      return void depth--
    }
    if (depth === 1 && byte === COLON && isKey) return endOfKey()
    if (depth === 1 && byte === COMMA) return endOfValue()
    keep(byte)
  }
  const text = (byte: number) => {
    keep(byte)
    if (escaped) escaped = false
    else if (byte === BACKSLASH) escaped = true
    else if (byte === QUOTE) inString = false
  }
  const step = (byte: number) => {
    if (inString) return text(byte)
    if (byte !== QUOTE) return structure(byte)
    inString = true
    keep(byte)
  }

  /** Nothing of a text that is not kept matters before its next quote or backslash. */
  const isSkipped = () => depth !== 1 || token.length >= MAX_TOKEN_BYTES

  const begin = (bytes: Uint8Array) => {
    const first = bytes.find((byte) => !LEAD.has(byte))
    if (first !== undefined) isObject = first === OPEN_OBJECT
  }

  return {
    push: (bytes) => {
      if (isObject === null) begin(bytes)
      if (isObject !== true) return
      const next = Bytes.nextOf(bytes, QUOTE, BACKSLASH)
      let plain = 0
      for (let at = 0; at < bytes.length; at++) {
        const byte = bytes[at] ?? 0
        step(byte)
        plain = inString && byte !== QUOTE && byte !== BACKSLASH ? plain + 1 : 0
        // Starting a search costs more than a look at a few bytes.
        if (plain > WORTH_A_SEARCH && isSkipped()) at = next(at) - 1
      }
    },
    result: () => {
      const isAnswer = !values.has("method")
      return { id: isAnswer ? JsonRpc.idIn(values.get("id")) : null, isAnswer }
    },
    hasOutcome: () => hasOutcome
  }
}

const ID = /^\s*(?:(-?\d{1,16})|("(?:[^"\\]|\\["\\/])*"))\s*$/

const parse = (token: ReadonlyArray<number>): string | number | undefined => {
  const match = ID.exec(new TextDecoder().decode(Uint8Array.from(token)))
  if (match === null) return undefined
  return match[1] === undefined ? unquote(match[2] ?? "") : Number(match[1])
}

/** Other escapes occur in no id of ours and no key of interest, and an unknown id is better than a wrong one. */
const unquote = (text: string): string => text.slice(1, -1).replace(/\\(["\\/])/g, "$1")
