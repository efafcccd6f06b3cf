/** The timeline of a turn as rows with bars, as a table and as a picture. Pure. */
import type * as Timelines from "@boocode/chat/TurnTimeline"
import { timeline as words } from "../../messages/chat/TimelineMessages.ts"
import { dollars, duration, short } from "../../messages/Numbers.ts"
import { csvOf } from "../../ui/data/Csv.ts"

export type Timeline = typeof Timelines.TurnTimeline.Encoded
type Bar = Timeline["bars"][number]

export type Tone = "first" | "answer" | "call" | "wait" | "idle" | "failed"

/** A piece of a row, from 0 to 1 of the whole time. */
export interface Piece {
  readonly from: number
  readonly size: number
  readonly tone: Tone
}

export interface Row {
  readonly title: string
  /** The figures in a sentence. */
  readonly about: string
  readonly millis: number
  readonly pieces: ReadonlyArray<Piece>
  readonly isInside: boolean
  readonly bar: Bar
}

const WAITS: ReadonlySet<Bar["kind"]> = new Set(["approval", "question"])

const isWaitFor = (call: Bar, wait: Bar) =>
  WAITS.has(wait.kind) && wait.call === call.call && wait.from >= call.from && wait.from <= call.until

/** A row for each bar. A wait for a person stands in the row of the call that waits. */
export const rowsOf = ({ bars, millis }: Timeline): ReadonlyArray<Row> => {
  const calls = bars.filter(({ kind }) => kind === "call")
  const requests = bars.filter(({ kind }) => kind === "request")
  const piece = (from: number, until: number, tone: Tone): Piece => {
    const end = Math.max(1, millis)
    return { from: from / end, size: Math.max(0, until - from) / end, tone }
  }
  return bars.filter((bar) => !WAITS.has(bar.kind) || !calls.some((call) => isWaitFor(call, bar))).map((bar) => {
    const waits = bar.kind === "call" ? bars.filter((wait) => isWaitFor(bar, wait)) : []
    return {
      title: titleOf(bar, requests.length > 1 ? requests.indexOf(bar) + 1 : 0),
      about: figures(bar, waits),
      millis: bar.until - bar.from,
      pieces: [
        ...piecesOf(bar, piece),
        ...waits.map(({ from, until }) => piece(from, Math.min(until, bar.until), "wait"))
      ],
      isInside: bar.program !== null,
      bar
    }
  })
}

const piecesOf = (
  { first, from, isFailed, kind, until }: Bar,
  piece: (from: number, until: number, tone: Tone) => Piece
): ReadonlyArray<Piece> => {
  if (WAITS.has(kind)) return [piece(from, until, "wait")]
  if (kind === "queue" || kind === "pause") return [piece(from, until, "idle")]
  if (kind === "call") return [piece(from, until, isFailed ? "failed" : "call")]
  const tone = isFailed ? "failed" : "answer"
  return first === null ? [piece(from, until, isFailed ? "failed" : "first")] : [
    piece(from, first, "first"),
    piece(first, until, tone)
  ]
}

const titleOf = ({ kind, name }: Bar, number: number): string =>
  kind === "request" && number > 0
    ? words.requestNumber(number)
    : kind === "call"
    ? name ?? words.kinds.call
    : words.kinds[kind]

const figures = (bar: Bar, waits: ReadonlyArray<Bar>): string => {
  const { first, from, isFailed, isOpen, server, until, usage } = bar
  return [
    ...server === null ? [] : [words.ofServer(server)],
    words.took(duration(until - from)),
    words.from(duration(from), duration(until)),
    ...first === null ? [] : [words.first(duration(first - from))],
    ...waits.map((wait) => `${words.kinds[wait.kind]}: ${duration(wait.until - wait.from)}`),
    ...usage === null || usage.inputTokens === null && usage.outputTokens === null
      ? []
      : [words.tokens(short(usage.inputTokens ?? 0), short(usage.outputTokens ?? 0))],
    ...usage?.cost === null || usage === null ? [] : [dollars(usage.cost)],
    ...isFailed ? [words.failed] : [],
    ...isOpen ? [words.goesOn] : []
  ].join(" · ")
}

type Span = Pick<Bar, "from" | "until">

/** How long at least one of these went on. */
const together = (spans: ReadonlyArray<Span>): number => {
  const sorted = spans.toSorted((one, other) => one.from - other.from)
  let [sum, end] = [0, 0]
  for (const { from, until } of sorted) {
    sum += Math.max(0, until - Math.max(from, end))
    end = Math.max(end, until)
  }
  return sum
}

