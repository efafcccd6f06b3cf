/**
 * Changes of a file of agents. Pure: text in, text out. The lines of other agents, comments and unknown keys stay to the
 * byte, and what was written is read back before it counts.
 */
import * as Equal from "effect/Equal"
import * as Result from "effect/Result"
import type { Agent } from "./Agent.ts"
import * as AgentBlock from "./AgentBlock.ts"
import { AgentConflict, AgentRefused } from "./AgentError.ts"
import * as AgentFile from "./AgentFile.ts"
import * as AgentLines from "./AgentLines.ts"
import * as ToolPatterns from "./ToolPatterns.ts"

/** An agent as a person wants it. A null key is left out of the file. */
export interface AgentDraft {
  /** Not blank, on one line. White space around it does not count. */
  readonly name: string
  readonly description: string | null
  /** White space around it does not count; it may be blank. */
  readonly prompt: string
  /** Patterns over tool names; null allows every tool, `[]` none. */
  readonly tools: ReadonlyArray<string> | null
  readonly model: string | null
  /** 1 to 1000; null is 25. */
  readonly steps: number | null
  /** 0 to 2; null leaves it to the provider. */
  readonly temperature: number | null
  /** Patterns over names of tools whose calls need approval; null and `[]` name none. */
  readonly ask: ReadonlyArray<string> | null
  /** Whether its model writes programs in which the tools are functions; null leaves it to the settings. */
  readonly code: boolean | null
  /** The people who see it, as `Audience` decides; null is everyone. Left out, what is written stays. */
  readonly for?: ReadonlyArray<string> | null | undefined
}

/** A file of agents: its text, its name for people, and the name that its first agent may leave out. */
export interface Source {
  readonly text: string
  readonly file: string
  readonly fileName: string | null
}

type Wanted = AgentDraft & { readonly steps: number }

/** The draft as it is read back; fails for the first key that the reader of files would not take. */
export const checked = (draft: AgentDraft): Result.Result<Wanted, AgentRefused> => {
  const wanted: Wanted = {
    name: draft.name.trim(),
    description: given(draft.description),
    prompt: draft.prompt.replaceAll(/\r\n?/g, "\n").trim(),
    tools: draft.tools,
    model: given(draft.model),
    steps: draft.steps ?? AgentFile.DEFAULT_STEPS,
    temperature: draft.temperature,
    ask: draft.ask?.length === 0 ? null : draft.ask,
    code: draft.code,
    for: draft.for
  }
  if (wanted.name === "" || /\p{Cc}/u.test(wanted.name)) {
    return refused("name", "an agent needs a name on one line, which is not blank")
  }
  const patterns = checkedPatterns(wanted)
  if (Result.isFailure(patterns)) return Result.fail(patterns.failure)
  const block = AgentLines.lines(valuesOf(wanted))
  const { agents: [agent, more], problems: [problem] } = AgentFile.parse(blockText(wanted, "\n"), "")
  if (problem !== undefined) {
    // Its line is that of a key, as each has one; the first is the rule.
    const key = /^\w+/.exec(block[problem.line - 2] ?? "")?.[0] ?? "prompt"
    return refused(key, problem.message)
  }
  const wrong = agent === undefined || more !== undefined ? "prompt" : differing(agent, wanted)
  return wrong === null
    ? Result.succeed(wanted)
    : refused(wrong, UNREADABLE[wrong] ?? "it cannot be written into the file")
}

/** Fails for the first list with a pattern that could match no tool, or that would ask about nothing by mistake. */
export const checkedPatterns = (
  { ask, tools }: Pick<AgentDraft, "ask" | "tools">
): Result.Result<void, AgentRefused> => {
  for (const [key, patterns] of [["tools", tools], ["ask", ask]] as const) {
    const read = ToolPatterns.check(patterns ?? [], key)
    if (Result.isFailure(read)) return refused(key, read.failure)
  }
  return Result.void
}

