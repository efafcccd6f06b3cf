/** What runs of the suite come to: the table, and what is not as it should be. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { open } from "./Open.ts"
import * as Resident from "./Resident.ts"
import * as Suite from "./Suite.ts"

export interface Result extends Suite.Verdict {
  readonly selection: Suite.Selection
}

/** Runs each selection with a client that lives through all of them, or with another command. */
export const of = (
  selections: ReadonlyArray<Suite.Selection>,
  command: Effect.Effect<string, never, Scope.Scope> = Resident.command
) =>
  Effect.gen(function*() {
    const client = yield* command
    const results = yield* Effect.forEach(selections, (selection) =>
      Effect.map(
        unhurried(selection, client),
        (verdicts) => verdicts.map((verdict): Result => ({ ...verdict, selection }))
      ))
    return results.flat()
  }).pipe(Effect.scoped)

/** A scenario that measures time fails on a machine that does something else meanwhile, so it is tried again. */
const unhurried = (
  selection: Suite.Selection,
  command: string,
  more = MOST_MORE
): Effect.Effect<ReadonlyArray<Suite.Verdict>> =>
  Effect.flatMap(Suite.run(selection, command), (verdicts) => {
    const failed = verdicts.filter(({ isPassed, scenario }) => !isPassed && !isOpen(scenario))
    const isHurry = failed.length > 0 && failed.every(({ scenario }) => Resident.ALONE.includes(scenario))
    return isHurry && more > 0 ? unhurried(selection, command, more - 1) : Effect.succeed(verdicts)
  })

const MOST_MORE = 3

const isOpen = (scenario: string) => open.some((one) => one.scenario === scenario)

/** Scored scenarios that failed, others that failed and are not listed as open, and listed ones that pass. */
export const troubles = (results: ReadonlyArray<Result>): ReadonlyArray<string> => [
  ...results.filter(({ isPassed, isScored, scenario }) => !isPassed && (isScored || !isOpen(scenario))).map(
    ({ scenario, selection, trouble }) => [`${scenario} (${selection})`, ...trouble].join("\n    ")
  ),
  ...results.filter(({ isPassed, scenario }) => isPassed && isOpen(scenario)).map(
    ({ scenario, selection }) => `${scenario} (${selection}) is listed as open, and passes`
  )
]

/** As `docs/conformance.md` has it. */
export const table = (results: ReadonlyArray<Result>): string => {
  const scenarios = [...new Set(results.map(({ scenario }) => scenario))].sort()
  return [
    `| scenario | ${Suite.SELECTIONS.join(" | ")} |`,
    `|${" --- |".repeat(Suite.SELECTIONS.length + 1)}`,
    ...scenarios.map((scenario) => `| ${[scenario, ...Suite.SELECTIONS.map(cell(results, scenario))].join(" | ")} |`),
    "",
    ...open.map(({ reason, scenario }) => `- ${scenario}: ${reason}.`)
  ].join("\n")
}

const cell = (results: ReadonlyArray<Result>, scenario: string) => (selection: Suite.Selection) => {
  const result = results.find((one) => one.scenario === scenario && one.selection === selection)
  if (result === undefined) return ""
  const word = result.isPassed ? "passes" : isOpen(scenario) ? "open" : "fails"
  return result.isScored ? `**${word}**` : word
}