/** The pieces of a call in which it did not wait for a person. */
const runningOf = (call: Bar, bars: ReadonlyArray<Bar>): ReadonlyArray<Span> => {
  const waits = bars.filter((wait) => isWaitFor(call, wait))
  const ends = [call.from, ...waits.map(({ until }) => until)]
  return ends.map((from, at) => ({ from, until: Math.max(from, waits[at]?.from ?? call.until) }))
}

export interface Sum {
  readonly label: string
  readonly value: string
}

export const sumsOf = ({ bars, millis, usage }: Timeline): ReadonlyArray<Sum> => {
  const of = (...kinds: ReadonlyArray<Bar["kind"]>) => together(bars.filter(({ kind }) => kinds.includes(kind)))
  const waited = of("approval", "question")
  const calls = bars.filter(({ kind }) => kind === "call")
  return [
    { label: words.all, value: duration(millis) },
    { label: words.model, value: duration(of("request", "summary")) },
    { label: words.tools, value: duration(together(calls.flatMap((call) => runningOf(call, bars)))) },
    ...waited === 0 ? [] : [{ label: words.you, value: duration(waited) }],
    ...usage.cost === null ? [] : [{ label: words.cost, value: dollars(usage.cost) }]
  ]
}

const STEPS = [1, 2, 5]

/** Times on the axis: numbers that people read with ease, five at most. */
export const ticksOf = (millis: number): ReadonlyArray<number> => {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, millis) / 5))
  const step = STEPS.map((by) => by * power).find((size) => millis / size <= 5) ?? 10 * power
  return Array.from({ length: Math.floor(millis / step) }, (_, index) => (index + 1) * step)
}

const amount = (value: number | null | undefined): string => value === null || value === undefined ? "" : String(value)

export const columns = Object.values(words.columns)

/** All bars with their figures as they are, in milliseconds. */
export const cellsOf = ({ bars }: Timeline): ReadonlyArray<ReadonlyArray<string>> => {
  const requests = bars.filter(({ kind }) => kind === "request")
  return bars.map((bar) => [
    `${titleOf(bar, requests.indexOf(bar) + 1)}${WAITS.has(bar.kind) && bar.name !== null ? `: ${bar.name}` : ""}`,
    amount(bar.from),
    amount(bar.until),
    amount(bar.until - bar.from),
    bar.first === null ? "" : amount(bar.first - bar.from),
    amount(bar.usage?.inputTokens),
    amount(bar.usage?.outputTokens),
    amount(bar.usage?.cost),
    bar.isOpen ? words.goesOn : bar.isFailed ? words.failed : words.done
  ])
}

export const csv = (timeline: Timeline): string => csvOf([Object.values(words.columns), ...cellsOf(timeline)])

const COLOURS: Readonly<Record<Tone, string>> = {
  first: "#c9bdf0",
  answer: "#6a4fcf",
  call: "#8b8b95",
  wait: "#c98a12",
  idle: "#d9d9de",
  failed: "#c43c3c"
}

const [WIDTH, LABELS, LINE, TOP] = [960, 240, 24, 32]

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll("\"", "&quot;")

const cut = (text: string): string => text.length > 36 ? `${text.slice(0, 35)}…` : text

/** A picture that stands alone, on white. */
export const svg = (timeline: Timeline): string => {
  const rows = rowsOf(timeline)
  const height = TOP + rows.length * LINE + 12
  const x = (share: number) => (LABELS + share * (WIDTH - LABELS - 80)).toFixed(1)
  const end = Math.max(1, timeline.millis)
  const text = (left: string | number, top: number, said: string, more = "") =>
    `<text x="${left}" y="${top}"${more}>${escaped(said)}</text>`
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" font-family="system-ui, sans-serif" font-size="12" fill="#33333b">`,
    `<rect width="100%" height="100%" fill="#fff"/>`,
    ...ticksOf(timeline.millis).map((at) =>
      `<path d="M${x(at / end)} 24V${height - 8}" stroke="#e6e6ea"/>${
        text(x(at / end), 16, duration(at), " text-anchor=\"middle\" fill=\"#66666f\"")
      }`
    ),
    ...rows.flatMap(({ about, isInside, millis, pieces, title }, row) => {
      const top = TOP + row * LINE
      const right = Math.max(...pieces.map(({ from, size }) => from + size))
      return [
        `<g><title>${escaped(`${title} · ${about}`)}</title>`,
        text(isInside ? 20 : 8, top + 14, cut(title)),
        ...pieces.map(({ from, size, tone }) =>
          `<rect x="${x(from)}" y="${top + 3}" width="${
            Math.max(2, Number(x(from + size)) - Number(x(from))).toFixed(1)
          }" height="15" rx="3" fill="${COLOURS[tone]}"/>`
        ),
        text((Number(x(right)) + 6).toFixed(1), top + 14, duration(millis), " fill=\"#66666f\""),
        "</g>"
      ]
    }),
    "</svg>",
    ""
  ].join("\n")
}
