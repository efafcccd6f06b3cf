/**
 * The text of a permissions.jsonc, read with the place of each mistake. A line that cannot be understood never loosens:
 * an allow is left out, and anything else makes every call ask until it is corrected.
 */
import { JsonObjectText } from "@boocode/mcp-config"
import { Field, JsonNode } from "@boocode/mcp-config/Fields"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { FileProblem } from "./FileProblem.ts"
import { ObjectKeys } from "./ObjectKeys.ts"
import { MODES, type Outcome, OUTCOMES, type SourcedRule, type WriteMode } from "./PermissionRule.ts"
import * as RuleText from "./RuleText.ts"

/** A call, and what the rules must make of it. */
export interface Example {
  /** The tool's name for models. */
  readonly tool: string
  readonly args: Schema.JsonObject
  readonly agent: string | null
  readonly expect: Outcome
  /** The file and its line. */
  readonly source: string
}

/** A command that is asked about each call. */
export interface Hook {
  /** The program and its arguments. */
  readonly command: readonly [string, ...ReadonlyArray<string>]
  /** The file and its line. */
  readonly source: string
}

/** The owner of the file: the person, or a project, whose file can only ask and deny. */
export type Owner = "user" | "project"

/** The content of a file. */
export interface PermissionContent {
  readonly file: string
  readonly owner: Owner
  readonly isThere: boolean
  /** Null where it says nothing, and always for a project. */
  readonly write: WriteMode | null
  readonly rules: ReadonlyArray<SourcedRule>
  readonly examples: ReadonlyArray<Example>
  readonly hooks: ReadonlyArray<Hook>
  readonly problems: ReadonlyArray<FileProblem>
  /** The first problem that may have cost a restriction; null for none. */
  readonly fault: FileProblem | null
}

/** A file that is not there. */
export const absent = (file: string, owner: Owner): PermissionContent => ({
  file,
  owner,
  isThere: false,
  write: null,
  rules: [],
  examples: [],
  hooks: [],
  problems: [],
  fault: null
})

/** A file that cannot be used at all. */
export const unusable = (problem: FileProblem, owner: Owner): PermissionContent => ({
  ...absent(problem.file, owner),
  isThere: true,
  problems: [problem],
  fault: problem
})

const KEYS = ["$schema", "write", "rules", "examples", "hooks"]

/** Reads a text as the file of that name. Never fails: what is wrong stands in `problems`. */
export const read = (text: string, file: string, owner: Owner): PermissionContent => {
  const root = JsonNode.parse(text)
  if (Result.isFailure(root)) {
    const { column, detail, line } = root.failure
    return unusable(new FileProblem({ file, line, column, key: null, detail, hint: HINT }), owner)
  }
  const problemOf = ({ at, ...trouble }: Field.Trouble) => new FileProblem({ file, ...at, ...trouble })
  if (root.success.type !== "object") {
    return unusable(problemOf(Field.mismatch(root.success, "", { wanted: "an object", hint: HINT })), owner)
  }
  const keys = new ObjectKeys(root.success, "", KEYS)
  const reading: Reading = { file, owner, serious: [], slight: [] }
  const write = keys.take("write", Field.choice(MODES).decode)
  const rules = itemsOf(keys, "rules").flatMap((item) => ruleOf(item, reading))
  const hooks = owner === "user" ? itemsOf(keys, "hooks").flatMap((item) => hookOf(item, reading)) : []
  const examples = itemsOf(keys, "examples").flatMap((item) => exampleOf(item, reading))
  for (const key of owner === "project" ? ["write", "hooks"] : []) {
    if (keys.has(key)) reading.slight.push({ at: keys.placeOf(key), key, ...LOOSENS })
  }
  const [first] = [...keys.troubles, ...reading.serious].map(problemOf)
  return {
    file,
    owner,
    isThere: true,
    write: owner === "user" ? write : null,
    rules,
    examples,
    hooks,
    problems: [...keys.troubles, ...reading.serious, ...reading.slight].map(problemOf).toSorted(byPlace),
    fault: first ?? null
  }
}

const HINT = "write { \"rules\": [ … ] }; until the file is correct, every call asks"

