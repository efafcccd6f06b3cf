/** A curve as plain text, and what a server needs as an SVG. */
import * as CurveSvg from "../../bench/support/CurveSvg.ts"
import type { Look } from "./Gauge.ts"

const WIDTH = 72
const HEIGHT = 8

/** The values from left to right, the most of each column counts. The axis begins at 0. */
export const plot = (title: string, values: ReadonlyArray<number>, seconds: number): string => {
  const columns = squeeze(values, WIDTH)
  const top = Math.max(1, ...columns)
  const rows = Array.from({ length: HEIGHT }, (_, index) => {
    const from = HEIGHT - 1 - index
    const bars = columns.map((value) => bar((value / top) * HEIGHT - from)).join("")
    const label = index === 0 ? top.toFixed(0) : index === HEIGHT - 1 ? "0" : ""
    return `${label.padStart(6)} |${bars}`
  })
  const end = seconds < 120 ? `${seconds.toFixed(0)} s` : `${(seconds / 60).toFixed(0)} min`
  return [title, ...rows, `${" ".repeat(7)}+${"-".repeat(columns.length)} ${end}`].join("\n")
}

const bar = (filled: number): string => filled >= 0.75 ? "#" : filled >= 0.25 ? ":" : filled > 0 ? "." : " "

const squeeze = (values: ReadonlyArray<number>, width: number): ReadonlyArray<number> =>
  values.length <= width
    ? values
    : Array.from({ length: width }, (_, column) => {
      const part = values.slice(
        Math.floor((column * values.length) / width),
        Math.floor(((column + 1) * values.length) / width)
      )
      return Math.max(...part)
    })

/** The memory of a server over time. */
export const memory = (title: string, looks: ReadonlyArray<Look>): string => {
  const line = (name: string, kind: CurveSvg.Kind, value: (look: Look) => number) => ({
    name,
    kind,
    points: looks.map((look) => ({ x: look.seconds / 60, y: value(look) }))
  })
  return CurveSvg.draw({
    title,
    isEven: true,
    x: { label: "minutes", say: String },
    y: { label: "MB", say: String },
    lines: [
      line("resident", "ours", ({ rss }) => rss),
      line("heap", "other", ({ heapTotal }) => heapTotal),
      line("heap in use", "more", ({ heapUsed }) => heapUsed),
      line("buffers", "raw", ({ external }) => external)
    ]
  })
}
