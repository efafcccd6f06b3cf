/**
 * opencode's rules about tools, `{ "permission": { "github_*": "ask" } }`: those about one server's tools are that
 * server's `tools` and `ask` here.
 */
import type { JsonNode, Member } from "../JsonNode.ts"
import { byKey, type ObjectNode } from "./EntryReader.ts"
import * as Nodes from "./Nodes.ts"
import type { Found } from "./Shape.ts"
import { nothing, type Translation } from "./Translation.ts"

type Answer = "allow" | "ask" | "deny"

interface Rule {
  readonly pattern: string
  /** Null when it is not one of opencode's answers. */
  readonly answer: Answer | null
  readonly member: Member
  readonly path: string
}

/** The rules of a file, in the order in which a later one beats an earlier one. */
export const rulesOf = (root: ObjectNode): ReadonlyArray<Rule> =>
  ["tools", "permission"].flatMap((key) => {
    const value = byKey(root.members).get(key)?.value
    const members = value?.type === "object" ? value.members : []
    return members.map((member) => ({
      pattern: member.key,
      answer: answerOf(member.value),
      member,
      path: `${key}.${member.key}`
    }))
  })

const answerOf = (node: JsonNode): Answer | null => {
  if (node.type === "boolean") return node.value ? "allow" : "deny"
  const word = node.type === "string" ? node.value : ""
  return word === "allow" || word === "ask" || word === "deny" ? word : null
}

/** Says the rules about an entry's tools. A rule that cannot be read denies: it was there to forbid something. */
export const apply = (entry: Translation, rules: ReadonlyArray<Rule>): void => {
  const prefix = `${entry.name.replace(/[^a-zA-Z0-9_-]/g, "_")}_`
  const own = rules.filter((rule) => rule.pattern.startsWith(prefix))
  const [first] = own
  if (first === undefined || entry.has("tools") || entry.has("ask")) return
  const patternOf = ({ pattern }: Rule) => pattern.slice(prefix.length).replaceAll("?", "*")
  const tools = own.map((rule) => `${rule.answer === "deny" || rule.answer === null ? "!" : ""}${patternOf(rule)}`)
  if (tools.some((pattern) => pattern.startsWith("!"))) {
    const all = tools[0] === "*" ? tools : ["*", ...tools]
    entry.say("tools", texts(all, first), first.member, first.path)
  }
  const ask = own.map((rule) => `${rule.answer === "ask" ? "" : "!"}${patternOf(rule)}`)
  if (ask.some((pattern) => !pattern.startsWith("!"))) entry.say("ask", texts(ask, first), first.member, first.path)
  for (const rule of own.filter((one) => one.pattern.includes("?"))) {
    entry.note(rule.member.at, rule.path, "a \"?\" stands for any run of characters here")
  }
}

const texts = (values: ReadonlyArray<string>, { member }: Rule): JsonNode =>
  Nodes.list(values.map((value) => Nodes.text(value, member.at)), member.at)

/** A note on the first rule that may be about tools of several servers, or of none. */
export const general = (rules: ReadonlyArray<Rule>): ReadonlyArray<Found> => {
  const rule = rules.find(({ answer, pattern }) => answer !== "allow" && /^[^_]*\*/.test(pattern))
  if (rule === undefined) return []
  const detail = "a rule about the tools of more than one server is not read; set \"tools\" and \"ask\" of each server"
  return [nothing(rule.member.at, rule.path, detail)]
}
