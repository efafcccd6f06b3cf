/** Prompts and resources as `mcp prompts` and `mcp resources` show them to people. */
import type { McpPrompt, ResourceList } from "@boocode/mcp-registry"
import type { Paint } from "./Paint.ts"
import { oneLine, pad, plain } from "./PlainText.ts"

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
