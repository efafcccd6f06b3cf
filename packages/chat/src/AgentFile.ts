/**
 * The text of AGENTS.md as agents. Pure: text in, agents and problems out.
 */
import { Nearest } from "@boocode/mcp-config"
import * as Yaml from "effect/encoding/Yaml"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Agent, AgentProblem } from "./Agents.ts"
import * as ToolPatterns from "./ToolPatterns.ts"

/** What a text holds. Both lists may be empty. @category models */
export interface ParsedAgents {
  /** Usable agents in the order of the text; their names are unique. */
  readonly agents: ReadonlyArray<Agent>
  readonly problems: ReadonlyArray<AgentProblem>
}

/** How many model requests a turn may make when the agent does not say. @category constants */
export const DEFAULT_STEPS = 25

/**
 * Reads agents. An agent starts at a line `---` outside code fences whose next lines are YAML with `name:`; the block
 * ends at the next `---`, the prompt runs to the next agent. What is wrong with one agent is a problem with its name and
 * line, and hurts no other.
 *
 * @category decoding
 */
export const parse = (text: string, file: string): ParsedAgents => {
  const lines = text.replace(/^\uFEFF/, "").split(/\r\n|\r|\n/)
  const blocks = blocksOf(lines)
  const agents = new Map<string, { readonly agent: Agent; readonly line: number }>()
  const problems: Array<AgentProblem> = []
  for (const [index, block] of blocks.entries()) {
    const problem = (line: number, message: string, name: string | null = nameIn(block)) =>
      problems.push({ name, file, line, message })
    const prompt = lines.slice(block.end + 1, blocks[index + 1]?.start ?? lines.length).join("\n").trim()
    const read = readBlock(block, prompt)
    for (const { line, message } of read.problems) problem(line, message)
    if (read.agent === null) continue
    const first = agents.get(read.agent.name)
    if (first === undefined) agents.set(read.agent.name, { agent: read.agent, line: block.start + 1 })
    else {problem(
        block.start + 1,
        `line ${first.line} already has an agent called ${read.agent.name}; this one is left out`
      )}
  }
  for (const line of formattedAway(lines)) problems.push({ name: null, file, line, message: FORMATTED_AWAY })
  return { agents: [...agents.values()].map(({ agent }) => agent), problems }
}

const FORMATTED_AWAY =
  "a Markdown formatter made a heading of an agent's keys; write each on its line between --- and ---"

