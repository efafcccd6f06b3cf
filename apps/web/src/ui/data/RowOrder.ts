/** The order of a table's rows. Pure. */
import { locale } from "../../language/Language.ts"

export interface Order {
  readonly column: number
  readonly direction: "ascending" | "descending"
}

/** `1,234.5 %` as 1234.5; null where it is no number. Only a unit before or after it is left out. */
export const numberOf = (text: string): number | null => {
  const found = /^\s*[^\d\s.,+-]{0,3}\s*([+-]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:e[+-]?\d+)?)\s*[^\d\s]{0,4}\s*$/i
    .exec(text)
  return found?.[1] === undefined ? null : Number(found[1].replaceAll(",", ""))
}

const compare = new Intl.Collator(locale, { numeric: true, sensitivity: "base" }).compare

const between = (one: string, other: string): number => {
  const [first, second] = [numberOf(one), numberOf(other)]
  return first !== null && second !== null ? first - second : compare(one, other)
}

/** Rows sorted by a column: numbers by their value, empty cells last. Without an order they stay as they are. */
export const ordered = <Row extends ReadonlyArray<{ readonly text: string }>>(
  rows: ReadonlyArray<Row>,
  order: Order | null
): ReadonlyArray<Row> => {
  if (order === null) return rows
  const sign = order.direction === "ascending" ? 1 : -1
  const textOf = (row: Row) => row[order.column]?.text.trim() ?? ""
  return rows.toSorted((one, other) => {
    const [first, second] = [textOf(one), textOf(other)]
    return first === "" || second === "" ? Number(first === "") - Number(second === "") : sign * between(first, second)
  })
}