export const added = (source: Source, draft: AgentDraft): Result.Result<string, AgentRefused | AgentConflict> =>
  Result.flatMap(checked(draft), (wanted) => {
    const end = endIn(source.text)
    const gap = source.text.trim() === "" ? "" : /(\r\n?|\n)$/.test(source.text) ? end : `${end}${end}`
    return readBack(source, `${source.text}${gap}${blockText(wanted, end)}`, null, wanted)
  })

/** Changes an agent. Unchanged keys stay as they are written. */
export const changed = (
  source: Source,
  name: string,
  draft: AgentDraft
): Result.Result<string, AgentRefused | AgentConflict> =>
  Result.flatMap(checked(draft), (wanted) => {
    const place = placeOf(source, name)
    if (place === null) return gone(source, name)
    const { after, agent, before, block, end, prompt } = place
    const values = changesOf(agent, wanted, block === null)
    const keys = AgentLines.changed(block?.keys ?? [], values, end)
    const said = agent.prompt === wanted.prompt ? prompt : promptText(prompt, wanted.prompt, end, after !== "")
    const [open, close] = block === null
      ? values.size === 0 ? ["", ""] : [`---${end}`, `---${end}${end}`]
      : [block.open, said.length > 0 && !/[\r\n]$/.test(block.close) ? `${block.close}${end}` : block.close]
    return readBack(source, `${before}${open}${keys.join("")}${close}${said}${after}`, name, wanted)
  })

/** Takes an agent out. Null when the whole file is that agent's, and goes with it. */
export const removed = (source: Source, name: string): Result.Result<string | null, AgentConflict> => {
  const place = placeOf(source, name)
  if (place === null) return gone(source, name)
  // The rest of a file in the folder would be an agent with every tool.
  if (source.fileName !== null && place.isOnly) return Result.succeed(null)
  return readBack(source, `${place.before}${place.after}`, name, null)
}

const given = (text: string | null): string | null => text?.trim() || null

const refused = (key: string, detail: string) => Result.fail(new AgentRefused({ key, detail }))

const UNREADABLE: Readonly<Record<string, string>> = {
  prompt:
    "it has lines that would begin another agent: a line --- and keys after it; indent them, or put them into a code block"
}

const gone = ({ file }: Source, name: string) =>
  Result.fail(
    new AgentConflict({
      state: "unchanged",
      message: `${file} has no agent ${name} any more`,
      hint: "read the agents again; nothing was written"
    })
  )

const valuesOf = ({ ask, code, description, for: audience, model, name, steps, temperature, tools }: Wanted) =>
  new Map<string, AgentLines.Value | null>([
    ["name", AgentLines.yamlText(name)],
    ["description", description === null ? null : AgentLines.yamlText(description)],
    ["model", model === null ? null : AgentLines.yamlText(model)],
    ["tools", tools],
    ["ask", ask],
    ...audience === undefined ? [] : [["for", audience?.map(AgentLines.yamlText) ?? null] as const],
    ["code", code === null ? null : String(code)],
    ["steps", steps === AgentFile.DEFAULT_STEPS ? null : String(steps)],
    ["temperature", temperature === null ? null : String(temperature)]
  ])

const changesOf = (agent: Agent, wanted: Wanted, isPlain: boolean): AgentLines.Values => {
  const all = [...valuesOf(wanted)].filter(([key]) => !isSame(agent, wanted, key))
  // A file without a block gets one only for what it has to say beside its name.
  return new Map(isPlain ? all.filter(([, value]) => value !== null) : all)
}

const isSame = (agent: Agent, wanted: Wanted, key: string): boolean => differing(agent, wanted, [key]) === null

/** The first key in which an agent is not as it is wanted. */
const differing = (agent: Agent, wanted: Wanted, among: ReadonlyArray<string> = COMPARED): string | null => {
  const compared = wanted.for === undefined ? among.filter((key) => key !== "for") : among
  const ask = agent.ask?.length === 0 ? null : agent.ask ?? null
  const is: Readonly<Record<string, unknown>> = {
    ...agent,
    description: given(agent.description),
    ask,
    code: agent.code ?? null,
    for: agent.for ?? null
  }
  const values: Readonly<Record<string, unknown>> = { ...wanted }
  return compared.find((key) => !Equal.equals(is[key], values[key])) ?? null
}

