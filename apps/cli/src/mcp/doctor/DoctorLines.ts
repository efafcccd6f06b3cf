/** What `mcp doctor` found, as people read it. */
import { indented, oneLine, pad, type Paint } from "../../terminal/Output.ts"
import type { Diagnosis, Finding, ServerDiagnosis, Step } from "./Evidence.ts"
import { countTool } from "./Findings.ts"

/** One line for a server with which nothing is wrong, every step of the others; verbose every step of all. */
export const doctorLines = (
  { problems, servers }: Diagnosis,
  isVerbose: boolean,
  paint: Paint
): ReadonlyArray<string> => [
  ...problems.flatMap((problem) => [...fileLines(problem, paint), ""]),
  ...(servers.length === 0 ? ["no servers are configured"] : [
    ...spaced(servers.map((server) => serverLines(server, isVerbose || isWrong(server), paint))),
    "",
    summary(servers, !isVerbose && servers.some((server) => !isWrong(server)))
  ])
]

const isWrong = ({ steps, verdict }: ServerDiagnosis): boolean =>
  verdict === "problem" || steps.some(({ outcome }) => outcome === "problem" || outcome === "warning")

/** An empty line before and after what has more than one. */
const spaced = (blocks: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> =>
  blocks.flatMap((block, index) => {
    const isApart = index > 0 && (block.length > 1 || (blocks[index - 1]?.length ?? 0) > 1)
    return isApart ? ["", ...block] : block
  })

const fileLines = ({ hint, message }: Finding, paint: Paint): ReadonlyArray<string> => [
  `${paint.bad("problem")}  ${oneLine(message, 600)}`,
  ...(hint === null ? [] : [`${" ".repeat(OUTCOME_WIDTH)}  ${oneLine(hint, 400)}`])
]

const OUTCOME_WIDTH = 7
const STEP_WIDTH = 14
const INDENT = " ".repeat(OUTCOME_WIDTH + 4)
const STDERR_LINES = 10

const serverLines = (server: ServerDiagnosis, hasSteps: boolean, paint: Paint): ReadonlyArray<string> => [
  [
    paint.bold(oneLine(server.name)),
    verdictColour(server.verdict, paint)(server.verdict),
    ...(server.verdict === "healthy"
      ? [countTool(server.tools, "tool", "tools"), `${server.tokens} tokens`, millis(server.millis)]
      : []),
    ...(hasSteps ? [] : notes(server))
  ].join("  ").trimEnd(),
  ...(hasSteps ? allSteps(server, paint) : [])
]

const allSteps = ({ steps }: ServerDiagnosis, paint: Paint): ReadonlyArray<string> => [
  ...steps.flatMap((step) => step.outcome === "skipped" ? [] : stepLines(step, paint)),
  ...skippedLines(steps, paint)
]

/** How many notes stand among the steps that are not shown. */
const notes = ({ steps }: ServerDiagnosis): ReadonlyArray<string> => {
  const all = steps.flatMap(({ findings }) => findings)
  return all.length === 0 ? [] : [countTool(all.length, "note", "notes")]
}

const skippedLines = (steps: ReadonlyArray<Step>, paint: Paint): ReadonlyArray<string> => {
  const skipped = steps.filter(({ outcome }) => outcome === "skipped").map(({ step }) => step)
  return skipped.length === 0 ? [] : [paint.dim(`  ${pad("", OUTCOME_WIDTH)}  not come to: ${skipped.join(", ")}`)]
}

const verdictColour = (verdict: ServerDiagnosis["verdict"], paint: Paint): (text: string) => string =>
  verdict === "healthy" ? paint.good : verdict === "problem" ? paint.bad : paint.dim

const stepLines = (step: Step, paint: Paint): ReadonlyArray<string> => [
  [
    `  ${outcomeColour(step.outcome, paint)(pad(step.outcome, OUTCOME_WIDTH))}`,
    pad(step.step, STEP_WIDTH),
    [oneLine(step.detail ?? "", 200), paint.dim(millis(step.millis))].filter((text) => text !== "").join("  ")
  ].join("  ").trimEnd(),
  ...step.findings.flatMap((finding) => findingLines(finding, paint))
]

const outcomeColour = (outcome: Step["outcome"], paint: Paint): (text: string) => string => {
  if (outcome === "problem") return paint.bad
  return outcome === "warning" ? paint.careful : paint.good
}

const findingLines = ({ hint, level, message, stderr }: Finding, paint: Paint): ReadonlyArray<string> => {
  const colour = level === "problem" ? paint.bad : level === "warning" ? paint.careful : paint.dim
  return [
    `${INDENT}${colour(oneLine(message, 600))}`,
    ...(hint === null ? [] : [`${INDENT}${oneLine(hint, 400)}`]),
    ...(stderr === null ? [] : indented(stderr, `${INDENT}  | `).slice(-STDERR_LINES).map(paint.dim))
  ]
}

const millis = (value: number | null): string => value === null ? "" : `${Math.round(value)} ms`

const summary = (servers: ReadonlyArray<ServerDiagnosis>, isShort: boolean): string => {
  const by = (verdict: ServerDiagnosis["verdict"]) => servers.filter((server) => server.verdict === verdict).length
  return `${countTool(servers.length, "server", "servers")}: ${by("healthy")} healthy, ${by("disabled")} disabled, ` +
    `${by("problem")} with a problem${isShort ? "; --verbose shows every step" : ""}`
}
