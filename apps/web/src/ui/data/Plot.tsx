/** A table as lines, drawn by uPlot in the colours of the page. */
import { useLayoutEffect, useRef } from "preact/hooks"
import uPlot from "uplot"
import "uplot/dist/uPlot.min.css"
import { ui } from "../../messages/UiMessages.ts"
import type { Plotted } from "./PlotColumns.ts"

const HEIGHT = 260

/** Those of code, which keep apart from each other in both themes. */
const HUES = ["--accent", "--code-number", "--code-string", "--code-type", "--bad", "--code-keyword"]

/** A canvas takes no variables: the browser says what the variable is in the theme that is shown. */
const colour = (place: HTMLElement, name: string): string => {
  place.style.color = `var(${name})`
  const found = getComputedStyle(place).color
  place.style.removeProperty("color")
  return found
}

const optionsOf = (place: HTMLElement, { along, columns }: Plotted): uPlot.Options => {
  const axis = {
    stroke: colour(place, "--ink-2"),
    grid: { stroke: colour(place, "--line"), width: 1 },
    ticks: { stroke: colour(place, "--line") }
  }
  return {
    width: place.clientWidth,
    height: HEIGHT,
    scales: { x: { time: along.kind === "time" } },
    series: [
      along.kind === "row" ? { label: along.name, value: (_, at) => along.labels[at] ?? "" } : { label: along.name },
      ...columns.map(({ name }, at) => ({
        label: name,
        stroke: colour(place, HUES[at] ?? "--accent"),
        width: 2,
        points: { show: along.values.length < 60 }
      }))
    ],
    axes: [
      along.kind === "row"
        ? {
          ...axis,
          values: (_, splits) => splits.map((at) => Number.isInteger(at) ? along.labels[at]?.slice(0, 12) ?? "" : "")
        }
        : axis,
      axis
    ]
  }
}

export const Plot = ({ plotted }: { readonly plotted: Plotted }) => {
  const place = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const box = place.current
    if (box === null) return undefined
    const plot = new uPlot(optionsOf(box, plotted), [
      [...plotted.along.values].map(Number),
      ...plotted.columns.map(({ values }) => [...values])
    ], box)
    const watch = new ResizeObserver(() => plot.setSize({ width: box.clientWidth, height: HEIGHT }))
    watch.observe(box)
    return () => {
      watch.disconnect()
      plot.destroy()
    }
  }, [plotted])
  return (
    <div
      class="plot"
      ref={place}
      role="img"
      aria-label={ui.plotOf(plotted.columns.map(({ name }) => name).join(", "))}
    />
  )
}