const COMPARED = [...AgentBlock.KEYS, "prompt"]

const blockText = (wanted: Wanted, end: string): string => {
  const prompt = wanted.prompt === "" ? [] : ["", ...wanted.prompt.split("\n")]
  return ["---", ...AgentLines.lines(valuesOf(wanted)), "---", ...prompt, ""].join(end)
}

const endIn = (text: string): string => /\r\n?|\n/.exec(text)?.[0] ?? "\n"

interface Place {
  readonly agent: Agent
  readonly before: string
  /** Null for a file that is nothing but a prompt. */
  readonly block: { readonly open: string; readonly keys: ReadonlyArray<string>; readonly close: string } | null
  /** All text up to the next agent. */
  readonly prompt: string
  readonly after: string
  readonly isOnly: boolean
  readonly end: string
}

const placeOf = ({ file, fileName, text }: Source, name: string): Place | null => {
  const agent = AgentFile.parse(text, file, fileName).agents.find((one) => one.name === name)
  if (agent === undefined) return null
  const [mark, body] = text.startsWith("\uFEFF") ? ["\uFEFF", text.slice(1)] : ["", text]
  const lines = body.match(/[^\r\n]*(?:\r\n?|\n)|[^\r\n]+$/g) ?? []
  const blocks = AgentBlock.blocksOf(body.split(/\r\n?|\n/), fileName !== null)
  const end = endIn(body)
  const at = blocks.findIndex(({ start }) => start + 1 === agent.line)
  const block = blocks[at]
  if (block === undefined) return { agent, before: mark, block: null, prompt: body, after: "", isOnly: true, end }
  const next = blocks[at + 1]?.start ?? lines.length
  const slice = (from: number, to: number): string => lines.slice(from, to).join("")
  return {
    agent,
    before: `${mark}${slice(0, block.start)}`,
    block: {
      open: slice(block.start, block.start + 1),
      keys: lines.slice(block.start + 1, block.end),
      close: slice(block.end, block.end + 1)
    },
    prompt: slice(block.end + 1, next),
    after: slice(next, lines.length),
    isOnly: blocks.length === 1,
    end
  }
}

/** A prompt in the place of another one; the blank lines around it stay. */
const promptText = (old: string, prompt: string, end: string, isFollowed: boolean): string => {
  const text = prompt.replaceAll("\n", end)
  if (old.trim() === "") return `${end}${text}${end}${isFollowed ? end : ""}`
  return `${/^\s*/.exec(old)?.[0] ?? ""}${text}${/\s*$/.exec(old)?.[0] ?? ""}`
}

/** The new text, if it says of this agent what is wanted and of all others what they were. */
const readBack = (
  { file, fileName, text }: Source,
  now: string,
  name: string | null,
  wanted: Wanted | null
): Result.Result<string, AgentConflict> => {
  const before = AgentFile.parse(text, file, fileName)
  const after = AgentFile.parse(now, file, fileName)
  const agent = wanted === null ? undefined : after.agents.find((one) => one.name === wanted.name)
  const wrong = wanted === null ? null : agent === undefined ? "prompt" : differing(agent, wanted)
  if (wrong !== null) return unchanged(file, `${wrong} would not be read back as it is wanted`)
  const others = ({ agents }: AgentFile.ParsedAgents, but: string | null | undefined) =>
    agents.filter((one) => one.name !== but).map((one) => ({ ...one, line: null }))
  const isAlike = Equal.equals(others(before, name), others(after, wanted?.name)) &&
    after.problems.length <= before.problems.length
  return isAlike ? Result.succeed(now) : unchanged(file, "another agent in it would change")
}

const unchanged = (file: string, why: string) =>
  Result.fail(
    new AgentConflict({
      state: "unchanged",
      message: `${file} is not changed: ${why}`,
      hint: "change it by hand; a code block that nothing closes is often the reason"
    })
  )
