/** The text of a file of agents. Pure: text in, agents and problems out. */
import * as KeyShape from "@boocode/language-models/KeyShape"
import { Audience, Nearest } from "@boocode/mcp-config"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Agent, AgentProblem } from "./Agent.ts"
import * as AgentBlock from "./AgentBlock.ts"
import * as ToolPatterns from "./ToolPatterns.ts"

/** The agents of a text and their problems. Both lists may be empty. */
export interface ParsedAgents {
  /** Usable agents in the order of the text; their names are unique. */
  readonly agents: ReadonlyArray<Agent>
  readonly problems: ReadonlyArray<AgentProblem>
}

/** How many model requests a turn may make when the agent does not say. */
export const DEFAULT_STEPS = 25

/**
 * Reads agents. An agent starts at a line `---` outside code fences whose next lines are YAML with `name:`; the block
 * ends at the next `---`, the prompt runs to the next agent. A mistake in one agent is a problem with its name and
 * line, and hurts no other. With a `fileName` the first block may lack its name, and a text without any block is the
 * prompt of an agent that is called so.
 */
export const parse = (text: string, file: string, fileName: string | null = null): ParsedAgents => {
  const lines = text.replace(/^\uFEFF/, "").split(/\r\n|\r|\n/)
  const blocks = AgentBlock.blocksOf(lines, fileName !== null)
  const agents = new Map<string, Agent>()
  const problems: Array<AgentProblem> = []
  for (const [index, block] of blocks.entries()) {
    const problem = (line: number, message: string, name: string | null = AgentBlock.nameIn(block)) =>
      problems.push({ name, file, line, message })
    const prompt = lines.slice(block.end + 1, blocks[index + 1]?.start ?? lines.length).join("\n").trim()
    const read = readBlock(block, { prompt, file, name: index === 0 ? fileName : null })
    for (const { line, message } of read.problems) problem(line, message)
    if (read.agent === null) continue
    const first = agents.get(read.agent.name)
    if (first === undefined) agents.set(read.agent.name, read.agent)
    else problem(block.start + 1, taken(`line ${first.line}`, read.agent.name))
  }
  for (const line of formattedAway(lines)) problems.push({ name: null, file, line, message: FORMATTED_AWAY })
  const lost = agents.size === 0 && problems.length === 0 ? lostKey(lines) : null
  if (lost !== null) problems.push({ name: null, file, line: lost, message: LOST })
  if (fileName === null || blocks.length > 0 || problems.length > 0) return { agents: [...agents.values()], problems }
  const prompt = lines.join("\n").trim()
  return prompt === ""
    ? { agents: [], problems: [{ name: fileName, file, line: 1, message: "the file is empty" }] }
    : { agents: [{ ...PLAIN, name: fileName, file, line: 1, prompt }], problems }
}

/** Why a second agent of one name is left out; `where` is the first. */
export const taken = (where: string, name: string): string =>
  `${where} already has an agent called ${name}; this one is left out`

const PLAIN = { description: null, model: null, tools: null, steps: DEFAULT_STEPS, temperature: null }

const FORMATTED_AWAY =
  "a Markdown formatter made a heading of an agent's keys; write each on its line between --- and ---"

