/**
 * The value of the keys `tools:` and `ask:` of an agent, read as the text people write. To a YAML parser `*` is an
 * alias and `!x` a tag, and a denial that gets lost that way lets a tool through.
 */
import * as Result from "effect/Result"

export type Key = "tools" | "ask"

export interface ToolPatterns {
  readonly patterns: ReadonlyArray<string>
  /** Patterns that can match no tool, in words. */
  readonly warnings: ReadonlyArray<string>
}

/**
 * Reads a flow list `[*, !web_*]`, a block list with one `- pattern` a line, or a comma-separated line, quoted or not.
 * `[]` means no tool. Fails in words for a bare key, an unclosed bracket or quote, an empty or a spaced pattern, a
 * denial that could deny nothing, and exceptions from asking where nothing is asked about.
 */
export const parse = (value: string, key: Key = "tools"): Result.Result<ToolPatterns, string> =>
  Result.mapBoth(patternsIn(value, key), {
    onFailure: (words) => `${key}: ${words}`,
    onSuccess: ({ patterns, warnings }) => ({ patterns, warnings: warnings.map((words) => `${key}: ${words}`) })
  })

/** Fails in words for patterns, one by one as they are, that `parse` would refuse or warn of. */
export const check = (patterns: ReadonlyArray<string>, key: Key): Result.Result<ReadonlyArray<string>, string> => {
  const read = Result.flatMap(checked(patterns), (found) => key === "ask" ? asking(found) : Result.succeed(found))
  const [words] = Result.isSuccess(read) ? read.success.warnings : [read.failure]
  return words === undefined ? Result.succeed(patterns) : Result.fail(`${key}: ${words}`)
}

const patternsIn = (value: string, key: Key): Result.Result<ToolPatterns, string> => {
  const lines = value.split("\n").map(withoutComment).filter((line) => line.trim() !== "")
  const text = lines.map((line) => line.trim()).join(" ")
  if (text === "" || text === "null" || text === "~") return Result.fail(BARE[key])
  const items = text.startsWith("[") ? flowItems(text) : isBlock(lines) ? blockItems(lines) : commaItems(text)
  const patterns = Result.flatMap(items, checked)
  return key === "ask" ? Result.flatMap(patterns, asking) : patterns
}

/** A list that could ask about nothing is an error: its writer meant something else. */
const asking = ({ patterns, warnings: [warning] }: ToolPatterns): Result.Result<ToolPatterns, string> => {
  if (warning !== undefined) return Result.fail(warning)
  return isDenialsOnly(patterns)
    ? Result.fail("has exceptions only, so nothing is asked about; put * first to ask about every other tool")
    : Result.succeed({ patterns, warnings: [] })
}

const isDenialsOnly = (patterns: ReadonlyArray<string>): boolean =>
  patterns.length > 0 && patterns.every((pattern) => pattern.startsWith("!"))

const BARE: Readonly<Record<Key, string>> = {
  tools: "has no value; write [] for no tool, or leave the key out for every tool",
  ask: "has no value; write [*] to ask about every tool, or leave the key out"
}
const FORMS = "write [a, b], one \"- pattern\" a line, or a, b"

const isBlock = (lines: ReadonlyArray<string>): boolean => /^\s*-(\s|$)/.test(lines[0] ?? "")

const flowItems = (text: string): Result.Result<ReadonlyArray<string>, string> => {
  const items = splitOutsideQuotes(text.slice(1))
  if (items.unclosedQuote) return Result.fail("a quote is not closed")
  if (items.rest === null) return Result.fail("the list has no closing ]")
  if (items.rest.trim() !== "") return Result.fail(`there is text after the closing ]: ${items.rest.trim()}`)
  return plainItems(items.items)
}

const blockItems = (lines: ReadonlyArray<string>): Result.Result<ReadonlyArray<string>, string> => {
  const odd = lines.find((line) => !/^\s*-(\s|$)/.test(line))
  if (odd !== undefined) return Result.fail(`expected "- pattern", found ${odd.trim()}`)
  const items = lines.map((line) => line.replace(/^\s*-/, "").trim())
  return items.includes("") ? Result.fail("a pattern is empty") : all(items.map(unquoted))
}

