/** The table of the interop matrix. */
import { type Cell, CELLS, type Row, ROWS } from "./Rows.ts"

/** As `docs/interop.md` has it: what was tried works, and the reasons for what was not stand below. */
export const markdown = (): string => {
  const reasons: Array<string> = []
  const footnote = (reason: string) => {
    if (!reasons.includes(reason)) reasons.push(reason)
    return `– ${reasons.indexOf(reason) + 1}`
  }
  const cell = (row: Row, name: Cell) => row.lacks[name] === undefined ? "✓" : footnote(row.lacks[name])
  const lines = ROWS.map((row) =>
    [row.name, row.transport, row.revision, ...CELLS.map((name) => cell(row, name))].join(" | ")
  )
  return [
    `| server | transport | revision | ${CELLS.join(" | ")} |`,
    `|${" --- |".repeat(CELLS.length + 3)}`,
    ...lines.map((line) => `| ${line} |`),
    "",
    ...reasons.map((reason, index) => `${index + 1}. ${reason}`)
  ].join("\n")
}
