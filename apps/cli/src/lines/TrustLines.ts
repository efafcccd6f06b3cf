/**
 * The decision about a server of a project file, and the entry that it is about: for `mcp approve` and for the question
 * at a terminal.
 */
import type { ToolDifference, TrustDetails } from "@boocode/mcp-registry"
import { indented, oneLine, pad, type Paint, plain } from "../terminal/Output.ts"

/** Shows whole values: what is cut off might be what matters. */
export const trustLines = (details: TrustDetails, isDryRun: boolean, paint: Paint): ReadonlyArray<string> => {
  const width = Math.max(8, ...details.entry.map(({ key }) => [...key].length)) + 2
  return [
    `${paint.bold(oneLine(details.server))}  ${isDryRun ? "nothing was decided; it is " : ""}${stateOf(details)}`,
    field("file", details.file, width),
    ...details.entry.flatMap(({ key, value }) => field(key, value, width)),
    ...(details.problem === null ? [] : [`  ${paint.bad("problem")} ${oneLine(details.problem, 400)}`]),
    ...(details.changes ?? []).map(({ after, before, key }) =>
      `  ${paint.careful("changed")} ${plain(key)}: ${change(before, after)}`
    ),
    ...(details.tools === null
      ? []
      : differenceLines(details.tools, `since ${plain(details.tools.pinnedAt)}`, paint))
  ]
}

const stateOf = ({ by, decision }: TrustDetails): string => {
  if (decision === "not-needed") return "from a file of your own, which needs no approval"
  if (decision === "pending") return "not approved"
  const until = { always: "", once: ", for this run", publisher: ", because its publisher is trusted" }
  return `${decision}${by === null ? "" : until[by]}`
}

const field = (key: string, value: string, width: number): string =>
  `  ${pad(plain(key), width)}${plain(value).replaceAll("\n", `\n${" ".repeat(width + 2)}`)}`

const change = (before: string | null, after: string | null): string =>
  before === after ? "its hidden value changed" : `${plain(before ?? "(nothing)")} → ${plain(after ?? "(nothing)")}`

/** The tools that changed, came and went; `since` says since when. */
export const differenceLines = (
  tools: Omit<ToolDifference, "pinnedAt">,
  since: string,
  paint: Paint
): ReadonlyArray<string> => [
  `  ${paint.careful("tools")} ${since}${versions(tools)}:`,
  ...tools.changed.flatMap(({ parts, tool }) => [
    `    changed ${paint.bold(plain(tool))}`,
    ...parts.flatMap(({ after, before, path }) => [
      `      ${plain(path) || "its definition"}`,
      ...(before === null ? [] : indented(before, "        - ").map(paint.bad)),
      ...(after === null ? [] : indented(after, "        + ").map(paint.good))
    ])
  ]),
  ...tools.added.flatMap(({ description, tool }) => [
    `    added   ${paint.bold(plain(tool))}`,
    ...(description === null ? [] : indented(description, "        + ").map(paint.good))
  ]),
  ...tools.removed.map((tool) => `    removed ${paint.bold(plain(tool))}`)
]

const versions = ({ versionAfter, versionBefore }: Omit<ToolDifference, "pinnedAt">): string =>
  versionBefore === versionAfter ? "" : `, ${plain(versionBefore ?? "no name")} → ${plain(versionAfter ?? "no name")}`
