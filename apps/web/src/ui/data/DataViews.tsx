/** A text of data in the ways that a person can choose: as it is, as a tree, as a table, as a plot. */
import { useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { useMemo } from "preact/hooks"
import { ui } from "../../messages/UiMessages.ts"
import { Segments } from "../forms/Segments.tsx"
import { lazy } from "../Lazy.tsx"
import { DiffView } from "./DiffView.tsx"
import { JsonTree } from "./JsonTree.tsx"
import { plotted } from "./PlotColumns.ts"
import { SortedTable } from "./SortedTable.tsx"
import { jsonOf, type Table, tableOf } from "./TableReading.ts"
import { isDiff } from "./UnifiedDiff.ts"
import "./data.css"

type View = "text" | "diff" | "tree" | "table" | "plot"

/** A Chromium without a language of the system says `en-US@posix`, with which uPlot does not load. */
const withLanguage = () => {
  try {
    Intl.getCanonicalLocales(navigator.language)
  } catch {
    Object.defineProperty(navigator, "language", { value: "en" })
  }
}

const Plot = lazy(() => {
  withLanguage()
  return import("./Plot.tsx").then(({ Plot: one }) => one)
})

interface DataViewsProps {
  readonly text: string
  readonly label: string
  /** The text as it is. */
  readonly children: ComponentChildren
}

const cellsOf = (texts: ReadonlyArray<string>) => texts.map((text) => ({ text }))

const TableView = ({ table: { header, rows } }: { readonly table: Table }) => (
  <SortedTable header={cellsOf(header)} rows={rows.map(cellsOf)} />
)

export const DataViews = ({ children, label, text }: DataViewsProps) => {
  const isChange = useMemo(() => isDiff(text), [text])
  const view = useSignal<View>(isChange ? "diff" : "text")
  const json = useMemo(() => jsonOf(text), [text])
  const table = useMemo(() => tableOf(text), [text])
  const plot = useMemo(() => table === null ? null : plotted(table), [table])
  const views: ReadonlyArray<readonly [View, string]> = [
    ...(isChange ? [["diff", ui.asDiff] as const] : []),
    ["text", ui.asText],
    ...(json === undefined ? [] : [["tree", ui.asTree] as const]),
    ...(table === null ? [] : [["table", ui.asTable] as const]),
    ...(plot === null ? [] : [["plot", ui.asPlot] as const])
  ]
  if (views.length === 1) return <>{children}</>
  return (
    <div class="data-views">
      <Segments label={ui.viewOf(label)} options={views} value={view.value} onChange={(next) => view.value = next} />
      {view.value === "tree" ? <JsonTree value={json} label={label} /> : null}
      {view.value === "table" && table !== null ? <TableView table={table} /> : null}
      {view.value === "plot" && plot !== null ? <Plot plotted={plot} /> : null}
      {view.value === "diff" ? <DiffView text={text} title={label} /> : null}
      {view.value === "text" ? children : null}
    </div>
  )
}
