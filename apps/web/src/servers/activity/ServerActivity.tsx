/** A server over the day or the week: its calls, their times, and what happened to it. */
import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { get, path, query } from "../../api/Client.ts"
import { duration, moment } from "../../messages/Numbers.ts"
import { activity as words } from "../../messages/servers/ActivityMessages.ts"
import { Refused, useAttempt } from "../../state/Attempt.tsx"
import { isAdmin } from "../../state/people/Me.ts"
import { Button } from "../../ui/Button.tsx"
import { saveText } from "../../ui/files/Saving.ts"
import { Fold } from "../../ui/Fold.tsx"
import { Segments } from "../../ui/forms/Segments.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import { ActivityChart } from "./ActivityChart.tsx"
import { csv, header, type ServerDay, type ServerEvent } from "./ActivityRows.ts"
import "./activity.css"

type Range = keyof typeof words.ranges

const RANGES: ReadonlyArray<readonly [Range, string]> = [["24", words.ranges["24"]], ["168", words.ranges["168"]]]

export const ServerActivity = ({ server }: { readonly server: string }) => {
  const found = useSignal<ServerDay | null>(null)
  const range = useSignal<Range>("24")
  const { refused, run } = useAttempt()
  const { value: hours } = range
  useEffect(() =>
    void run(async () => {
      const route = isAdmin.value ? path("usage", "servers", server) : path("me", "usage", "servers", server)
      const day = await get<ServerDay>(query(route, { hours }))
      // A range that was chosen later may be answered earlier.
      if (range.value === hours) found.value = day
    }), [server, hours])
  const { value: day } = found
  return (
    <section class="activity" aria-label={words.tab}>
      <div class="activity-head">
        <Segments label={words.range} options={RANGES} value={hours} onChange={(chosen) => range.value = chosen} />
        {day === null || day.slots.length === 0 ?
          null :
          (
            <Button
              isSmall
              icon="download"
              onClick={() => saveText(csv(day), `${server}-${day.until.slice(0, 10)}.csv`)}
            >
              {words.csv}
            </Button>
          )}
      </div>
      <Refused why={refused.value} />
      {day === null && refused.value === null ? <Spinner label={words.reading} /> : null}
      {day === null ? null : <Shown day={day} />}
    </section>
  )
}

const Shown = ({ day }: { readonly day: ServerDay }) => (
  <>
    {day.slots.length === 0
      ? <p class="muted">{words.none}</p>
      : (
        <>
          <ActivityChart day={day} />
          <Fold summary={words.asTable} inside={() => <Figures day={day} />} />
        </>
      )}
    {isAdmin.value || day.events.length > 0
      ? (
        <>
          <h2 class="section-heading">{words.events}</h2>
          {day.events.length === 0
            ? <p class="muted">{words.noEvents}</p>
            : (
              <ul class="activity-events">
                {day.events.toReversed().map((event) => <Event key={event.at + event.kind} event={event} />)}
              </ul>
            )}
        </>
      )
      : null}
    <p class="muted small">
      {isAdmin.value ? words.kept(day.auditDays) : `${words.own} ${words.kept(day.auditDays)}`}
    </p>
  </>
)

const Event = ({ event: { at, kind, reason } }: { readonly event: ServerEvent }) => (
  <li>
    <span class={`activity-dot ${kind}`} aria-hidden="true" />
    <time dateTime={at}>{moment(at)}</time>
    {reason === null ? words.kinds[kind] : words.because(words.kinds[kind], reason)}
  </li>
)

const Figures = ({ day }: { readonly day: ServerDay }) => (
  <div class="table-box" tabIndex={0} role="region" aria-label={words.times}>
    <table>
      <thead>
        <tr>
          {header.map((label, at) => <th key={label} scope="col" {...at === 0 ? {} : { class: "amount" }}>{label}</th>)}
        </tr>
      </thead>
      <tbody>
        {day.slots.toReversed().map(({ calls, failed, from, p50, p95, slowest }) => (
          <tr key={from}>
            <th scope="row">{moment(from)}</th>
            <td class="amount">{calls}</td>
            <td class="amount">{failed}</td>
            <td class="amount">{duration(p50)}</td>
            <td class="amount">{duration(p95)}</td>
            <td class="amount">{duration(slowest)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)
