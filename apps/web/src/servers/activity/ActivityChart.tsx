/** Two pictures over the same time: how many calls a server had, and how long they took. The table beneath has the numbers. */
import { useState } from "preact/hooks"
import { dayMonth, duration, minute, moment } from "../../messages/Numbers.ts"
import { activity as words } from "../../messages/servers/ActivityMessages.ts"
import { axisEnd } from "../../ui/data/Axis.ts"
import "./activity.css"
import { everySlot, labelled, placeOf, type ServerDay, type Slot, totals } from "./ActivityRows.ts"

/** The heights of both pictures, and the room of the words. */
const [BARS, TIMES, TOP, FOOT] = [110, 130, 18, 20]

const percent = (share: number): string => `${share * 100}%`

interface PictureProps {
  readonly day: ServerDay
  readonly slots: ReadonlyArray<Slot>
  readonly at: number | null
}

export const ActivityChart = ({ day }: { readonly day: ServerDay }) => {
  const [at, setAt] = useState<number | null>(null)
  const slots = everySlot(day)
  const point = ({ clientX, currentTarget }: { clientX: number; currentTarget: Element }) => {
    const { left, width } = currentTarget.getBoundingClientRect()
    setAt(Math.max(0, Math.min(slots.length - 1, Math.floor((clientX - left) / width * slots.length))))
  }
  return (
    <div class="activity-chart" onPointerMove={point} onPointerDown={point} onPointerLeave={() => setAt(null)}>
      <h2 class="activity-title">{words.calls}</h2>
      <Calls day={day} slots={slots} at={at} />
      <h2 class="activity-title">
        {words.times} <span class="muted">● {words.half}, │ {words.most}</span>
      </h2>
      <Times day={day} slots={slots} at={at} />
      {at === null ? null : <Tip slots={slots} at={at} />}
    </div>
  )
}

const Grid = ({ end, height, show }: {
  readonly end: number
  readonly height: number
  readonly show: (value: number) => string
}) => (
  <>
    {[1, 0.5, 0].map((share) => {
      const y = height - FOOT - share * (height - FOOT - TOP)
      return (
        <g key={share}>
          <line class="activity-line" x1="0" x2="100%" y1={y} y2={y} />
          {share === 0 || end * share < 1 ? null : <text x="-8" y={y + 4} text-anchor="end">{show(end * share)}</text>}
        </g>
      )
    })}
  </>
)

const Calls = ({ at, day, slots }: PictureProps) => {
  const end = axisEnd(Math.max(...slots.map(({ calls }) => calls)))
  const width = 1 / slots.length
  const { calls, failed } = totals(slots)
  const rect = (index: number, value: number, kind: string) => {
    const height = Math.max(2, value / end * (BARS - FOOT - TOP))
    return value === 0 ? null : (
      <rect
        class={kind}
        x={percent((index + 0.1) * width)}
        width={percent(width * 0.8)}
        y={BARS - FOOT - height}
        height={height}
        rx={1.5}
      />
    )
  }
  return (
    <svg role="img" aria-label={words.callsChart(calls, failed)} height={BARS}>
      <Grid end={end} height={BARS} show={(value) => String(Math.round(value))} />
      {day.events.filter(({ kind }) => kind !== "ready").map(({ at: time, kind }) => (
        <line
          key={time + kind}
          class={`activity-mark ${kind}`}
          x1={percent(placeOf(time, day, slots.length))}
          x2={percent(placeOf(time, day, slots.length))}
          y1={4}
          y2={BARS - FOOT}
        >
          <title>{words.mark(moment(time), words.kinds[kind])}</title>
        </line>
      ))}
      {slots.map(({ calls: all, failed: bad, from }, index) => (
        <g key={from} class={at === null || at === index ? "activity-bar" : "activity-bar quiet"}>
          {rect(index, all, "all")}
          {rect(index, bad, "failed")}
        </g>
      ))}
      {labelled(slots, day.minutes).map((index) => (
        <text key={index} x={percent(index * width)} y={BARS - 4}>{labelOf(slots[index], day.minutes)}</text>
      ))}
    </svg>
  )
}

const labelOf = (slot: Slot | undefined, minutes: number): string =>
  slot === undefined ? "" : minutes === 60 ? dayMonth(slot.from) : minute(slot.from)

const Times = ({ at, slots }: PictureProps) => {
  const end = axisEnd(Math.max(...slots.map(({ p95 }) => p95)))
  const x = (index: number) => percent((index + 0.5) / slots.length)
  const y = (millis: number) => TIMES - FOOT - millis / end * (TIMES - FOOT - TOP)
  return (
    <svg role="img" aria-label={words.timesChart(slots.length)} height={TIMES}>
      <Grid end={end} height={TIMES} show={duration} />
      {slots.map(({ calls, from, p50, p95 }, index) =>
        calls === 0 ?
          null :
          (
            <g key={from} class={at === null || at === index ? "activity-time" : "activity-time quiet"}>
              <line x1={x(index)} x2={x(index)} y1={y(p50)} y2={Math.min(y(p95), y(p50) - 1)} />
              <circle cx={x(index)} cy={y(p50)} r={2.5} />
            </g>
          )
      )}
    </svg>
  )
}

const Tip = ({ at, slots }: { readonly at: number; readonly slots: ReadonlyArray<Slot> }) => {
  const slot = slots[at]
  if (slot === undefined) return null
  return (
    <p
      class={at > slots.length * 0.4 ? "activity-tip left" : "activity-tip"}
      style={{ insetInlineStart: percent((at + 0.5) / slots.length) }}
    >
      <strong>{moment(slot.from)}</strong>
      <span>{words.many(slot.calls)}</span>
      {slot.failed === 0 ? null : <span class="bad">{words.ofFailed(slot.failed)}</span>}
      {slot.calls === 0 ? null : <span>{words.median(duration(slot.p50))}</span>}
      {slot.calls === 0 ? null : <span>{words.high(duration(slot.p95))}</span>}
    </p>
  )
}
