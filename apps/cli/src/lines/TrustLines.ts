/** What was decided about a server, and about what, as people are shown it. */
import type { McpPrompt, ResourceList, ToolDifference, TrustDetails } from "@boocode/mcp-registry"
import { indented, oneLine, pad, type Paint, plain } from "../terminal/Output.ts"

/** Whole values, however long: what is cut off might be what matters. */
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
    ...(details.tools === null ? [] : toolLines(details.tools, paint))
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

const toolLines = (tools: ToolDifference, paint: Paint): ReadonlyArray<string> => [
  `  ${paint.careful("tools")} since ${plain(tools.pinnedAt)}${versions(tools)}:`,
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

const versions = ({ versionAfter, versionBefore }: ToolDifference): string =>
  versionBefore === versionAfter ? "" : `, ${plain(versionBefore ?? "no name")} → ${plain(versionAfter ?? "no name")}`

// Prompts and resources as `mcp prompts` and `mcp resources` show them to people.

/** One line a prompt, called as a message calls it. */
export const promptLines = (prompts: ReadonlyArray<McpPrompt>, paint: Paint): ReadonlyArray<string> =>
  prompts.length === 0
    ? ["no prompts"]
    : table(prompts.map((prompt) => [`/${prompt.server}:${prompt.name}`, promptWords(prompt)]), paint)

const promptWords = ({ arguments: args, description, title }: McpPrompt): string => {
  const names = args.map(({ name, required }) => required ? name : `${name}?`).join(", ")
  return `${oneLine(description ?? title ?? "", 100)}${names === "" ? "" : ` (${oneLine(names)})`}`.trim()
}

/** One line a resource, and then one a template. */
export const resourceLines = ({ resources, templates }: ResourceList, paint: Paint): ReadonlyArray<string> => {
  const rows = [
    ...resources.map(({ server, uri, ...about }) => [`${server}  ${uri}`, resourceWords(about)] as const),
    ...templates.map(({ server, uriTemplate, ...about }) =>
      [`${server}  ${uriTemplate}`, resourceWords(about)] as const
    )
  ]
  return rows.length === 0 ? ["no resources"] : table(rows, paint)
}

interface About {
  readonly name: string
  readonly title: string | null
  readonly description: string | null
  readonly mimeType: string | null
}

const resourceWords = ({ description, mimeType, name, title }: About): string =>
  oneLine([title ?? name, description ?? "", mimeType ?? ""].filter((words) => words !== "").join(", "), 120)

const MOST_WIDE = 60

const table = (rows: ReadonlyArray<readonly [string, string]>, paint: Paint): ReadonlyArray<string> => {
  const width = Math.min(MOST_WIDE, Math.max(...rows.map(([name]) => [...name].length)))
  return rows.map(([name, words]) => `${paint.bold(pad(plain(name), width))}  ${words}`.trimEnd())
}
