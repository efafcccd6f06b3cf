/** Reads a JSON text that is still being written: what is open is closed, what is half written is left out. Pure. */
import type { JsonObject } from "../../api/Types.ts"

/** Deeper values are for nobody: whoever draws or copies them goes as deep. */
const DEEPEST = 100

const CLOSE: Readonly<Record<string, string>> = { "{": "}", "[": "]" }

/** How far a text can be read, and what closes it there. */
interface Reach {
  readonly to: number
  readonly end: string
}

/** Where the string ends that begins at `from`; its last whole character where it is not closed. */
const stringEnd = (text: string, from: number): { readonly at: number; readonly isClosed: boolean } => {
  let at = from + 1
  while (at < text.length) {
    const character = text[at]
    if (character === "\"") return { at, isClosed: true }
    const width = character !== "\\" ? 1 : text[at + 1] === "u" ? 6 : 2
    if (at + width > text.length) break
    at += width
  }
  return { at, isClosed: false }
}

const reachOf = (text: string): Reach | null => {
  const open: Array<string> = []
  const closing = () => open.toReversed().join("")
  let to = 0
  let isKey = false
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? ""
    const close = CLOSE[character]
    if (close !== undefined) {
      if (open.push(close) > DEEPEST) return null
      isKey = character === "{"
      to = at + 1
    } else if (character === "}" || character === "]") {
      if (open.pop() !== character) return null
      to = at + 1
    } else if (character === "\"") {
      const { at: last, isClosed } = stringEnd(text, at)
      if (!isClosed) return isKey ? { to, end: closing() } : { to: last, end: `"${closing()}` }
      at = last
      if (!isKey) to = at + 1
    } else if (character === ":") isKey = false
    else if (character === ",") {
      to = at
      isKey = open.at(-1) === "}"
    }
  }
  return { to, end: closing() }
}

/** The object so far; null before it begins, and for a text that is none. A number or word counts once more follows it. */
export const healed = (text: string): JsonObject | null => {
  const reach = text.trimStart().startsWith("{") ? reachOf(text) : null
  if (reach === null) return null
  try {
    return JSON.parse(text.slice(0, reach.to) + reach.end)
  } catch {
    return null // the model wrote what is no JSON
  }
}
