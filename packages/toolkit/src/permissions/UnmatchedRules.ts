/** Rules that are about no tool, which most often is a slip of the pen. */
import { Nearest } from "@boocode/mcp-config"
import * as PermissionRule from "./PermissionRule.ts"
import type { SourcedRule, Subject } from "./PermissionRule.ts"

/** A rule that is about no tool. */
export interface UnmatchedRule {
  readonly rule: SourcedRule
  /** The names that may have been meant, the nearest first, three at most. */
  readonly nearest: ReadonlyArray<string>
  /** Such as `it matches no tool of 43; did you mean files_write_file?`. */
  readonly message: string
}

/**
 * The rules that are about none of these tools. Ask once servers settled, with rejected and built-in tools as well. Agents
 * and arguments do not count. A rule that is over is not reported.
 */
export const find = (
  rules: ReadonlyArray<SourcedRule>,
  tools: ReadonlyArray<Pick<Subject, "name" | "server" | "class">>,
  now: number
): ReadonlyArray<UnmatchedRule> =>
  rules.flatMap((rule) => {
    if (PermissionRule.isOver(rule.until, now)) return []
    const named = tools.filter(({ name }) => rule.tools.allows(name))
    const anyAgent = { ...rule, agents: null }
    if (named.some((tool) => PermissionRule.unfit(anyAgent, { ...tool, agent: null, now }) === null)) return []
    const [first] = named
    if (first !== undefined) {
      const because = PermissionRule.unfit(anyAgent, { ...first, agent: null, now })
      return [{ rule, nearest: [], message: `it names ${first.name}, but ${because}` }]
    }
    const nearest = nearestTo(rule, tools.map(({ name }) => name))
    const advice = nearest.length === 0 ? "" : `; did you mean ${nearest.join(" or ")}?`
    return [{ rule, nearest, message: `it matches no tool of ${tools.length}${advice}` }]
  })

const nearestTo = ({ tools }: SourcedRule, names: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...new Set(tools.patterns.flatMap((pattern) => nearestToPattern(pattern.replaceAll("!", ""), names)))].slice(0, 3)

/** For a pattern with a star behind it, the beginning is compared with the beginnings of names. */
const nearestToPattern = (pattern: string, names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const words = pattern.replaceAll("*", "")
  if (pattern !== `${words}*`) return Nearest.nearest(words, names)
  return Nearest.nearest(words, names.map((name) => name.slice(0, words.length)))
    .flatMap((head) => names.filter((name) => name.startsWith(head)))
}