const commaItems = (text: string): Result.Result<ReadonlyArray<string>, string> => {
  if (/^[{|>&]/.test(text)) return Result.fail(`${text.slice(0, 20)} is not a list of patterns; ${FORMS}`)
  const { items, unclosedQuote } = splitOutsideQuotes(text)
  if (unclosedQuote) return Result.fail("a quote is not closed")
  // One quoted text may hold the whole line: "*, !web_*".
  const inner = items.length === 1 && /^["']/.test(items[0] ?? "") ? unquoted(items[0] ?? "") : Result.succeed(null)
  return Result.flatMap(inner, (line) => plainItems(line === null ? items : line.split(",")))
}

/** A trailing comma is no empty pattern; a comma in front of nothing else is. */
const plainItems = (items: ReadonlyArray<string>): Result.Result<ReadonlyArray<string>, string> => {
  const trimmed = items.map((item) => item.trim())
  const kept = trimmed.at(-1) === "" ? trimmed.slice(0, -1) : trimmed
  return kept.includes("") ? Result.fail("a pattern is empty") : all(kept.map(unquoted))
}

const all = (
  results: ReadonlyArray<Result.Result<string, string>>
): Result.Result<ReadonlyArray<string>, string> => Result.all(results)

const unquoted = (item: string): Result.Result<string, string> => {
  // `!"web_*"` is a denial with its name quoted; `! web_*` one with a space that YAML would take for a tag.
  const denied = /^!\s*(.*)$/s.exec(item)?.[1]
  if (denied !== undefined) return Result.map(unquoted(denied), (name) => `!${name}`)
  const quote = /^["']/.exec(item)?.[0]
  if (quote === undefined) return Result.succeed(item)
  if (item.length < 2 || !item.endsWith(quote)) return Result.fail(`a quote is not closed: ${item}`)
  const inner = item.slice(1, -1).trim()
  return Result.succeed(inner.replace(/^!\s+/, "!"))
}

const checked = (patterns: ReadonlyArray<string>): Result.Result<ToolPatterns, string> => {
  const problem = patterns.map(wrong).find((words) => words !== null)
  if (problem !== undefined && problem !== null) return Result.fail(problem)
  const warnings = patterns.filter((pattern) => !LEGAL.test(pattern)).map((pattern) =>
    `${JSON.stringify(pattern)} can match no tool: ${LETTERS}`
  )
  return Result.succeed({ patterns, warnings })
}

const LEGAL = /^!?[A-Za-z0-9_*-]+$/
const LETTERS = "names of tools have only letters, digits, _ and -, and * stands for any of them"

const wrong = (pattern: string): string | null => {
  if (pattern === "" || pattern === "!") return "a pattern is empty"
  if (/\s/.test(pattern)) return `${JSON.stringify(pattern)} holds a space; ${FORMS}`
  if (pattern.includes(",")) return `${JSON.stringify(pattern)} holds a comma; write one pattern a line`
  if (/^(\[|\{|"|')/.test(pattern)) return `${pattern} is not a pattern; ${FORMS}`
  // A denial that matches nothing would let through what it was written against.
  return pattern.startsWith("!") && !LEGAL.test(pattern) ? `${pattern} can deny no tool: ${LETTERS}` : null
}

/** A line up to its comment, with the white space before it. */
export const withoutComment = (line: string): string => BEFORE_COMMENT.exec(line)?.[0] ?? line

/** Quoted text, which a quote that is not closed has to the end, and all else up to a `#` after white space. */
const BEFORE_COMMENT = /^(?:"[^"]*(?:"|$)|'[^']*(?:'|$)|(?<=\S)#|[^"'#])*/

interface Split {
  readonly items: ReadonlyArray<string>
  /** The text after the first closing bracket; null when there is none. */
  readonly rest: string | null
  readonly unclosedQuote: boolean
}

const splitOutsideQuotes = (text: string): Split => {
  const items: Array<string> = []
  let item = ""
  let quote: string | null = null
  for (let index = 0; index < text.length; index++) {
    const char = text.charAt(index)
    if (quote === null && char === "]") {
      return { items: [...items, item], rest: text.slice(index + 1), unclosedQuote: false }
    }
    if (quote === null && char === ",") {
      items.push(item)
      item = ""
      continue
    }
    if (quote === char) quote = null
    else if (quote === null && /["']/.test(char)) quote = char
    item += char
  }
  return { items: [...items, item], rest: null, unclosedQuote: quote !== null }
}
