/** Where the blocks of AGENTS.md are, and the keys that stand in them. Pure. */
import * as Yaml from "effect/encoding/Yaml"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

/** Something wrong at a line, counted from 1. */
export interface Problem {
  readonly line: number
  readonly message: string
}

export interface Block {
  /** Index of the opening line. */
  readonly start: number
  /** Index of the closing line; of the last line of the block when it has none. */
  readonly end: number
  readonly closed: boolean
  readonly lines: ReadonlyArray<string>
}

/** Every key an agent may have. */
export const KEYS = ["name", "description", "model", "tools", "ask", "for", "code", "steps", "temperature"]

/** The blocks of a text, in its order. The first may lack a name where the file itself gives one. */
export const blocksOf = (lines: ReadonlyArray<string>, hasFileName = false): ReadonlyArray<Block> => {
  const rules = ruleLines(lines)
  const top = hasFileName ? lines.findIndex((line) => line.trim() !== "") : -1
  const blocks: Array<Block> = []
  for (let index = 0; index < rules.length; index++) {
    const start = rules[index] ?? 0
    const block = blockAt(lines, start, rules[index + 1] ?? null, start === top)
    if (block === null) continue
    blocks.push(block)
    if (block.closed) index += 1
  }
  return blocks
}

const blockAt = (lines: ReadonlyArray<string>, start: number, next: number | null, isTop: boolean): Block | null => {
  const inside = lines.slice(start + 1, next ?? lines.length)
  const head = untilBlank(inside)
  const opens = inside.find((line) => line.trim() !== "" && !/^\s*#/.test(line)) ?? ""
  if (!/^["']?[A-Za-z_][\w-]*["']?\s*:/.test(opens)) return null
  // Without a closing line the block can only be what stands together; the text after a blank line is prose.
  const unclosed = { start, end: start + head.length, closed: false, lines: head }
  if (next === null) return isTop || hasName(head) ? unclosed : null
  const block = { start, end: next, closed: true, lines: inside }
  if (!hasName(inside)) return isTop || isNameless(inside) ? block : null
  // The `---` that seems to close a broken block may be the start of the next agent.
  return Result.isFailure(yaml(block)) && hasName(untilBlank(untilRule(lines, next + 1))) ? unclosed : block
}

const untilRule = (lines: ReadonlyArray<string>, from: number): ReadonlyArray<string> => {
  const end = indexFrom(lines, from, isRule)
  return lines.slice(from, end === -1 ? lines.length - 1 : end)
}

/** Long files have many blocks: none of them looks at the lines before it. */
const indexFrom = (lines: ReadonlyArray<string>, from: number, isIt: (line: string) => boolean): number => {
  for (let index = from; index < lines.length; index++) if (isIt(lines[index] ?? "")) return index
  return -1
}

const untilBlank = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const end = lines.findIndex((line) => line.trim() === "")
  return end === -1 ? lines : lines.slice(0, end)
}

const NAME = /^(?:name|"name"|'name')\s*:(.*)$/
/** The keys whose values are patterns, which are no YAML. */
const PATTERNS = {
  tools: /^(?:tools|"tools"|'tools')\s*:(.*)$/,
  ask: /^(?:ask|"ask"|'ask')\s*:(.*)$/
}
const TOP_LEVEL = /^["']?([A-Za-z_][\w-]*)["']?\s*:/

const hasName = (lines: ReadonlyArray<string>): boolean => lines.some((line) => NAME.test(line))

/** A block of keys that restricts or describes an agent and only lacks its name. Prose between two rules is none. */
const isNameless = (lines: ReadonlyArray<string>): boolean => {
  const top = lines.filter((line) => /^\S/.test(line) && !/^(#|-(\s|$)|\])/.test(line))
  const keys = top.map((line) => TOP_LEVEL.exec(line)?.[1]?.toLowerCase())
  return keys.every((key) => key !== undefined) &&
    (keys.includes("tools") || keys.includes("ask") || keys.every((key) => key !== undefined && KEYS.includes(key)))
}

const isRule = (line: string): boolean => /^---\s*$/.test(line)

const ruleLines = (lines: ReadonlyArray<string>): ReadonlyArray<number> =>
  textLines(lines).filter((index) => isRule(lines[index] ?? ""))

/** Indexes of the lines outside code fences. A fence that nothing closes is no fence. */
export const textLines = (lines: ReadonlyArray<string>): ReadonlyArray<number> => {
  const outside: Array<number> = []
  // A fence that nothing closes cannot be closed by a later fence of its kind that is no longer.
  const unclosed = { "`": Infinity, "~": Infinity }
  for (let index = 0; index < lines.length; index++) {
    const fence = FENCE.exec(lines[index] ?? "")?.[1] ?? ""
    const kind = fence.startsWith("~") ? "~" : "`"
    const isOpen = fence === "" || fence.length >= unclosed[kind]
    const closing = isOpen ? -1 : closingFence(lines, index + 1, fence)
    if (!isOpen && closing === -1) unclosed[kind] = fence.length
    if (closing === -1) outside.push(index)
    else index = closing
  }
  return outside
}

// A backtick fence has no backtick in the rest of its line, else it is code inside a line.
const FENCE = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/

const closingFence = (lines: ReadonlyArray<string>, from: number, fence: string): number =>
  indexFrom(lines, from, (line) => /^ {0,3}(`{3,}|~{3,})\s*$/.exec(line)?.[1]?.startsWith(fence) === true)

/** The line of a key; the opening line when it is not there. */
export const lineOf = (block: Block, key: string): number => {
  const index = block.lines.findIndex((line) => TOP_LEVEL.exec(line)?.[1] === key)
  return block.start + 1 + (index === -1 ? 0 : index + 1)
}

/** The name as it is written; null when there is none. */
export const nameIn = (block: Block): string | null => {
  const value = block.lines.map((line) => NAME.exec(line)?.[1]?.trim()).find((name) => name !== undefined)
  return value === undefined || value === "" ? null : value.replace(/^(["'])(.*)\1$/, "$2")
}

/**
 * Every key but those with patterns, whose lines are blanked so that the lines of the others keep their numbers.
 * Aliases are refused: a few lines of them stand for more values than any memory holds.
 */
export const yaml = (block: Block): Result.Result<Readonly<Record<string, unknown>>, Problem> => {
  const hidden = new Set([...patternLines(block, "tools"), ...patternLines(block, "ask")].flat())
  const lines = block.lines.map((line, index) => hidden.has(index) ? "" : line)
  const anchor = lines.findIndex((line) => ANCHOR.test(line))
  if (anchor !== -1) return Result.fail({ line: block.start + 2 + anchor, message: NO_ALIASES })
  const parsed = Result.try({
    // Without anchors every alias is unknown to the parser, and nothing is copied.
    try: (): unknown => Yaml.parse(lines.join("\n").replaceAll("&", AMPERSAND)),
    catch: (error) => error instanceof Error ? error.message : String(error)
  })
  if (Result.isFailure(parsed)) return Result.fail(faultOf(block, lines, parsed.failure))
  if (parsed.success === null || parsed.success === undefined) return Result.succeed({})
  return isRecord(parsed.success)
    ? Result.succeed(withAmpersands(parsed.success))
    : Result.fail({ line: block.start + 1, message: "the block between --- and --- must be keys and values" })
}

const ANCHOR = /^["']?[A-Za-z_][\w-]*["']?\s*:\s+&/
const NO_ALIASES =
  "not YAML as it is read here: there are no anchors and aliases; write the value out, or put it in quotes"
/** Stands for `&` while a text is parsed; no text has it. */
const AMPERSAND = "\uffff"

const faultOf = (block: Block, lines: ReadonlyArray<string>, words: string): Problem => {
  const alias = /^Unknown (?:YAML )?alias '(.*?)'/.exec(words)?.[1]
  if (alias !== undefined) {
    return { line: block.start + 2 + lines.findIndex((line) => line.includes(alias)), message: NO_ALIASES }
  }
  const [, message, line] = /^(.*?)(?: at line (\d+))?$/s.exec(words) ?? []
  const said = (message ?? words).replaceAll(AMPERSAND, "&")
  return { line: block.start + 1 + Number(line ?? 0), message: `not YAML: ${said}` }
}

const withAmpersands = (values: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(values).map(([key, value]) => [
      withAmpersand(key),
      Array.isArray(value) ? value.map(withAmpersand) : withAmpersand(value)
    ])
  )

const withAmpersand = <A>(value: A): A | string => typeof value === "string" ? value.replaceAll(AMPERSAND, "&") : value

const isRecord = Schema.is(Schema.Record(Schema.String, Schema.Unknown))

/** The text after each key `tools:` or `ask:`. */
export const patternTexts = (block: Block, key: keyof typeof PATTERNS): ReadonlyArray<string> =>
  patternLines(block, key).map((indexes) =>
    indexes.map((index, position) => {
      const line = block.lines[index] ?? ""
      return position === 0 ? PATTERNS[key].exec(line)?.[1] ?? "" : line
    }).join("\n")
  )

/** For each such key, the indexes of its lines: indented ones, items and brackets of a list belong to it. */
const patternLines = (block: Block, key: keyof typeof PATTERNS): ReadonlyArray<ReadonlyArray<number>> =>
  block.lines.flatMap((line, start) => {
    if (!PATTERNS[key].test(line)) return []
    const after = block.lines.slice(start + 1).findIndex((next) => !/^(\s|#|-(\s|$)|\]|$)/.test(next))
    const end = after === -1 ? block.lines.length : start + 1 + after
    return [Array.from({ length: end - start }, (_, offset) => start + offset)]
  })