const LOOSENS = {
  detail: "a project's file can only ask and deny, so this is ignored",
  hint: "write it into the permissions.jsonc beside your own mcp.json"
}

/** The state of a reading: a `serious` mistake may have cost a restriction, a `slight` one cannot. */
interface Reading {
  readonly file: string
  readonly owner: Owner
  readonly serious: Array<Field.Trouble>
  readonly slight: Array<Field.Trouble>
}

interface Item {
  readonly node: JsonNode.JsonNode
  readonly key: string
}

const itemsOf = (keys: ObjectKeys, key: string): ReadonlyArray<Item> =>
  keys.take(key, (node) =>
    node.type === "array"
      ? Result.succeed(node.items.map((item, index) => ({ node: item, key: `${key}[${index}]` })))
      : Result.fail(Field.mismatch(node, key, { wanted: "a list", hint: `write "${key}": [ … ]` }))) ?? []

const ruleOf = ({ key, node }: Item, reading: Reading): ReadonlyArray<SourcedRule> => {
  const outcome = RuleText.outcomeOf(node)
  if (outcome === "allow" && reading.owner === "project") {
    reading.slight.push({ at: node.at, key, ...LOOSENS })
    return []
  }
  const rule = RuleText.read(node, key)
  if (Result.isSuccess(rule)) {
    return [{ ...rule.success, source: sourceOf(node, reading), onlyTightens: reading.owner === "project" }]
  }
  reading[outcome === "allow" ? "slight" : "serious"].push(...rule.failure)
  return []
}

const sourceOf = ({ at }: JsonNode.JsonNode, { file }: Reading): string => `${file}:${at.line}`

const hookOf = ({ key, node }: Item, reading: Reading): ReadonlyArray<Hook> => {
  if (node.type !== "object") return refused(Field.mismatch(node, key, HOOK), reading.serious)
  const keys = new ObjectKeys(node, key, ["command"])
  const [program = "", ...args] = keys.take("command", Field.texts.decode) ?? []
  if (program.trim() === "") keys.add({ at: node.at, key, detail: "expected a command", hint: HOOK.hint })
  reading.serious.push(...keys.troubles)
  return keys.troubles.length > 0 ? [] : [{ command: [program, ...args], source: sourceOf(node, reading) }]
}

const HOOK = { wanted: "a hook", hint: "write { \"command\": [\"PROGRAM\", \"ARGUMENT\"] }" }

const exampleOf = ({ key, node }: Item, reading: Reading): ReadonlyArray<Example> => {
  if (node.type !== "object") return refused(Field.mismatch(node, key, EXAMPLE), reading.slight)
  const keys = new ObjectKeys(node, key, ["tool", "args", "agent", "expect"])
  const tool = keys.take("tool", Field.text.decode)
  const args = keys.take("args", argumentsOf) ?? {}
  const agent = keys.take("agent", Field.text.decode)
  const expect = keys.take("expect", Field.choice(OUTCOMES).decode)
  for (const name of ["tool", "expect"]) {
    if (!keys.has(name)) keys.add({ at: node.at, key, detail: `"${name}" is missing`, hint: EXAMPLE.hint })
  }
  reading.slight.push(...keys.troubles)
  if (tool === null || expect === null || keys.troubles.length > 0) return []
  return [{ tool, args, agent, expect, source: sourceOf(node, reading) }]
}

const EXAMPLE = {
  wanted: "an example",
  hint: "write { \"tool\": \"NAME\", \"args\": {}, \"expect\": \"deny\" }"
}

const argumentsOf = (node: JsonNode.JsonNode, key: string): Result.Result<Schema.JsonObject, Field.Trouble> => {
  const value = JsonNode.toValue(node)
  return JsonObjectText.isObject(value)
    ? Result.succeed(value)
    : Result.fail(Field.mismatch(node, key, { wanted: "an object", hint: "write { \"ARGUMENT\": VALUE }" }))
}

const refused = (trouble: Field.Trouble, among: Array<Field.Trouble>): ReadonlyArray<never> => {
  among.push(trouble)
  return []
}

const byPlace = (one: FileProblem, other: FileProblem): number =>
  (one.line ?? 0) - (other.line ?? 0) || (one.column ?? 0) - (other.column ?? 0)
