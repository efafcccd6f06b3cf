/** A table that a person can sort by a column and copy as CSV. */
import { useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { ui } from "../../messages/UiMessages.ts"
import { Copy } from "../code/Copy.tsx"
import { csvOf } from "./Csv.ts"
import { type Order, ordered } from "./RowOrder.ts"
import "./data.css"

export interface Cell {
  /** Sorted and copied as this. */
  readonly text: string
  readonly shown?: ComponentChildren
  /** `right`, `center` or nothing. */
  readonly side?: string
}

interface SortedTableProps {
  readonly header: ReadonlyArray<Cell>
  readonly rows: ReadonlyArray<ReadonlyArray<Cell>>
  /** More rows come: they stay in their order. */
  readonly isOpen?: boolean
}

const NEXT = { ascending: "descending", descending: "none", none: "ascending" } as const

export const SortedTable = ({ header, isOpen = false, rows }: SortedTableProps) => {
  const order = useSignal<Order | null>(null)
  const sortOf = (column: number) => order.value?.column === column ? order.value.direction : "none"
  const sort = (column: number) => {
    const direction = NEXT[sortOf(column)]
    order.value = direction === "none" ? null : { column, direction }
  }
  const csv = () => csvOf([header, ...rows].map((row) => row.map(({ text }) => text)))
  return (
    <div class="data-table">
      <div class="table" tabIndex={0} role="group" aria-label={ui.table}>
        <table>
          <thead>
            <tr>
              {header.map((cell, column) => (
                <th key={column} scope="col" class={cell.side} aria-sort={sortOf(column)}>
                  {isOpen || rows.length < 2
                    ? cell.shown ?? cell.text
                    : (
                      <button type="button" class="sort" title={ui.sort} onClick={() => sort(column)}>
                        {cell.shown ?? cell.text}
                      </button>
                    )}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {ordered(rows, order.value).map((row, at) => (
              <tr key={at}>
                {row.map((cell, column) => <td key={column} class={cell.side}>{cell.shown ?? cell.text}</td>)}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {isOpen ? null : <Copy text={csv} label={ui.copyCsv} />}
    </div>
  )
}
