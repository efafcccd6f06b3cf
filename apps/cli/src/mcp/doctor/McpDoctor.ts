/** `mcp doctor`: checks every server step by step and says what to do. Ends with 1 when a server has a problem. */
import { McpConfig } from "@boocode/mcp-config"
import { McpRegistry, type ServerStatus } from "@boocode/mcp-registry"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { one, Servers } from "../../backend/Servers.ts"
import { served } from "../../backend/VerbContext.ts"
import { optionalArgument, switchFlag, targetFlags, verb } from "../../options/Options.ts"
import { Ended } from "../../terminal/Failure.ts"
import { counted, indented, oneLine, Output, pad, type Paint } from "../../terminal/Output.ts"
import type { Diagnosis, ServerDiagnosis } from "./Doctor.ts"
import type { Evidence, Finding, Step } from "./Evidence.ts"

export const doctor = Command.make(
  "doctor",
  {
    name: optionalArgument(Argument.String("NAME").pipe(Argument.withDescription("Only this server"))),
    isVerbose: switchFlag("verbose", "Show every step of healthy servers, too"),
    ...targetFlags
  },
  ({ isVerbose, name, ...target }) =>
    verb((options) =>
      served(
        options,
        target,
        Effect.gen(function*() {
          const { document, lines, paint } = yield* Output
          const { examine } = yield* Effect.promise(() => import("./Doctor.ts"))
          const diagnosis = examine(...yield* evidence(name))
          yield* options.json ? document(diagnosis) : lines(doctorLines(diagnosis, isVerbose, paint))
          if (!diagnosis.healthy) return yield* new Ended({ code: 1 })
        }),
        { isOverview: name === null, chosen: name }
      )
    )
).pipe(
  Command.withDescription("Check every server step by step and say what to do; exit 1 when a server has a problem")
)

const evidence = Effect.fnUntraced(function*(name: string | null) {
  const servers = yield* Servers
  // An unknown name fails before the command waits for anything.
  if (name !== null) yield* one(name)
  const { problems, servers: settled } = yield* servers.settled(name === null ? null : [name])
  yield* wakeOwn(settled, name)
  const all = yield* servers.all
  const { tools } = yield* servers.tools(null)
  const entries = yield* localEntries
  const found = all.filter((status) => name === null || status.name === name).map((status): Evidence => ({
    status,
    tools: tools.filter(({ server }) => server === status.name),
    servers: all.map((one) => one.name),
    entry: entries?.servers.find((entry) => entry.name === status.name) ?? null,
    hides: entries?.sources.filter(({ hidden }) => hidden.includes(status.name)).map(({ file }) => file) ?? []
  }))
  return [found, problems] as const
})

/** Starts idle servers of this command, which would show how they were the last time. */
const wakeOwn = Effect.fnUntraced(function*(all: ReadonlyArray<ServerStatus>, name: string | null) {
  const registry = Option.getOrNull(yield* Effect.serviceOption(McpRegistry))
  if (registry === null) return
  const asleep = all.filter((status) => status.idle && (name === null || status.name === name))
  // The status holds the failure.
  yield* Effect.forEach(asleep, (status) => Effect.ignore(registry.start(status.name)), {
    concurrency: "unbounded",
    discard: true
  })
})

/** The configuration of this command's servers; null for a running server. */
const localEntries = Effect.flatMap(
  Effect.serviceOption(McpConfig),
  Option.match({ onNone: () => Effect.succeed(null), onSome: ({ current }) => current })
)

/** One line for a healthy server, every step of the others; verbose shows every step of all. */
export const doctorLines = (
  { problems, servers }: Diagnosis,
  isVerbose: boolean,
  paint: Paint
): ReadonlyArray<string> => [
  ...problems.flatMap((problem) => [...fileLines(problem, paint), ""]),
  ...(servers.length === 0 ? ["no servers are configured"] : [
    ...spaced(servers.map((server) => serverBlock(server, isVerbose || isWrong(server), paint))),
    "",
    summary(servers, !isVerbose && servers.some((server) => !isWrong(server)))
  ])
]

const isWrong = ({ steps, verdict }: ServerDiagnosis): boolean =>
  verdict === "problem" || steps.some(({ outcome }) => outcome === "problem" || outcome === "warning")

/** An empty line before and after a block of several lines. */
const spaced = (blocks: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> =>
  blocks.flatMap((block, index) => {
    const isApart = index > 0 && (block.length > 1 || (blocks[index - 1]?.length ?? 0) > 1)
    return isApart ? ["", ...block] : block
  })

const fileLines = ({ hint, message }: Finding, paint: Paint): ReadonlyArray<string> => [
  `${paint.bad("problem")}  ${oneLine(message, 600)}`,
  ...(hint === null ? [] : [`${" ".repeat(OUTCOME_WIDTH)}  ${paint.typed(oneLine(hint, 400))}`])
]

const OUTCOME_WIDTH = 7
const STEP_WIDTH = 14
const INDENT = " ".repeat(OUTCOME_WIDTH + 4)
const STDERR_LINES = 10

const serverBlock = (server: ServerDiagnosis, hasSteps: boolean, paint: Paint): ReadonlyArray<string> => [
  [
    paint.bold(oneLine(server.name)),
    verdictColour(server.verdict, paint)(server.verdict === "disabled" ? "off" : server.verdict),
    ...(server.verdict === "healthy"
      ? [counted(server.tools, "tool"), `${server.tokens} tokens`, millis(server.millis)]
      : []),
    ...(hasSteps ? [] : noteCount(server))
  ].join("  ").trimEnd(),
  ...(hasSteps ? allSteps(server, paint) : [])
]

const allSteps = ({ steps }: ServerDiagnosis, paint: Paint): ReadonlyArray<string> => [
  ...steps.flatMap((step) => step.outcome === "skipped" ? [] : stepLines(step, paint)),
  ...skippedLines(steps, paint)
]

/** The number of notes in the steps that are not shown. */
const noteCount = ({ steps }: ServerDiagnosis): ReadonlyArray<string> => {
  const all = steps.flatMap(({ findings }) => findings)
  return all.length === 0 ? [] : [counted(all.length, "note")]
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
    ...(hint === null ? [] : [`${INDENT}${paint.typed(oneLine(hint, 400))}`]),
    ...(stderr === null ? [] : indented(stderr, `${INDENT}  | `).slice(-STDERR_LINES).map(paint.dim))
  ]
}

const millis = (value: number | null): string => value === null ? "" : `${Math.round(value)} ms`

const summary = (servers: ReadonlyArray<ServerDiagnosis>, isShort: boolean): string => {
  const by = (verdict: ServerDiagnosis["verdict"]) => servers.filter((server) => server.verdict === verdict).length
  return `${counted(servers.length, "server")}: ${by("healthy")} healthy, ${by("disabled")} off, ` +
    `${by("problem")} with a problem${isShort ? "; --verbose shows every step" : ""}`
}
