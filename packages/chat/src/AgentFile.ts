/**
 * The text of AGENTS.md as agents. Pure: text in, agents and problems out.
 */
import { Nearest } from "@boocode/mcp-config"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as AgentBlock from "./AgentBlock.ts"
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
  const blocks = AgentBlock.blocksOf(lines)
  const agents = new Map<string, { readonly agent: Agent; readonly line: number }>()
  const problems: Array<AgentProblem> = []
  for (const [index, block] of blocks.entries()) {
    const problem = (line: number, message: string, name: string | null = AgentBlock.nameIn(block)) =>
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
  const lost = agents.size === 0 && problems.length === 0 ? lostKey(lines) : null
  if (lost !== null) problems.push({ name: null, file, line: lost, message: LOST })
  return { agents: [...agents.values()].map(({ agent }) => agent), problems }
}

const FORMATTED_AWAY =
  "a Markdown formatter made a heading of an agent's keys; write each on its line between --- and ---"

/** To a Markdown formatter, keys above a line `---` are a heading. An agent lost that way would go unnoticed. */
const formattedAway = (lines: ReadonlyArray<string>): ReadonlyArray<number> =>
  AgentBlock.textLines(lines).filter((index) => /^## name:\s/.test(lines[index] ?? "")).map((index) => index + 1)

interface ReadBlock {
  readonly agent: Agent | null
  readonly problems: ReadonlyArray<AgentBlock.Problem>
}

const readBlock = (block: AgentBlock.Block, prompt: string): ReadBlock => {
  const at = (key: string): number => AgentBlock.lineOf(block, key)
  if (!block.closed) {
    const message = "the block that starts here has no closing line ---"
    return { agent: null, problems: [{ line: block.start + 1, message }] }
  }
  const values = AgentBlock.yaml(block)
  if (Result.isFailure(values)) return { agent: null, problems: [values.failure] }
  const tools = toolsIn(block)
  const patterns = Result.getOrElse(tools, () => null)
  const errors: Array<AgentBlock.Problem> = Result.isFailure(tools)
    ? [{ line: at("tools"), message: tools.failure }]
    : []
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
  const misspelt = misspeltTools(values.success)
  for (const key of misspelt) {
    errors.push({
      line: at(key),
      message: `${key.trim()} is no key of an agent; write tools: at the start of its line`
    })
  }
  const warnings = [
    ...unknownKeys(values.success).filter(({ key }) => !misspelt.includes(key)).map((message) => ({
      line: at(message.key),
      message: message.words
    })),
    ...(patterns?.warnings ?? []).map((message) => ({ line: at("tools"), message }))
  ]
  return { agent: errors.length === 0 ? agent : null, problems: [...errors, ...warnings] }
}

const Name = Schema.String.check(Schema.isPattern(/^[^\r\n]*$/))
const NullableText = Schema.NullOr(Schema.String)
const Steps = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1000 }))
const Temperature = Schema.NullOr(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 2 })))

const LOST =
  "this looks like a key of an agent, but there is no agent here; an agent starts at a line --- with nothing " +
  "before it, then name: and the other keys at the start of their lines, then a line ---"

/** The line of what was meant for an agent and is none. Without any agent it would restrict nobody. */
const lostKey = (lines: ReadonlyArray<string>): number | null => {
  const index = AgentBlock.textLines(lines).find((index) => LOST_KEY.test(lines[index] ?? ""))
  return index === undefined ? null : index + 1
}

const LOST_KEY = /^[\s\p{Cf}]*["']?(?:[\w-]*tools?|name)["']?[\s\p{Cf}]*[:=]/iu

/** A misspelt `tools` would leave the agent every tool. The value of `tools` itself is not among these. */
const misspeltTools = (values: Readonly<Record<string, unknown>>): ReadonlyArray<string> =>
  Object.entries(values).filter(([key, value]) =>
    isAboutTools(key) || [...JSON.stringify(value ?? null).matchAll(INNER_KEY)].some(([, inner]) => isAboutTools(inner))
  ).map(([key]) => key)

const INNER_KEY = /"((?:[^"\\]|\\.)*)":/g
const isAboutTools = (key: string | undefined): boolean => /tool/i.test((key ?? "").replaceAll(/[^\p{L}]/gu, ""))

const unknownKeys = (values: Readonly<Record<string, unknown>>) =>
  Object.keys(values).filter((key) => !AgentBlock.KEYS.includes(key)).map((key) => {
    const near = Nearest.nearest(key, AgentBlock.KEYS)[0]
    return { key, words: `unknown key ${key} is ignored${near === undefined ? "" : `; did you mean ${near}?`}` }
  })

const toolsIn = (block: AgentBlock.Block): Result.Result<ToolPatterns.ToolPatterns | null, string> => {
  const [first, second] = AgentBlock.toolTexts(block)
  if (first === undefined) return Result.succeed(null)
  return second === undefined ? ToolPatterns.parse(first) : Result.fail("tools: is there twice")
}
