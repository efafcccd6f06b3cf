/** The rule that a form stands for, as permissions.jsonc has it. Pure. */
import type { JsonObject } from "../api/Types.ts"

/** The fields of a new rule; empty where the rule leaves it open. */
export interface RuleDraft {
  readonly outcome: string
  /** Patterns with commas between them. */
  readonly tools: string
  readonly class: string
  readonly server: string
  readonly agent: string
}

/** Null where no tool is named. */
export const ruleOf = ({ outcome, tools, ...narrowing }: RuleDraft): JsonObject | null => {
  const patterns = tools.split(",").map((pattern) => pattern.trim()).filter((pattern) => pattern !== "")
  const [only] = patterns
  if (only === undefined) return null
  return {
    [outcome]: patterns.length === 1 ? only : patterns,
    ...Object.fromEntries(Object.entries(narrowing).filter(([, value]) => value !== ""))
  }
}
