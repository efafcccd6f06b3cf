/**
 * Decides about a call: one pure function over one table. A writer with write mode off is denied. Then come any deny, a
 * person's yes, any ask, any allow, and at last the default of class and mode. The order of rules does not matter.
 */
import { ToolClass as RegisteredClass } from "@boocode/mcp-registry"
import * as Conditions from "./Conditions.ts"
import type { Given } from "./Conditions.ts"
import * as PermissionRule from "./PermissionRule.ts"
import type { Grant, Outcome, SourcedRule, Subject, ToolClass, WriteMode } from "./PermissionRule.ts"

/** All that decides about calls. */
export interface Table {
  /** The mode where a chat has none of its own. */
  readonly write: WriteMode
  readonly rules: ReadonlyArray<SourcedRule>
  /** The grants: answers of people that hold for longer than one call. */
  readonly grants: ReadonlyArray<Grant>
  /**
   * The problem of a file that may have held rules; null for none. While it is there neither a rule nor a grant allows
   * anything: every call asks that is not denied.
   */
  readonly fault: string | null
}

/** A call to decide about. */
export interface Call extends Subject, Given {
  /** The write mode that holds for this call: see `modeOf`. */
  readonly mode: WriteMode
  /** `writes` of the server's entry: a person said there that writers ask. */
  readonly writes?: "off" | "ask" | null | undefined
  /** The hash of the tool as it is now, which grants are bound to; null where none can hold. */
  readonly print: string | null
}

/** The verdict about a call, with its reason. */
export interface Verdict {
  readonly outcome: Outcome
  /** The rule that decided; null where none did. */
  readonly rule: SourcedRule | null
  /** The grant that decided; null where none did. */
  readonly grant: Grant | null
  /** The place of the rule, `a person's yes of …`, `write mode off`, or `default`. */
  readonly source: string
  /** The reason in words that go after `because`, such as `no rule allows it`. */
  readonly why: string
  readonly class: ToolClass
  readonly mode: WriteMode
}

/** A verdict with every rule about the tool. */
export interface Explanation extends Verdict {
  /** The rules that apply to the call, the strictest outcome first. */
  readonly applies: ReadonlyArray<SourcedRule>
  /** The rules that name the tool and do not apply, with the reason. */
  readonly others: ReadonlyArray<{ readonly rule: SourcedRule; readonly because: string }>
}

/** Whether tools of a class are never called with write mode off. */
export const { isWriter } = RegisteredClass

/** The choices that make the write mode of a call. */
export interface Modes {
  /** `writes` of the server's entry. */
  readonly entry: "off" | "ask" | null
  /** The mode that a person chose for the chat, and when that ends, in milliseconds since 1970; null for none. */
  readonly chat: { readonly mode: WriteMode; readonly until: number | null } | null
  /** `write` of permissions.jsonc. */
  readonly file: WriteMode
  /** Milliseconds since 1970. */
  readonly now: number
}

/**
 * The write mode of a call. `writes: "off"` of the entry wins, then what the chat is set to until that ends, then the
 * file's. `writes: "ask"` of the entry makes `ask` of a file that is off; a chat that a person switched off stays off.
 */
export const modeOf = ({ chat, entry, file, now }: Modes): WriteMode => {
  if (entry === "off") return "off"
  if (chat !== null && !PermissionRule.isOver(chat.until, now)) return chat.mode
  return file === "off" && entry === "ask" ? "ask" : file
}

/** Decides about a call. Pure, and total: there is always a verdict. */
export const decide = (table: Table, call: Call): Verdict => judge(table, call, Conditions.unmet)

/** Decides, and tells every rule that names the tool: those that apply, and why the others do not. */
export const explain = (table: Table, call: Call): Explanation => {
  const named = table.rules.filter((rule) => rule.tools.allows(call.name))
    .map((rule) => ({ rule, because: reasonAgainst(rule, call, Conditions.unmet) }))
  return {
    ...decide(table, call),
    applies: PermissionRule.OUTCOMES.flatMap((outcome) =>
      named.filter(({ because, rule }) => because === null && rule.outcome === outcome).map(({ rule }) => rule)
    ),
    others: named.flatMap(({ because, rule }) => because === null ? [] : [{ rule, because }])
  }
}

/**
 * Whether some call of this tool can come to more than a denial: one that cannot is not offered. Conditions count as met
 * for what allows or asks, and as unmet for what denies.
 */
export const isOffered = (table: Table, call: Omit<Call, "args" | "real">): boolean =>
  judge(
    table,
    { ...call, args: {} },
    (where, _, __, outcome) =>
      outcome !== "deny" || Object.keys(where).length === 0 ? null : "it depends on the arguments"
  ).outcome !== "deny"

type Judge = (...args: [...Parameters<typeof Conditions.unmet>, Outcome]) => string | null

/** Why a rule that names the tool does not apply to the call; null where it does. */
const reasonAgainst = (rule: SourcedRule, call: Call, unmet: Judge): string | null =>
  PermissionRule.unfit(rule, call) ?? unmet(rule.where, call, rule.outcome === "allow", rule.outcome)

const judge = (table: Table, call: Call, unmet: Judge): Verdict => {
  const { class: kind, mode } = call
  const base = { class: kind, mode, rule: null, grant: null } as const
  if (isWriter(kind) && mode === "off") {
    return { ...base, outcome: "deny", source: "write mode off", why: "write mode is off" }
  }
  const first = (outcome: Outcome, isFit: (rule: SourcedRule) => boolean = () => true) =>
    table.rules.find((rule) =>
      rule.outcome === outcome && isFit(rule) && rule.tools.allows(call.name) &&
      reasonAgainst(rule, call, unmet) === null
    )
  const by = (rule: SourcedRule): Verdict => ({
    ...base,
    outcome: rule.outcome,
    rule,
    source: rule.source,
    why: `${rule.source} says ${PermissionRule.describe(rule)}`
  })
  const denied = first("deny")
  if (denied !== undefined) return by(denied)
  const fallback: Verdict = { ...base, source: "default", ...byDefault(call) }
  if (table.fault !== null) {
    return fallback.outcome === "deny" ? fallback : { ...base, outcome: "ask", source: table.fault, why: table.fault }
  }
  const grant = table.grants.find((one) =>
    one.print === call.print && !PermissionRule.isOver(one.until, call.now) &&
    unmet(one.where, call, true, "allow") === null
  )
  if (grant !== undefined) {
    const source = `a person's yes of ${grant.since}`
    return { ...base, outcome: "allow", grant, source, why: `of ${source}` }
  }
  const asked = first("ask", (rule) => !rule.onlyTightens)
  if (asked !== undefined) return by(asked)
  const allowed = first("allow")
  const otherwise = allowed === undefined ? fallback : by(allowed)
  const tightened = otherwise.outcome === "deny" ? undefined : first("ask")
  return tightened === undefined ? otherwise : by(tightened)
}

const byDefault = ({ class: kind, mode, writes }: Call): Pick<Verdict, "outcome" | "why"> => {
  if (!isWriter(kind)) return { outcome: "allow", why: "no rule is about it" }
  if (mode === "rules" && writes !== "ask") return { outcome: "deny", why: "no rule allows it" }
  return { outcome: "ask", why: `it ${kind}, and no rule allows it` }
}
