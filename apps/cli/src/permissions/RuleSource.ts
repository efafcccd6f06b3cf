/** The rules of permissions as the verbs see them: those of this person's files, or those of a running server. */
import type { Grant } from "@boocode/chat"
import type { ToolClass } from "@boocode/mcp-registry"
import type { PermissionRule } from "@boocode/toolkit"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { Failed } from "../terminal/Failure.ts"

/** A rule as `--json` and HTTP give it. */
export type RuleDocument = ReturnType<typeof PermissionRule.toJson> & {
  /** The rule in words, such as `deny files_* where path is secrets/*`. */
  readonly text: string
}

/** A rule of a list. */
export type ListedRule = RuleDocument & {
  /** Why it is about no tool; null where it is about one, or where that cannot be told now. */
  readonly problem: string | null
}

/** A problem of a file. */
export type FileProblem = {
  readonly file: string
  readonly line: number | null
  readonly column: number | null
  readonly key: string | null
  /** Names the file, the line and the key. */
  readonly message: string
  readonly hint: string
}

/** A grant that a person gave in every chat. */
export type ListedGrant = Grant

export type ExampleDocument = {
  readonly tool: string
  readonly args: Schema.JsonObject
  readonly agent: string | null
  readonly expect: PermissionRule.Outcome
  readonly source: string
}

export type RuleList = {
  /** A person's own file. */
  readonly file: string
  readonly write: PermissionRule.WriteMode
  readonly rules: ReadonlyArray<ListedRule>
  readonly grants: ReadonlyArray<ListedGrant>
  readonly examples: ReadonlyArray<ExampleDocument>
  readonly problems: ReadonlyArray<FileProblem>
}

/** A call to explain. */
export type Asked = {
  readonly tool: string
  readonly args: Schema.JsonObject
  /** Null for the agent of the chat; without a chat, for one that no rule names. */
  readonly agent: string | null
  /** The id of the chat that it is made in; null for none. */
  readonly chat: string | null
}

export type Explained = {
  readonly outcome: PermissionRule.Outcome
  /** The rule that decided; null where none did. */
  readonly rule: RuleDocument | null
  readonly source: string
  /** The reason, in words that go after `because`. */
  readonly why: string
  readonly class: ToolClass.ToolClass
  readonly mode: PermissionRule.WriteMode
  /** The rules that apply to the call, the strictest first. */
  readonly applies: ReadonlyArray<RuleDocument>
  /** The rules that name the tool and do not apply. */
  readonly others: ReadonlyArray<{ readonly rule: RuleDocument; readonly because: string }>
}

export type FailedExample = ExampleDocument & {
  /** Null where the example could not be run, because nobody knows its tool. */
  readonly outcome: PermissionRule.Outcome | null
  readonly why: string
}

export type TestReport = {
  /** How many examples came out as they should. */
  readonly passed: number
  readonly failed: ReadonlyArray<FailedExample>
  /** The problems of the files. */
  readonly problems: ReadonlyArray<FileProblem>
}

export class RuleSource extends Context.Service<RuleSource, {
  /** Every rule that holds, where it comes from, and what is wrong. Waits for the servers if there is a rule to compare. */
  readonly list: Effect.Effect<RuleList, Failed>
  /** The outcome for a call, with its reason. Waits for the server of the tool. */
  readonly explain: (asked: Asked) => Effect.Effect<Explained, Failed>
  /** Runs the examples of the files. Waits for the servers of their tools. */
  readonly test: Effect.Effect<TestReport, Failed>
}>()("cli/RuleSource") {}
