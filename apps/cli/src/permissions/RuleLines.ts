/** Rules and what they decide, as `permissions` shows them to people. */
import type { PermissionRule } from "@boocode/toolkit"
import { wrapped } from "../terminal/Layout.ts"
import { counted, local, oneLine, pad, type Paint } from "../terminal/Output.ts"
import type {
  Asked,
  Explained,
  FailedExample,
  ListedGrant,
  ListedRule,
  RuleDocument,
  RuleList,
  TestReport
} from "./RuleSource.ts"

type Outcome = PermissionRule.Outcome

/** The file, the write mode, then the rules with their places, and what a person allowed. */
export const listLines = (list: RuleList, paint: Paint, columns: number): ReadonlyArray<string> => [
  `${oneLine(list.file, 400)}, write mode ${paint.bold(list.write)}`,
  ...(list.rules.length === 0 ? ["", "  no rules"] : [""]),
  ...list.rules.flatMap((rule) => ruleLines(rule, paint, columns)),
  ...(list.grants.length === 0 ? [] : ["", paint.bold("  allowed by you"), ""]),
  ...list.grants.flatMap((grant) => grantLines(grant, columns)),
  ...(list.examples.length === 0
    ? []
    : ["", paint.dim(paint.typed(`  ${counted(list.examples.length, "example")}; boocode permissions test runs them`))])
]

const WORD = 5
const LEAD = " ".repeat(2 + WORD + 2)

const ruleLines = (rule: ListedRule, paint: Paint, columns: number): ReadonlyArray<string> => [
  ...worded(rule, paint, columns),
  ...(rule.problem === null ? [] : wrapped(oneLine(rule.problem, 400), columns, LEAD).map(paint.careful))
]

/** The outcome, the rest of the rule, its note, and the place on a line of its own. */
const worded = (rule: RuleDocument, paint: Paint, columns: number, because = ""): ReadonlyArray<string> => {
  const [first = "", ...rest] = wrapped(oneLine(rule.text.slice(rule.outcome.length), 2000), columns, LEAD)
  const place = [oneLine(rule.source, 400), ...(rule.note === null ? [] : [oneLine(rule.note, 400)])].join("  ")
  return [
    `  ${colour(rule.outcome, paint)(pad(rule.outcome, WORD))}  ${first.slice(LEAD.length)}`,
    ...rest,
    ...wrapped(because === "" ? place : `${place}: ${because}`, columns, LEAD).map(paint.dim)
  ]
}

const colour = (outcome: Outcome, paint: Paint): (text: string) => string =>
  outcome === "allow" ? paint.good : outcome === "ask" ? paint.careful : paint.bad

const grantLines = ({ name, since, until, where }: ListedGrant, columns: number): ReadonlyArray<string> => {
  const conditions = where === undefined ? "" : ` where ${oneLine(JSON.stringify(where), 400)}`
  const end = until === undefined ? "" : `, until ${local(until, "short")}`
  return wrapped(`${oneLine(name)}${conditions}, since ${local(since, "short")}${end}`, columns, "  ", "    ")
}

/** The outcome for a call, its reason, and the other rules that name the tool. */
export const explainedLines = (
  { args, tool }: Pick<Asked, "args" | "tool">,
  explained: Explained,
  paint: Paint,
  columns: number
): ReadonlyArray<string> => {
  const { applies, mode, others, outcome, rule, why } = explained
  const also = applies.filter((one) => one.source !== rule?.source || one.text !== rule.text)
  return [
    ...wrapped(`${oneLine(tool)} ${oneLine(JSON.stringify(args), 400)}`, columns, "", "  "),
    `  ${colour(outcome, paint)(outcome)}, because`,
    ...wrapped(oneLine(why, 2000), columns, "    "),
    paint.dim(`  class ${explained.class}, write mode ${mode}`),
    ...(also.length === 0 ? [] : ["", "  rules that apply as well"]),
    ...also.flatMap((one) => worded(one, paint, columns)),
    ...(others.length === 0 ? [] : ["", "  rules that name it and do not apply"]),
    ...others.flatMap((other) => worded(other.rule, paint, columns, other.because))
  ]
}

/** The examples that failed, and how many did. */
export const testLines = (
  { failed, passed }: TestReport,
  paint: Paint,
  columns: number
): ReadonlyArray<string> => [
  ...failed.flatMap((example) => failedLines(example, paint, columns)),
  ...(failed.length === 0 ? [] : [""]),
  failed.length === 0 && passed === 0
    ? "there are no examples"
    : `${counted(passed, "example")} passed, ${failed.length} failed`
]

const failedLines = (
  { agent, args, expect, outcome, source, tool, why }: FailedExample,
  paint: Paint,
  columns: number
): ReadonlyArray<string> => {
  const call = `${oneLine(tool)} ${oneLine(JSON.stringify(args), 400)}${agent === null ? "" : ` by ${oneLine(agent)}`}`
  const found = outcome === null ? "not tried" : `expected ${expect}, found ${outcome}`
  return [
    ...wrapped(`${paint.bad("✗")} ${call}`, columns, "  ", "    "),
    ...wrapped(`${found}: ${oneLine(why, 2000)}`, columns, "    "),
    paint.dim(`    ${oneLine(source, 400)}`)
  ]
}
