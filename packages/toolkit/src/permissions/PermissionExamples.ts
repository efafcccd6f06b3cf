/** The examples of a file, run: each is a call, and what the rules must make of it. */
import type { Outcome, Subject } from "./PermissionRule.ts"
import * as PermissionTable from "./PermissionTable.ts"
import type { Call, Table, Verdict } from "./PermissionTable.ts"
import type { Example } from "./PermissionText.ts"

/** The facts about its tool that an example needs. */
export interface ExampleTool extends Pick<Subject, "name" | "server" | "class"> {
  /** `writes` of the server's entry. */
  readonly writes?: Call["writes"]
}

/** An example that came out in another way. */
export interface FailedExample {
  readonly example: Example
  readonly outcome: Outcome
  readonly verdict: Verdict
}

/** The outcome of the examples. */
export interface ExampleReport {
  /** How many came out as expected. */
  readonly passed: number
  readonly failed: ReadonlyArray<FailedExample>
  /** Those whose tool nobody knows: its server may not be there now. */
  readonly unknown: ReadonlyArray<Example>
}

/** Runs examples with the rules and the write mode of a table, without grants, at a time in milliseconds since 1970. */
export const run = (
  table: Table,
  examples: ReadonlyArray<Example>,
  tools: ReadonlyArray<ExampleTool>,
  now: number
): ExampleReport => {
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  const results = examples.map((example) => {
    const tool = byName.get(example.tool)
    return { example, verdict: tool === undefined ? null : verdictOf(table, example, tool, now) }
  })
  return {
    passed: results.filter(({ example, verdict }) => verdict?.outcome === example.expect).length,
    failed: results.flatMap(({ example, verdict }) =>
      verdict === null || verdict.outcome === example.expect ? [] : [{ example, outcome: verdict.outcome, verdict }]
    ),
    unknown: results.filter(({ verdict }) => verdict === null).map(({ example }) => example)
  }
}

const verdictOf = (table: Table, { agent, args }: Example, tool: ExampleTool, now: number): Verdict => {
  const writes = tool.writes ?? null
  const mode = PermissionTable.modeOf({ entry: writes, chat: null, file: table.write, now })
  return PermissionTable.decide({ ...table, grants: [] }, { ...tool, writes, args, agent, now, mode, print: null })
}
