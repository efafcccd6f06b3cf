/** One rule as a file has it, key by key. */
import { Field, JsonNode } from "@boocode/mcp-config/Fields"
import { ToolGlob } from "@boocode/tool-glob"
import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Conditions from "./Conditions.ts"
import type { Where } from "./Conditions.ts"
import { type Decode, ObjectKeys } from "./ObjectKeys.ts"
import { CLASSES, type Outcome, OUTCOMES, type Rule, type ToolClass } from "./PermissionRule.ts"

const KEYS = [...OUTCOMES, "class", "server", "agent", "where", "until", "note"]

/** Reads a rule. Fails with all that is wrong with it. */
export const read = (node: JsonNode.JsonNode, key: string): Result.Result<Rule, ReadonlyArray<Field.Trouble>> => {
  if (node.type !== "object") return Result.fail([Field.mismatch(node, key, RULE)])
  const keys = new ObjectKeys(node, key, KEYS)
  const outcomes = OUTCOMES.filter((outcome) => keys.has(outcome))
  const [outcome] = outcomes
  if (outcome === undefined || outcomes.length > 1) {
    keys.add({ at: node.at, key, detail: `expected one of ${inQuotes(OUTCOMES)}`, hint: RULE.hint })
  }
  const rule = {
    outcome: outcome ?? "deny",
    tools: ToolGlob.compile(outcomes.flatMap((one) => keys.take(one, patterns) ?? [])),
    classes: keys.take("class", classes),
    servers: compiled(keys.take("server", patterns)),
    agents: keys.take("agent", names),
    where: keys.take("where", where) ?? {},
    until: keys.take("until", until),
    note: keys.take("note", Field.text.decode)
  }
  return keys.troubles.length === 0 ? Result.succeed(rule) : Result.fail(keys.troubles)
}

/** The outcome that a rule is written for; null where it is not one rule with one outcome. */
export const outcomeOf = (node: JsonNode.JsonNode): Outcome | null => {
  const written = node.type === "object" ? node.members.map((member) => member.key) : []
  const [outcome, ...others] = OUTCOMES.filter((one) => written.includes(one))
  return others.length > 0 ? null : outcome ?? null
}

const inQuotes = (words: ReadonlyArray<string>): string => words.map((word) => `"${word}"`).join(", ")

const RULE = { wanted: "a rule", hint: "write { \"deny\": \"PATTERN\" }, or \"ask\" or \"allow\"" }

const names: Decode<ReadonlyArray<string>> = (node, key) =>
  Result.flatMap(Field.names.decode(node, key), (all) =>
    all.length > 0 && all.every((name) => name.trim() !== "")
      ? Result.succeed(all)
      : Result.fail({ at: node.at, key, detail: "it names nothing", hint: "leave the key out, or write a name" }))

const patterns: Decode<ReadonlyArray<string>> = (node, key) =>
  Result.flatMap(names(node, key), (all) =>
    all.every(ToolGlob.isDenial)
      ? Result.fail({ at: node.at, key, detail: "exceptions alone name nothing", hint: "put \"*\" first" })
      : Result.succeed(all))

const compiled = (list: ReadonlyArray<string> | null) => list === null ? null : ToolGlob.compile(list)

const isClass = (name: string): name is ToolClass => CLASSES.some((one) => one === name)

const classes: Decode<ReadonlyArray<ToolClass>> = (node, key) =>
  Result.flatMap(names(node, key), (all) => {
    const known = all.filter(isClass)
    if (known.length === all.length) return Result.succeed(known)
    return Result.fail({
      at: node.at,
      key,
      detail: "there is no such class",
      hint: `write one of ${inQuotes(CLASSES)}`
    })
  })

const where: Decode<Where> = (node, key) => {
  if (node.type !== "object") return Result.fail(Field.mismatch(node, key, WHERE))
  const keys = new ObjectKeys(node, key, node.members.map((member) => member.key))
  const conditions = node.members.flatMap((member) => {
    const found = keys.take(member.key, wanted)
    return found === null ? [] : [[member.key, found] as const]
  })
  const [trouble] = keys.troubles
  return trouble === undefined ? Result.succeed(Object.fromEntries(conditions)) : Result.fail(trouble)
}

const WHERE = { wanted: "an object of conditions", hint: "write { \"ARGUMENT\": \"PATTERN\" }" }

const decodeWanted = Schema.decodeUnknownResult(Conditions.Wanted, { onExcessProperty: "error" })

const wanted: Decode<Conditions.Wanted> = (node, key) => {
  if (node.type === "string" && node.value.startsWith("!")) {
    const hint = "write a second rule for the exception"
    return Result.fail({ at: node.at, key, detail: "a condition has no exceptions", hint })
  }
  return Result.mapError(decodeWanted(JsonNode.toValue(node)), () => Field.mismatch(node, key, WANTED))
}

const WANTED = {
  wanted: "a pattern, or an object with \"in\", or with \"min\" or \"max\"",
  hint: "write \"notes/*\", { \"in\": [\"one\", \"two\"] } or { \"max\": 10 }"
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/

const until: Decode<number> = (node, key) =>
  Result.flatMap(Field.text.decode(node, key), (text) => {
    const time = TIME.test(text) ? DateTime.make(text) : Option.none()
    return Result.fromOption(Option.map(time, DateTime.toEpochMillis), () => ({
      at: node.at,
      key,
      detail: "expected a time with its zone",
      hint: "write 2026-12-31T18:00:00Z or 2026-12-31T18:00:00+01:00"
    }))
  })