/** To a Markdown formatter, keys above a line `---` are a heading. An agent lost that way would go unnoticed. */
const formattedAway = (lines: ReadonlyArray<string>): ReadonlyArray<number> =>
  textLines(lines).filter((index) => /^## name:\s/.test(lines[index] ?? "")).map((index) => index + 1)

interface Block {
  /** Index of the opening line. */
  readonly start: number
  /** Index of the closing line; of the last line of the block when it has none. */
  readonly end: number
  readonly closed: boolean
  readonly lines: ReadonlyArray<string>
}

const KEYS = ["name", "description", "model", "tools", "steps", "temperature"]

const blocksOf = (lines: ReadonlyArray<string>): ReadonlyArray<Block> => {
  const rules = ruleLines(lines)
  const blocks: Array<Block> = []
  for (let index = 0; index < rules.length; index++) {
    const start = rules[index] ?? 0
    const block = blockAt(lines, start, rules[index + 1] ?? null)
    if (block === null) continue
    blocks.push(block)
    if (block.closed) index += 1
  }
  return blocks
}

const blockAt = (lines: ReadonlyArray<string>, start: number, next: number | null): Block | null => {
  const inside = lines.slice(start + 1, next ?? lines.length)
  const head = untilBlank(inside)
  const opens = inside.find((line) => line.trim() !== "" && !/^\s*#/.test(line)) ?? ""
  if (!/^["']?[A-Za-z_][\w-]*["']?\s*:/.test(opens)) return null
  // Without a closing line the block can only be what stands together; the text after a blank line is prose.
  const unclosed = { start, end: start + head.length, closed: false, lines: head }
  if (next === null) return hasName(head) ? unclosed : null
  const block = { start, end: next, closed: true, lines: inside }
  if (!hasName(inside)) return isNameless(inside) ? block : null
  // The `---` that seems to close a broken block may be the start of the next agent.
  const following = lines.slice(next + 1)
  const after = following.slice(0, following.findIndex((line) => isRule(line)))
  return Result.isFailure(yaml(block)) && hasName(untilBlank(after)) ? unclosed : block
}

const untilBlank = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const end = lines.findIndex((line) => line.trim() === "")
  return end === -1 ? lines : lines.slice(0, end)
}

const NAME = /^(?:name|"name"|'name')\s*:(.*)$/
const TOOLS = /^(?:tools|"tools"|'tools')\s*:(.*)$/
const TOP_LEVEL = /^["']?([A-Za-z_][\w-]*)["']?\s*:/

const hasName = (lines: ReadonlyArray<string>): boolean => lines.some((line) => NAME.test(line))

/** A block of keys that restricts or describes an agent and only lacks its name. Prose between two rules is none. */
const isNameless = (lines: ReadonlyArray<string>): boolean => {
  const top = lines.filter((line) => /^\S/.test(line) && !/^(#|-(\s|$)|\])/.test(line))
  const keys = top.map((line) => TOP_LEVEL.exec(line)?.[1])
  return keys.every((key) => key !== undefined) &&
    (keys.includes("tools") || keys.every((key) => key !== undefined && KEYS.includes(key)))
}

const isRule = (line: string): boolean => /^---\s*$/.test(line)

const ruleLines = (lines: ReadonlyArray<string>): ReadonlyArray<number> =>
  textLines(lines).filter((index) => isRule(lines[index] ?? ""))

/** Indexes of the lines outside code fences. A fence that nothing closes is no fence. */
const textLines = (lines: ReadonlyArray<string>): ReadonlyArray<number> => {
  const outside: Array<number> = []
  for (let index = 0; index < lines.length; index++) {
    const fence = FENCE.exec(lines[index] ?? "")?.[1]
    const closing = fence === undefined ? -1 : closingFence(lines, index + 1, fence)
    if (closing === -1) outside.push(index)
    else index = closing
  }
  return outside
}

// A backtick fence has no backtick in the rest of its line, else it is code inside a line.
const FENCE = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/

const closingFence = (lines: ReadonlyArray<string>, from: number, fence: string): number =>
  lines.findIndex((line, index) => {
    const end = index >= from ? /^ {0,3}(`{3,}|~{3,})\s*$/.exec(line)?.[1] : undefined
    return end !== undefined && end.startsWith(fence)
  })

interface Problem {
  readonly line: number
  readonly message: string
}

interface ReadBlock {
  readonly agent: Agent | null
  readonly problems: ReadonlyArray<Problem>
}

const readBlock = (block: Block, prompt: string): ReadBlock => {
  const at = (key: string): number => lineOf(block, key)
  if (!block.closed) {
    const message = "the block that starts here has no closing line ---"
    return { agent: null, problems: [{ line: block.start + 1, message }] }
  }
  const values = yaml(block)
  if (Result.isFailure(values)) return { agent: null, problems: [values.failure] }
  const tools = toolsIn(block)
  const patterns = Result.getOrElse(tools, () => null)
  const errors: Array<Problem> = Result.isFailure(tools) ? [{ line: at("tools"), message: tools.failure }] : []
  const take = <A>(key: string, schema: Schema.Codec<A, unknown>, otherwise: A, expected: string): A => {
    const value = values.success[key]
    if (value === undefined || value === null) return otherwise
    const decoded = Schema.decodeResult(schema)(value)
    if (Result.isSuccess(decoded)) return decoded.success
    errors.push({ line: at(key), message: `${key}: expected ${expected}` })
    return otherwise
  }
  const agent: Agent = {
    name: take("name", Name, "", "a name on one line").trim(),
    description: take("description", NullableText, null, "text"),
    model: take("model", NullableText, null, "the id of a model, for instance openai/gpt-5"),
    tools: patterns?.patterns ?? null,
    steps: take("steps", Steps, DEFAULT_STEPS, "a whole number from 1 to 1000"),
    temperature: take("temperature", Temperature, null, "a number from 0 to 2"),
    prompt
  }
  if (agent.name === "" && errors.length === 0) errors.push({ line: at("name"), message: "an agent needs a name" })
  const warnings = [
    ...unknownKeys(values.success).map((message) => ({ line: at(message.key), message: message.words })),
    ...(patterns?.warnings ?? []).map((message) => ({ line: at("tools"), message }))
  ]
  return { agent: errors.length === 0 ? agent : null, problems: [...errors, ...warnings] }
}

const Name = Schema.String.check(Schema.isPattern(/^[^\r\n]*$/))
const NullableText = Schema.NullOr(Schema.String)
const Steps = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1000 }))
const Temperature = Schema.NullOr(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 2 })))

const unknownKeys = (values: Readonly<Record<string, unknown>>) =>
  Object.keys(values).filter((key) => !KEYS.includes(key)).map((key) => {
    const near = Nearest.nearest(key, KEYS)[0]
    return { key, words: `unknown key ${key} is ignored${near === undefined ? "" : `; did you mean ${near}?`}` }
  })

const lineOf = (block: Block, key: string): number => {
  const index = block.lines.findIndex((line) => TOP_LEVEL.exec(line)?.[1] === key)
  return block.start + 1 + (index === -1 ? 0 : index + 1)
}

const nameIn = (block: Block): string | null => {
  const value = block.lines.map((line) => NAME.exec(line)?.[1]?.trim()).find((name) => name !== undefined)
  return value === undefined || value === "" ? null : value.replace(/^(["'])(.*)\1$/, "$2")
}

/** Every key but `tools`, whose lines are blanked so that the lines of the others keep their numbers. */
const yaml = (block: Block): Result.Result<Readonly<Record<string, unknown>>, Problem> => {
  const hidden = new Set(toolLines(block).flat())
  const text = block.lines.map((line, index) => hidden.has(index) ? "" : line).join("\n")
  const parsed = Result.try({
    try: (): unknown => Yaml.parse(text),
    catch: (error) => error instanceof Error ? error.message : String(error)
  })
  if (Result.isFailure(parsed)) {
    const [, message, line] = /^(.*?)(?: at line (\d+))?$/s.exec(parsed.failure) ?? []
    return Result.fail({ line: block.start + 1 + Number(line ?? 0), message: `not YAML: ${message ?? parsed.failure}` })
  }
  if (parsed.success === null || parsed.success === undefined) return Result.succeed({})
  return isRecord(parsed.success)
    ? Result.succeed(parsed.success)
    : Result.fail({ line: block.start + 1, message: "the block between --- and --- must be keys and values" })
}

const isRecord = Schema.is(Schema.Record(Schema.String, Schema.Unknown))

const toolsIn = (block: Block): Result.Result<ToolPatterns.ToolPatterns | null, string> => {
  const [first, second] = toolLines(block)
  if (first === undefined) return Result.succeed(null)
  if (second !== undefined) return Result.fail("tools: is there twice")
  const value = first.map((index, position) => {
    const line = block.lines[index] ?? ""
    return position === 0 ? TOOLS.exec(line)?.[1] ?? "" : line
  })
  return ToolPatterns.parse(value.join("\n"))
}

/** For each key `tools`, the indexes of its lines: indented ones, items and brackets of a list belong to it. */
const toolLines = (block: Block): ReadonlyArray<ReadonlyArray<number>> =>
  block.lines.flatMap((line, start) => {
    if (!TOOLS.test(line)) return []
    const after = block.lines.slice(start + 1).findIndex((next) => !/^(\s|#|-(\s|$)|\]|$)/.test(next))
    const end = after === -1 ? block.lines.length : start + 1 + after
    return [Array.from({ length: end - start }, (_, offset) => start + offset)]
  })