/** To a Markdown formatter, keys above a line `---` are a heading. An agent lost that way would go unnoticed. */
const formattedAway = (lines: ReadonlyArray<string>): ReadonlyArray<number> =>
  AgentBlock.textLines(lines).filter((index) => /^## name:\s/.test(lines[index] ?? "")).map((index) => index + 1)

interface ReadBlock {
  readonly agent: Agent | null
  readonly problems: ReadonlyArray<AgentBlock.Problem>
}

interface Around {
  readonly prompt: string
  readonly file: string
  /** Its name when the block gives none. */
  readonly name: string | null
}

const readBlock = (block: AgentBlock.Block, { file, name, prompt }: Around): ReadBlock => {
  const at = (key: string): number => AgentBlock.lineOf(block, key)
  if (!block.closed) {
    const message = "the block that starts here has no closing line ---"
    return { agent: null, problems: [{ line: block.start + 1, message }] }
  }
  const values = AgentBlock.yaml(block)
  if (Result.isFailure(values)) return { agent: null, problems: [values.failure] }
  const tools = patternsIn(block, "tools")
  const ask = patternsIn(block, "ask")
  const errors: Array<AgentBlock.Problem> = [
    ...(Result.isFailure(tools) ? [{ line: at("tools"), message: tools.failure }] : []),
    ...(Result.isFailure(ask) ? [{ line: at("ask"), message: ask.failure }] : [])
  ]
  const [patterns, asked] = [Result.getOrElse(tools, () => null), Result.getOrElse(ask, () => null)]
  const take = <A>(key: string, schema: Schema.Codec<A, unknown>, otherwise: A, expected: string): A => {
    const value = values.success[key]
    if (value === undefined || value === null) return otherwise
    const decoded = Schema.decodeResult(schema)(value)
    if (Result.isSuccess(decoded)) return decoded.success
    errors.push({ line: at(key), message: `${key}: expected ${expected}` })
    return otherwise
  }
  const code = take("code", Schema.NullOr(Schema.Boolean), null, "true or false")
  const audience = take("for", AudienceWords, null, "a list such as [admins, group:dev, ann@example.org]")
  const nobody = audience === null ? null : Audience.problem(wordsOf(audience))
  if (nobody !== null) errors.push({ line: at("for"), message: `for: ${nobody.detail}; ${nobody.hint}` })
  const agent: Agent = {
    name: take("name", Name, name ?? "", "a name on one line").trim() || (name ?? ""),
    description: take("description", NullableText, null, "text"),
    model: take("model", Model, null, "the id of a model, for instance openai/gpt-5, and never a key"),
    tools: patterns?.patterns ?? null,
    ...(asked === null ? {} : { ask: asked.patterns }),
    ...(code === null ? {} : { code }),
    ...(audience === null ? {} : { for: wordsOf(audience) }),
    steps: take("steps", Steps, DEFAULT_STEPS, "a whole number from 1 to 1000"),
    temperature: take("temperature", Temperature, null, "a number from 0 to 2"),
    prompt,
    file,
    line: block.start + 1
  }
  if (agent.name === "" && errors.length === 0) errors.push({ line: at("name"), message: "an agent needs a name" })
  const tooWide = [...misspelt(values.success, "tools"), ...misspelt(values.success, "ask")]
  for (const { key, meant } of tooWide) {
    errors.push({
      line: at(key),
      message: `${key.trim()} is no key of an agent; write ${meant}: at the start of its line`
    })
  }
  const warnings = [
    ...unknownKeys(values.success).filter(({ key }) => tooWide.every((one) => one.key !== key)).map((message) => ({
      line: at(message.key),
      message: message.words
    })),
    ...(patterns?.warnings ?? []).map((message) => ({ line: at("tools"), message }))
  ]
  return { agent: errors.length === 0 ? agent : null, problems: [...errors, ...warnings] }
}

const Name = Schema.String.check(Schema.isPattern(/^[^\r\n]*$/))
const AudienceWords = Schema.NullOr(Schema.Union([Schema.String, Schema.Array(Schema.String)]))
const wordsOf = (audience: string | ReadonlyArray<string>): ReadonlyArray<string> =>
  typeof audience === "string" ? [audience] : audience
const NullableText = Schema.NullOr(Schema.String)
const Model = Schema.NullOr(Schema.String.check(Schema.makeFilter((id) => !KeyShape.isLikeKey(id))))
const Steps = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1000 }))
const Temperature = Schema.NullOr(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 2 })))

const LOST =
  "this looks like a key of an agent, but there is no agent here; an agent starts at a line --- with nothing " +
  "before it, then name: and the other keys at the start of their lines, then a line ---"

/** The line that looks like a key of an agent, in a file without an agent; null for none. */
const lostKey = (lines: ReadonlyArray<string>): number | null => {
  const index = AgentBlock.textLines(lines).find((index) => LOST_KEY.test(lines[index] ?? ""))
  return index === undefined ? null : index + 1
}

const LOST_KEY = /^[\s\p{Cf}]*["']?(?:[\w-]*tools?|name)["']?[\s\p{Cf}]*[:=]/iu

/**
 * The keys that look like `tools` or `ask`. An agent with a misspelt `tools` would get every tool, and one with a
 * misspelt `ask` would ask no person. `values` are without these two keys.
 */
const misspelt = (values: Readonly<Record<string, unknown>>, meant: ToolPatterns.Key) =>
  Object.entries(values).filter(([key, value]) =>
    MEANS[meant](key) || [...JSON.stringify(value ?? null).matchAll(INNER_KEY)].some(([, inner]) => MEANS[meant](inner))
  ).map(([key]) => ({ key, meant }))

const INNER_KEY = /"((?:[^"\\]|\\.)*)":/g

const lettersOf = (key: string | undefined): string => (key ?? "").replaceAll(/[^\p{L}]/gu, "").toLowerCase()

const MEANS: Readonly<Record<ToolPatterns.Key, (key: string | undefined) => boolean>> = {
  tools: (key) => /tool/.test(lettersOf(key)),
  ask: (key) => Nearest.slips(lettersOf(key), "ask") <= 1 || /^ask|approv|confirm|permission/.test(lettersOf(key))
}

const unknownKeys = (values: Readonly<Record<string, unknown>>) =>
  Object.keys(values).filter((key) => !AgentBlock.KEYS.includes(key)).map((key) => {
    const near = Nearest.nearest(key, AgentBlock.KEYS)[0]
    return { key, words: `unknown key ${key} is ignored${near === undefined ? "" : `; did you mean ${near}?`}` }
  })

const patternsIn = (
  block: AgentBlock.Block,
  key: ToolPatterns.Key
): Result.Result<ToolPatterns.ToolPatterns | null, string> => {
  const [first, second] = AgentBlock.patternTexts(block, key)
  if (first === undefined) return Result.succeed(null)
  return second === undefined ? ToolPatterns.parse(first, key) : Result.fail(`${key}: is there twice`)
}
