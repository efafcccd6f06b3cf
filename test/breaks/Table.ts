/** The table of requirements as Markdown. */
import type { Requirement } from "../requirements/Requirement.ts"

export const markdown = (requirements: ReadonlyArray<Requirement>): string =>
  ["| id | promise | proven by | breaks with | open |", "|---|---|---|---|---|", ...requirements.map(row)].join("\n")

const row = ({ break: line, id, open, promise, proofs }: Requirement): string => {
  const tests = proofs.map(({ file, test }) => `${file}: ${test}`).join("<br>")
  const broken = line === undefined ? "" : `${line.file}: ${code(line.find)} → ${code(line.replace)}`
  return `| ${[id, promise, tests, broken, open ?? ""].map(cell).join(" | ")} |`
}

const code = (text: string) => text === "" ? "nothing" : `\`${text.trim()}\``

const cell = (text: string) => text.replaceAll("|", "\\|").replaceAll("\n", " ")
