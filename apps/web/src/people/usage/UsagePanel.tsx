/** The route `#/settings/usage`: what was used over days, for admins of everybody, for others their own. */
import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { get } from "../../api/Client.ts"
import { usageDays as words } from "../../messages/people/UsageMessages.ts"
import { Refused, useAttempt } from "../../state/Attempt.tsx"
import { Panel } from "../../state/Panel.tsx"
import { hasPeople } from "../../state/people/Me.ts"
import { Button } from "../../ui/Button.tsx"
import { saveText } from "../../ui/files/Saving.ts"
import { Segments } from "../../ui/forms/Segments.tsx"
import type { PanelProps } from "../../ui/Lazy.tsx"
import "../../ui/panels.css"
import { Spinner } from "../../ui/Spinner.tsx"
import "../people.css"
import { getMe } from "../PeopleClient.ts"
import { DayChart } from "./DayChart.tsx"
import "./usage.css"
import {
  csvOf,
  everyDay,
  type Group,
  inWords,
  type Measure,
  type Overview,
  type Table,
  tableOf,
  valueOf
} from "./UsageRows.ts"

const RANGES = (["7", "30", "90"] as const).map((days) => [days, words.days(Number(days))] as const)

const MEASURES: ReadonlyArray<readonly [Measure, string]> = [
  ["cost", words.measures.cost],
  ["tokens", words.measures.tokens],
  ["requests", words.measures.requests],
  ["calls", words.measures.calls]
]

const groupsOf = (hasPersons: boolean): ReadonlyArray<readonly [Group, string]> => [
  ...hasPersons ? [["person", words.groups.person] as const] : [],
  ["model", words.groups.model],
  ["agent", words.groups.agent],
  ["server", words.groups.server],
  ["tool", words.groups.tool],
  ["day", words.groups.day]
]

interface Found {
  readonly isAll: boolean
  readonly overview: Overview
}

export const UsagePanel = (_: PanelProps) => {
  const found = useSignal<Found | null>(null)
  const range = useSignal<typeof RANGES[number][0]>("30")
  const { refused, run } = useAttempt()
  const { value: days } = range
  useEffect(() =>
    void run(async () => {
      const { admin } = await getMe()
      const overview = await get<Overview>(`${admin ? "usage" : "me/usage"}/days?days=${days}`)
      // A range that was chosen later may be answered earlier.
      if (range.value === days) found.value = { isAll: admin, overview }
    }), [days])
  const { value } = found
  return (
    <Panel title={words.title} isOfSettings>
      <p>{value?.isAll === false ? words.aboutOwn : words.aboutAll}</p>
      <Segments label={words.range} options={RANGES} value={days} onChange={(chosen) => range.value = chosen} />
      <Refused why={refused.value} />
      {value === null && refused.value === null ? <Spinner label={words.reading} /> : null}
      {value === null ? null : <Shown of={value} />}
    </Panel>
  )
}

const Shown = ({ of: { isAll, overview } }: { readonly of: Found }) => {
  const groups = groupsOf(isAll && hasPeople.value)
  const measure = useSignal<Measure>("cost")
  const group = useSignal<Group>("model")
  const days = everyDay(overview)
  const total = days.reduce((sum, day) => sum + valueOf(measure.value, day), 0)
  const table = tableOf(group.value, overview)
  const isOfTools = group.value === "server" || group.value === "tool"
  return (
    <>
      <section class="people-part" aria-label={words.measures[measure.value]}>
        <div class="usage-head">
          <p class="usage-total">
            <strong>{inWords(measure.value, total)}</strong> <span class="muted">{words.total(days.length)}</span>
          </p>
          <Segments
            label={words.measure}
            options={MEASURES}
            value={measure.value}
            onChange={(one) => measure.value = one}
          />
        </div>
        {total === 0 ? null : <DayChart days={days} measure={measure.value} />}
      </section>
      <section class="people-part" aria-label={words.by}>
        <div class="usage-head">
          <Segments label={words.by} options={groups} value={group.value} onChange={(one) => group.value = one} />
          {table.names.length === 0 ? null : (
            <Button
              isSmall
              icon="download"
              onClick={() =>
                saveText(csvOf(words.groups[group.value], table), `usage-${overview.until}-${group.value}.csv`)}
            >
              {words.csv}
            </Button>
          )}
        </div>
        {table.names.length === 0
          ? <p class="muted">{words.nothing}</p>
          : <UsageTable by={words.groups[group.value]} table={table} />}
        <p class="muted usage-note">
          {isOfTools ? `${words.toolsCost} ${words.kept(overview.auditDays)}` : words.unknownCost}
        </p>
      </section>
    </>
  )
}

const UsageTable = ({ by, table: { columns, names, shares } }: { readonly by: string; readonly table: Table }) => (
  <div class="table-box usage-table" tabIndex={0} role="region" aria-label={words.table(by)}>
    <table>
      <thead>
        <tr>
          <th scope="col">{by}</th>
          {columns.map(({ label }) => <th key={label} scope="col" class="amount">{label}</th>)}
        </tr>
      </thead>
      <tbody>
        {names.map((name, row) => (
          <tr key={row}>
            <th scope="row">
              {name}
              <svg class="usage-share" aria-hidden="true" height={4}>
                <rect width={`${(shares[row] ?? 0) * 100}%`} height={4} rx={2} />
              </svg>
            </th>
            {columns.map(({ label, show, values }) => <td key={label} class="amount">{show(values[row] ?? 0)}</td>)}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)
