/** Which columns of a table can be drawn. Pure. */
import { numberOf } from "./RowOrder.ts"
import type { Table } from "./TableReading.ts"

export interface Column {
  readonly name: string
  readonly values: ReadonlyArray<number | null>
}

export interface Plotted {
  /** The axis below: times in seconds, numbers, or the places of rows. */
  readonly along: Column & { readonly kind: "time" | "number" | "row"; readonly labels: ReadonlyArray<string> }
  readonly columns: ReadonlyArray<Column>
}

const columnOf = ({ rows }: Table, name: string, at: number, read: (text: string) => number | null): Column | null => {
  const texts = rows.map((row) => row[at]?.trim() ?? "")
  const values = texts.map((text) => text === "" ? null : read(text))
  const isRead = texts.every((text, index) => text === "" || values[index] !== null)
  return isRead && values.some((value) => value !== null) ? { name, values } : null
}

const timeOf = (text: string): number | null => {
  if (!/^\d{4}-\d{2}(?:-\d{2}|$)/.test(text)) return null
  const millis = Date.parse(text)
  return Number.isNaN(millis) ? null : millis / 1000
}

const rising = ({ values }: Column) =>
  values.every((value, at) => value !== null && (at === 0 || value > (values[at - 1] ?? value)))

/** The first column is what the others stand over, where it rises; else their rows are. Null where nothing is a number. */
export const plotted = (table: Table): Plotted | null => {
  const numbers = table.header.map((name, at) => columnOf(table, name, at, numberOf))
  const times = table.header.map((name, at) => columnOf(table, name, at, timeOf))
  const labels = table.rows.map((row) => row[0] ?? "")
  const time = times.findIndex((column) => column !== null && rising(column))
  const [first] = numbers
  const [kind, at] = time >= 0
    ? ["time", time] as const
    : first && rising(first)
    ? ["number", 0] as const
    : ["row", -1] as const
  const along = (kind === "time" ? times[at] : numbers[at]) ?? { name: "", values: labels.map((_, row) => row) }
  const columns = numbers.flatMap((column, index) =>
    column === null || index === at || times[index] !== null ? [] : [column]
  )
  return columns.length === 0 ? null : { along: { ...along, kind, labels }, columns: columns.slice(0, 6) }
}
