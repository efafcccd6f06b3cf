/** A curve as an SVG of its own, readable on a light and on a dark page: both axes logarithmic, or even ones from 0 on. */
import type { Point } from "./Exponent.ts"

export type Kind = "ours" | "raw" | "other" | "more" | "linear"

export interface Line {
  readonly name: string
  readonly kind: Kind
  readonly points: ReadonlyArray<Point>
}

export interface Curve {
  readonly title: string
  readonly x: Axis
  readonly y: Axis
  readonly lines: ReadonlyArray<Line>
  /** Both axes begin at 0 and are even. */
  readonly isEven?: boolean
}

export interface Axis {
  readonly label: string
  /** A number of this axis, for instance `16 MB`. */
  readonly say: (value: number) => string
}

const WIDTH = 720
const HEIGHT = 440
const AREA = { left: 84, right: WIDTH - 36, top: 94, bottom: HEIGHT - 60 }

const STYLE = `
    .page { fill: #ffffff } .ink { fill: #24292f } .soft { fill: #57606a } .grid { stroke: #d8dee4 }
    .line { fill: none; stroke-width: 2.5; stroke-linejoin: round }
    .ours { stroke: #0969da } .raw { stroke: #bc4c00 } .other { stroke: #8250df } .more { stroke: #1a7f37 } .linear { stroke: #8c959f; stroke-dasharray: 6 5 }
    .dot-ours { fill: #0969da } .dot-raw { fill: #bc4c00 } .dot-other { fill: #8250df } .dot-more { fill: #1a7f37 } .dot-linear { fill: none }
    text { font: 13px system-ui, sans-serif } .title { font-size: 17px; font-weight: 600 }
    @media (prefers-color-scheme: dark) {
      .page { fill: #0d1117 } .ink { fill: #e6edf3 } .soft { fill: #9198a1 } .grid { stroke: #30363d }
      .ours { stroke: #58a6ff } .raw { stroke: #f0883e } .other { stroke: #bc8cff } .more { stroke: #3fb950 } .linear { stroke: #6e7681 }
      .dot-ours { fill: #58a6ff } .dot-raw { fill: #f0883e } .dot-other { fill: #bc8cff } .dot-more { fill: #3fb950 }
    }`

/** The straight line of slope 1 that ends where these points end: what is steeper than it grows faster than linear. */
export const linear = (points: ReadonlyArray<Point>): Line => {
  const last = points.at(-1) ?? { x: 1, y: 1 }
  return { name: "linear", kind: "linear", points: points.map(({ x }) => ({ x, y: last.y * x / last.x })) }
}

export const draw = ({ isEven = false, lines, title, x, y }: Curve): string => {
  // A reference that runs off below must not squeeze what was measured.
  const measured = lines.filter(({ kind }) => kind !== "linear").flatMap(({ points }) => points)
  const scale = isEven ? evenScale : logarithmicScale
  const across = scale(measured.map((point) => point.x), AREA.left, AREA.right)
  const up = scale(measured.map((point) => point.y), AREA.bottom, AREA.top)
  const lowest = Math.min(...up.ticks)
  const shown = lines.map((line) => line.kind === "linear" ? { ...line, points: clipped(line.points, lowest) } : line)
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${
      escaped(title)
    }">`,
    `  <style>${STYLE}\n  </style>`,
    `  <rect class="page" width="${WIDTH}" height="${HEIGHT}" rx="6"/>`,
    text(AREA.left, 28, "ink title", "start", title),
    ...across.ticks.map((tick) => verticalAt(across.at(tick), x.say(tick))),
    ...up.ticks.map((tick) => horizontalAt(up.at(tick), y.say(tick))),
    text((AREA.left + AREA.right) / 2, HEIGHT - 14, "soft", "middle", x.label),
    text(AREA.left, AREA.top - 14, "soft", "start", y.label),
    ...shown.map((line) => path(line, across.at, up.at)),
    ...legend(lines),
    `</svg>`,
    ``
  ].join("\n")
}

