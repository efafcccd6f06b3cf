/** The route `#/settings/health`: what the chat server counts of itself, for admins. */
import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { bytes, duration } from "../../messages/Numbers.ts"
import { health as words } from "../../messages/settings/HealthMessages.ts"
import { Refused, useAttempt } from "../../state/Attempt.tsx"
import { Fact, Panel } from "../../state/Panel.tsx"
import { Button } from "../../ui/Button.tsx"
import { saveText } from "../../ui/files/Saving.ts"
import type { PanelProps } from "../../ui/Lazy.tsx"
import { getMetrics } from "../SettingsClient.ts"
import "../../ui/panels.css"
import { Spinner } from "../../ui/Spinner.tsx"
import { csv, type Figure, one, read, type Table, tablesOf } from "./Metrics.ts"

const PACE_MILLIS = 5000

interface Look {
  readonly at: number
  readonly figures: ReadonlyArray<Figure>
}

export const HealthPanel = (_: PanelProps) => {
  const look = useSignal<readonly [now: Look, before: Look] | null>(null)
  const { refused, run } = useAttempt()
  useEffect(() => {
    const leaving = new AbortController()
    const ask = () =>
      run(async () => {
        const now = { figures: read(await getMetrics(leaving.signal)), at: performance.now() }
        look.value = [now, look.value?.[0] ?? now]
      })
    void ask()
    // Nobody looks at a page that is hidden.
    const pace = setInterval(() => document.hidden || void ask(), PACE_MILLIS)
    return () => {
      leaving.abort()
      clearInterval(pace)
    }
  }, [])
  const { value } = look
  return (
    <Panel title={words.title} isOfSettings>
      <p>{words.about}</p>
      <Refused why={refused.value} />
      {value === null
        ? refused.value === null ? <Spinner label={words.reading} /> : null
        : (
          <>
            <Facts now={value[0]} before={value[1]} />
            {tablesOf(value[0].figures).map((table) => <Figures key={table.title} table={table} />)}
            <p>
              <Button isSmall icon="download" onClick={() => saveText(csv(value[0].figures), "metrics.csv")}>
                {words.csv}
              </Button>
            </p>
          </>
        )}
    </Panel>
  )
}

const CPU = "process_cpu_seconds_total"

const Facts = ({ before, now: { at, figures } }: { readonly before: Look; readonly now: Look }) => {
  const passed = (at - before.at) / 1000
  const used = one(figures, CPU) - one(before.figures, CPU)
  return (
    <dl class="server-about">
      <Fact name={words.since}>{duration(one(figures, "process_uptime_seconds") * 1000)}</Fact>
      <Fact name={words.memory}>
        {bytes(one(figures, "process_resident_memory_bytes"))}, {words.heap}{" "}
        {bytes(one(figures, "nodejs_heap_used_bytes"))}
      </Fact>
      {passed === 0 ? null : <Fact name={words.cpu}>{words.ofOne(Math.round(used / passed * 100))}</Fact>}
      <Fact name={words.delay}>
        {duration(one(figures, "nodejs_eventloop_delay_seconds", { quantile: "1" }) * 1000)}
      </Fact>
      <Fact name={words.running}>{one(figures, "boocode_turns_running")}</Fact>
      <Fact name={words.streams}>{one(figures, "boocode_event_streams")}</Fact>
    </dl>
  )
}

const Figures = ({ table: { header, rows, title } }: { readonly table: Table }) => (
  <section>
    <h2 class="section-heading">{title}</h2>
    <div class="table-box" tabIndex={0} role="region" aria-label={title}>
      <table>
        <thead>
          <tr>
            {header.map((label, at) => <th key={label} scope="col" {...at === 0 ? {} : { class: "amount" }}>{label}
            </th>)}
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, ...values]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              {values.map((value, at) => <td key={at} class="amount">{value}</td>)}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </section>
)
