/** The keys of an agent as lines of its block. Pure: lines in, lines out; what does not change stays to the byte. */
import * as AgentBlock from "./AgentBlock.ts"
import * as ToolPatterns from "./ToolPatterns.ts"

/** The value of each key as it is written; null for a key that is left out. */
export type Values = ReadonlyMap<string, Value | null>

export type Value = string | ReadonlyArray<string>

/** The lines of a new block, without its rules: one line a key. */
export const lines = (values: Values): ReadonlyArray<string> =>
  AgentBlock.KEYS.flatMap((key) => {
    const value = values.get(key) ?? null
    return value === null ? [] : [`${key}: ${written(value)}`]
  })

/**
 * The lines of a block after its keys in `values` changed; null removes one. Comments stay, those of changed keys too,
 * and so do unknown keys, the order, and a list that has a line for each pattern. Each line has its own end; new lines
 * get `end`.
 */
export const changed = (block: ReadonlyArray<string>, values: Values, end: string): ReadonlyArray<string> =>
  AgentBlock.KEYS.filter((key) => values.has(key)).reduce(
    (now, key) => withValue(now, key, values.get(key) ?? null, end),
    block
  )

/** A text as YAML on one line, quoted where it could be read as something else. */
export const yamlText = (text: string): string => PLAIN.test(text) && !RESERVED.test(text) ? text : JSON.stringify(text)

const PLAIN = /^\p{L}(?:[\p{L}\p{N} _.,()/'-]*[\p{L}\p{N}_.)])?$/u
const RESERVED = /^(?:true|false|null|yes|no|on|off|y|n)$/i

const written = (value: Value): string => typeof value === "string" ? value : `[${value.join(", ")}]`

const withValue = (
  block: ReadonlyArray<string>,
  key: string,
  value: Value | null,
  end: string
): ReadonlyArray<string> => {
  const extent = extentOf(block, key)
  if (extent !== null) {
    const { from, to } = extent
    return [...block.slice(0, from), ...rewritten(block.slice(from, to), key, value, end), ...block.slice(to)]
  }
  if (value === null) return block
  const at = placeFor(block, key)
  return [...block.slice(0, at), `${key}: ${written(value)}${end}`, ...block.slice(at)]
}

interface Extent {
  readonly from: number
  readonly to: number
}

/** The lines of a key: its own and those that go on with its value. */
const extentOf = (block: ReadonlyArray<string>, key: string): Extent | null => {
  const from = block.findIndex((line) => keyOf(line) === key)
  if (from === -1) return null
  const next = block.findIndex((line, index) => index > from && keyOf(line) !== undefined)
  let to = next === -1 ? block.length : next
  // Comments and blank lines before the next key belong to that one.
  while (to > from + 1 && /^(#|\s*$)/.test(block[to - 1] ?? "")) to -= 1
  return { from, to }
}

const keyOf = (line: string): string | undefined => /^["']?([A-Za-z_][\w-]*)["']?\s*:/.exec(line)?.[1]

/** After the keys that stand before it in the usual order; else the top. */
const placeFor = (block: ReadonlyArray<string>, key: string): number => {
  const before = AgentBlock.KEYS.slice(0, AgentBlock.KEYS.indexOf(key))
  return Math.max(0, ...before.map((one) => extentOf(block, one)?.to ?? 0))
}

const rewritten = (
  old: ReadonlyArray<string>,
  key: string,
  value: Value | null,
  end: string
): ReadonlyArray<string> => {
  const [head = "", ...more] = old
  const comments = commentsOf(old, key)
  if (value === null) return comments.map(({ text }) => `${text}${end}`)
  const isList = typeof value !== "string" && value.length > 0 &&
    valueOf(head, key).trim() === "" && more.some(isItem)
  if (isList) return [head, ...listed(more, value, end)]
  const [first] = comments
  const trailing = first?.at === 0 ? `${first.space}${first.text}` : ""
  const others = comments.slice(trailing === "" ? 0 : 1)
  return [`${key}: ${written(value)}${trailing}${end}`, ...others.map(({ text }) => `  ${text}${end}`)]
}

const isItem = (line: string): boolean => /^\s*-(\s|$)/.test(line)

/** The lines of a list with one pattern each: those of patterns that stay are the old ones, with their comments. */
const listed = (old: ReadonlyArray<string>, patterns: ReadonlyArray<string>, end: string): ReadonlyArray<string> => {
  const items: Array<{ readonly pattern: string; readonly lines: ReadonlyArray<string> }> = []
  let above: Array<string> = []
  for (const line of old) {
    above.push(line)
    if (!isItem(line)) continue
    items.push({ pattern: patternIn(line), lines: above })
    above = []
  }
  const indent = /^\s*/.exec(old.find(isItem) ?? "")?.[0] ?? "  "
  const kept = patterns.flatMap((pattern) => {
    const at = items.findIndex((item) => item.pattern === pattern.replace(/^"(.*)"$/, "$1"))
    const [item] = at === -1 ? [] : items.splice(at, 1)
    return item?.lines ?? [`${indent}- ${pattern}${end}`]
  })
  const left = items.flatMap(({ lines }) => commentsOf(lines, "tools")).map(({ text }) => `${indent}${text}${end}`)
  return [...kept, ...left, ...above]
}

const patternIn = (line: string): string => {
  const text = ToolPatterns.withoutComment(line).replace(/^\s*-/, "").trim()
  return text.replace(/^(!?)\s*(["'])(.*)\2$/, "$1$3")
}

interface Comment {
  /** The index of its line. */
  readonly at: number
  readonly space: string
  readonly text: string
}

const commentsOf = (old: ReadonlyArray<string>, key: string): ReadonlyArray<Comment> => {
  if (key === "tools" || key === "ask" || key === "for") return old.flatMap((line, at) => commentIn(line, at, true))
  const head = old[0] ?? ""
  const first = commentIn(head, 0, /:\s*["']/.test(head))
  // In a text over several lines a line that begins with # is text.
  if (/^\s*[|>]/.test(valueOf(head, key))) return first
  return [...first, ...old.slice(1).flatMap((line, at) => /^\s*#/.test(line) ? commentIn(line, at + 1, false) : [])]
}

const commentIn = (line: string, at: number, hasQuotes: boolean): ReadonlyArray<Comment> => {
  const text = line.replace(/[\r\n]+$/, "")
  const value = hasQuotes ? ToolPatterns.withoutComment(text) : text.replace(/(^|\s)#.*$/, "$1")
  const comment = text.slice(value.length)
  if (comment === "") return []
  return [{ at, space: /\s*$/.exec(value)?.[0] ?? "", text: comment }]
}

const valueOf = (line: string, key: string): string => {
  const [, value = ""] = new RegExp(`^["']?${key}["']?\\s*:(.*)`).exec(line) ?? []
  return ToolPatterns.withoutComment(value)
}
