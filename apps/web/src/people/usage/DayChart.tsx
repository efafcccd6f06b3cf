/** The bars of the days. The table beneath has the same numbers, so a screen reader hears of the picture only what it shows. */
import { useState } from "preact/hooks"
import { usageDays as words } from "../../messages/people/UsageMessages.ts"
import { axisEnd } from "../../ui/data/Axis.ts"
import { type Day, dayWords, inWords, type Measure, valueOf } from "./UsageRows.ts"
import "./usage.css"

const HEIGHT = 180
/** The room of the bars between the words above and below. */
const [TOP, BOTTOM] = [22, 158]
const GAP = 0.18

const yOf = (share: number): number => BOTTOM - share * (BOTTOM - TOP)

interface DayChartProps {
  readonly days: ReadonlyArray<Day>
  readonly measure: Measure
}

export const DayChart = ({ days, measure }: DayChartProps) => {
  const [at, setAt] = useState<number | null>(null)
  const end = axisEnd(Math.max(...days.map((day) => valueOf(measure, day))))
  const width = 100 / days.length
  const day = at === null ? undefined : days[at]
  const point = ({ clientX, currentTarget }: { clientX: number; currentTarget: Element }) => {
    const { left, width: all } = currentTarget.getBoundingClientRect()
    setAt(Math.max(0, Math.min(days.length - 1, Math.floor((clientX - left) / all * days.length))))
  }
  return (
    <div class="usage-chart" onPointerMove={point} onPointerDown={point} onPointerLeave={() => setAt(null)}>
      <svg role="img" aria-label={words.chart(words.measures[measure], days.length)} height={HEIGHT}>
        {[1, 0.5, 0].map((share) => (
          <line key={share} class="usage-line" x1="0" x2="100%" y1={yOf(share)} y2={yOf(share)} />
        ))}
        {days.map((one, index) => {
          const x = `${(index + GAP / 2) * width}%`
          const size = `${width * (1 - GAP)}%`
          const value = valueOf(measure, one)
          const [all, failed] = [value / end, measure === "calls" ? one.failed / end : 0]
          const quiet = at === null || at === index ? "" : " quiet"
          return (
            <g key={one.name} class={`usage-bar${quiet}`}>
              {value === 0
                ? null
                : <rect x={x} width={size} rx={2} y={yOf(all)} height={Math.max(1.5, BOTTOM - yOf(all))} />}
              {failed === 0
                ? null
                : (
                  <rect
                    class="failed"
                    x={x}
                    width={size}
                    rx={2}
                    y={yOf(failed)}
                    height={Math.max(1.5, BOTTOM - yOf(failed))}
                  />
                )}
            </g>
          )
        })}
        {[1, 0.5].filter((share) => measure === "cost" || end * share >= 1).map((share) => (
          <text key={share} x="-8" y={yOf(share) + 4} text-anchor="end">{inWords(measure, end * share)}</text>
        ))}
        <text x="0" y={HEIGHT - 6}>{dayWords(days[0]?.name ?? "")}</text>
        <text x="100%" y={HEIGHT - 6} text-anchor="end">{dayWords(days.at(-1)?.name ?? "")}</text>
      </svg>
      {day === undefined || at === null ?
        null :
        (
          <p
            class={at > days.length / 2 ? "usage-tip left" : "usage-tip"}
            style={{ insetInlineStart: `${(at + 0.5) * width}%` }}
          >
            <strong>{dayWords(day.name)}</strong>
            <span>{inWords(measure, valueOf(measure, day))} {words.measures[measure].toLowerCase()}</span>
            {measure === "calls" && day.failed > 0 ? <span>{words.ofFailed(day.failed)}</span> : null}
          </p>
        )}
    </div>
  )
}