/** Where the value of a tick or a point lies, and the powers (and where there are few, simple multiples) of ten to mark. */
const logarithmicScale = (values: ReadonlyArray<number>, from: number, to: number) => {
  const least = Math.min(...values)
  const most = Math.max(...values)
  const steps = most / least > 200 ? [1] : [1, 2, 5]
  const first = Math.floor(Math.log10(least))
  const powers = Array.from({ length: Math.ceil(Math.log10(most)) - first + 2 }, (_, at) => 10 ** (first + at))
  const marks = powers.flatMap((power) => steps.map((step) => step * power))
  const below = marks.findLast((mark) => mark <= least) ?? least
  // Where all are the same there still is an axis.
  const above = marks.find((mark) => mark >= most && mark > below) ?? most
  const ticks = marks.filter((mark) => mark >= below && mark <= above)
  const length = Math.log(above / below)
  return { ticks, at: (value: number) => from + (to - from) * Math.log(value / below) / length }
}

/** About five marks, from 0 on. */
const evenScale = (values: ReadonlyArray<number>, from: number, to: number) => {
  const most = Math.max(...values, 1)
  const power = 10 ** Math.floor(Math.log10(most))
  const step = [0.1, 0.2, 0.5, 1, 2].map((times) => times * power).find((width) => most / width <= 6) ?? most
  const ticks = Array.from({ length: Math.ceil(most / step) + 1 }, (_, at) => at * step)
  return { ticks, at: (value: number) => from + (to - from) * value / Math.max(...ticks) }
}

/** From where the line comes in at the bottom. */
const clipped = (points: ReadonlyArray<Point>, lowest: number): ReadonlyArray<Point> => {
  const inside = points.filter(({ y }) => y >= lowest)
  const [first] = inside
  if (first === undefined || inside.length === points.length) return inside
  return [{ x: first.x * lowest / first.y, y: lowest }, ...inside]
}

const verticalAt = (at: number, label: string): string =>
  `  <line class="grid" x1="${round(at)}" y1="${AREA.top}" x2="${round(at)}" y2="${AREA.bottom}"/>\n` +
  text(at, AREA.bottom + 20, "soft", "middle", label)

const horizontalAt = (at: number, label: string): string =>
  `  <line class="grid" x1="${AREA.left}" y1="${round(at)}" x2="${AREA.right}" y2="${round(at)}"/>\n` +
  text(AREA.left - 8, at + 4, "soft", "end", label)

const path = ({ kind, points }: Line, across: (x: number) => number, up: (y: number) => number): string => {
  const places = points.map(({ x, y }) => [round(across(x)), round(up(y))] as const)
  const dots = places.map(([x, y]) => `<circle class="dot-${kind}" cx="${x}" cy="${y}" r="3.5"/>`)
  return `  <polyline class="line ${kind}" points="${places.map((place) => place.join(",")).join(" ")}"/>` +
    (kind === "linear" || dots.length > MOST_DOTS ? "" : dots.join(""))
}

/** With more of them one sees no line. */
const MOST_DOTS = 30

const legend = (lines: ReadonlyArray<Line>): ReadonlyArray<string> => {
  let at = AREA.right
  return lines.toReversed().map(({ kind, name }) => {
    const start = at - 32 - name.length * 7.2
    at = start - 18
    return `  <line class="line ${kind}" x1="${round(start)}" y1="54" x2="${round(start + 24)}" y2="54"/>\n` +
      text(start + 30, 58, "ink", "start", name)
  })
}

const text = (x: number, y: number, style: string, anchor: string, words: string): string =>
  `  <text class="${style}" x="${round(x)}" y="${round(y)}" text-anchor="${anchor}">${escaped(words)}</text>`

const round = (value: number): number => Math.round(value * 10) / 10

const escaped = (words: string): string =>
  words.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(`"`, "&quot;")
