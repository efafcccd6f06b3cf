/** The time of a turn: bars on an axis, their figures, a table, and files of it. */
import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { get, path } from "../../api/Client.ts"
import { timeline as words } from "../../messages/chat/TimelineMessages.ts"
import { dollars, duration, short } from "../../messages/Numbers.ts"
import { Refused, useAttempt } from "../../state/Attempt.tsx"
import { Button } from "../../ui/Button.tsx"
import { Dialog } from "../../ui/Dialog.tsx"
import { saveText } from "../../ui/files/Saving.ts"
import { Fold } from "../../ui/Fold.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import "./timeline.css"
import {
  cellsOf,
  columns,
  csv,
  type Row,
  rowsOf,
  sumsOf,
  svg,
  ticksOf,
  type Timeline,
  type Tone
} from "./TimelineRows.ts"

interface TimelineDialogProps {
  readonly chat: string
  readonly turn: number
  readonly onClose: () => void
}

export const TimelineDialog = ({ chat, onClose, turn }: TimelineDialogProps) => {
  const found = useSignal<Timeline | null>(null)
  const { refused, run } = useAttempt()
  useEffect(() =>
    void run(async () => {
      found.value = await get<Timeline>(path("chats", chat, "turns", String(turn), "timeline"))
    }), [chat, turn])
  const { value } = found
  return (
    <Dialog title={words.title} isWide onClose={onClose}>
      <Refused why={refused.value} />
      {value === null && refused.value === null ? <Spinner label={words.reading} /> : null}
      {value === null ? null : value.isKnown ? <Shown timeline={value} /> : <p class="muted">{words.unknown}</p>}
    </Dialog>
  )
}

const Shown = ({ timeline }: { readonly timeline: Timeline }) => {
  const rows = rowsOf(timeline)
  const at = useSignal<Row | null>(null)
  const saved = (kind: "json" | "csv" | "svg", text: () => string) => (
    <Button
      isSmall
      icon="download"
      aria-label={words.save(words[kind])}
      onClick={() => saveText(text(), `timeline-${timeline.turn}.${kind}`)}
    >
      {words[kind]}
    </Button>
  )
  return (
    <div class="timeline">
      <dl class="timeline-sums">
        {sumsOf(timeline).map(({ label, value }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <Chart timeline={timeline} rows={rows} onAt={(row) => at.value = row} />
      <p class="timeline-about" aria-hidden="true">
        {at.value === null ? words.pick : (
          <>
            <strong>{at.value.title}</strong> {at.value.about}
          </>
        )}
      </p>
      <ul class="timeline-legend" aria-hidden="true">
        {legendOf(rows).map((tone) => (
          <li key={tone}>
            <span class={`timeline-key ${tone}`} /> {words.legend[tone]}
          </li>
        ))}
      </ul>
      <Fold summary={words.asTable} inside={() => <Figures timeline={timeline} />} />
      <footer>
        {saved("json", () => `${JSON.stringify(timeline, null, 2)}\n`)}
        {saved("csv", () => csv(timeline))}
        {saved("svg", () => svg(timeline))}
      </footer>
    </div>
  )
}

const LEGEND = ["first", "answer", "call", "wait", "failed"] as const satisfies ReadonlyArray<Tone>

const legendOf = (rows: ReadonlyArray<Row>) =>
  LEGEND.filter((tone) => rows.some(({ pieces }) => pieces.some((piece) => piece.tone === tone)))

const percent = (share: number): string => `${share * 100}%`

interface ChartProps {
  readonly timeline: Timeline
  readonly rows: ReadonlyArray<Row>
  readonly onAt: (row: Row) => void
}

const Chart = ({ onAt, rows, timeline: { millis } }: ChartProps) => (
  <div class="timeline-chart" role="group" aria-label={words.picture(rows.length, duration(millis))}>
    <div class="timeline-axis" aria-hidden="true">
      {ticksOf(millis).map((tick) => (
        <span key={tick} style={{ insetInlineStart: percent(tick / Math.max(1, millis)) }}>{duration(tick)}</span>
      ))}
    </div>
    {rows.map((row, index) => (
      <button
        key={index}
        type="button"
        class={row.isInside ? "timeline-row inside" : "timeline-row"}
        onPointerEnter={() => onAt(row)}
        onFocus={() =>
          onAt(row)}
        onClick={() =>
          onAt(row)}
      >
        <span class="timeline-title">{row.title}</span>
        <span class="visually-hidden">. {row.about}</span>
        <span class="timeline-track">
          {row.pieces.map(({ from, size, tone }, piece) => (
            <span
              key={piece}
              class={`timeline-bar ${tone}`}
              style={{ insetInlineStart: percent(from), width: percent(size) }}
            />
          ))}
        </span>
        <span class="timeline-took" aria-hidden="true">{duration(row.millis)}</span>
      </button>
    ))}
  </div>
)

const Figures = ({ timeline }: { readonly timeline: Timeline }) => (
  <div class="table-box" tabIndex={0} role="region" aria-label={words.title}>
    <table>
      <thead>
        <tr>
          {columns.map((label, at) => <th key={label} scope="col" {...at === 0 ? {} : { class: "amount" }}>{label}
          </th>)}
        </tr>
      </thead>
      <tbody>
        {cellsOf(timeline).map(([what, ...rest], row) => (
          <tr key={row}>
            <th scope="row">{what}</th>
            {rest.map((text, at) => <td key={at} class="amount">{shownAs(at, text)}</td>)}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

/** The columns after the name: times, tokens in and out, the cost, the outcome. */
const [TIMES, COST] = [4, 6]

const shownAs = (column: number, text: string): string => {
  if (text === "" || column > COST) return text
  return column < TIMES ? duration(Number(text)) : column === COST ? dollars(Number(text)) : short(Number(text))
}
