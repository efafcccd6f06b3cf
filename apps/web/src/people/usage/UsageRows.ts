/** The usage over days as bars and as a table. Pure. */
import type * as Usage from "@boocode/chat-server/api/users/UsageApi"
import { locale } from "../../language/Language.ts"
import { dollars, duration, short } from "../../messages/Numbers.ts"
import { usageDays as words } from "../../messages/people/UsageMessages.ts"

export type Overview = typeof Usage.UsageOverview.Encoded
export type Day = Overview["days"][number]
type Used = Overview["models"][number]
type Called = Overview["servers"][number]

export type Measure = keyof typeof words.measures
export type Group = keyof typeof words.groups

/** Every day from the first one to today. */
export const everyDay = ({ days, since, until }: Pick<Overview, "days" | "since" | "until">): ReadonlyArray<Day> => {
  const known = new Map(days.map((day) => [day.name, day]))
  const first = Date.parse(since)
  const many = Math.round((Date.parse(until) - first) / DAY_MILLIS) + 1
  return Array.from({ length: many }, (_, index) => {
    const name = new Date(first + index * DAY_MILLIS).toISOString().slice(0, 10)
    return known.get(name) ?? { ...NOTHING, name }
  })
}

const DAY_MILLIS = 86_400_000

const NOTHING = {
  requests: 0,
  inputTokens: 0,
  outputTokens: 0,
  cost: 0,
  calls: 0,
  failed: 0,
  refused: 0,
  millis: 0
}

const VALUES = {
  cost: ({ cost }: Used) => cost,
  tokens: ({ inputTokens, outputTokens }: Used) => inputTokens + outputTokens,
  requests: ({ requests }: Used) => requests
}

export const valueOf = (measure: Measure, day: Day): number => measure === "calls" ? day.calls : VALUES[measure](day)

export const inWords = (measure: Measure, value: number): string =>
  measure === "cost" ? dollars(value) : measure === "requests" || measure === "calls" ? String(value) : short(value)

/** A day of UTC as it is written here. */
export const dayWords = (day: string): string =>
  new Date(day).toLocaleDateString(locale, { day: "numeric", month: "short", timeZone: "UTC" })

interface Column {
  readonly label: string
  /** Null for what a row has no number of. */
  readonly values: ReadonlyArray<number>
  readonly show: (value: number) => string
}

export interface Table {
  readonly names: ReadonlyArray<string>
  readonly columns: ReadonlyArray<Column>
  /** How long the bar of each row is, from 0 to 1. */
  readonly shares: ReadonlyArray<number>
}

const usedColumns = (rows: ReadonlyArray<Used>): ReadonlyArray<Column> => [
  { label: words.cost, values: rows.map(({ cost }) => cost), show: dollars },
  { label: words.requests, values: rows.map(({ requests }) => requests), show: String },
  { label: words.input, values: rows.map(({ inputTokens }) => inputTokens), show: short },
  { label: words.output, values: rows.map(({ outputTokens }) => outputTokens), show: short }
]

const calledColumns = (rows: ReadonlyArray<Called>): ReadonlyArray<Column> => [
  { label: words.calls, values: rows.map(({ calls }) => calls), show: String },
  { label: words.failed, values: rows.map(({ failed }) => failed), show: String },
  { label: words.refused, values: rows.map(({ refused }) => refused), show: String }
]

const average = (rows: ReadonlyArray<Called>): Column => ({
  label: words.average,
  values: rows.map(({ calls, millis, refused }) => calls === refused ? 0 : Math.round(millis / (calls - refused))),
  show: duration
})

const table = (names: ReadonlyArray<string>, columns: ReadonlyArray<Column>): Table => {
  const values = columns[0]?.values ?? []
  const most = Math.max(0, ...values)
  return { names, columns, shares: values.map((value) => most === 0 ? 0 : value / most) }
}

const both = (names: ReadonlyArray<string>, rows: ReadonlyArray<Day>) =>
  table(names, [...usedColumns(rows), ...calledColumns(rows)])

const named = (rows: ReadonlyArray<{ readonly name: string }>, without: string) =>
  rows.map(({ name }) => name === "" ? without : name)

export const tableOf = (group: Group, of: Overview): Table => {
  switch (group) {
    case "day": {
      const days = everyDay(of).toReversed()
      return both(days.map(({ name }) => name), days)
    }
    case "person":
      return both(named(of.people, words.gone), of.people)
    case "model":
      return table(named(of.models, words.none), usedColumns(of.models))
    case "agent":
      return table(named(of.agents, words.none), usedColumns(of.agents))
    case "server":
      return table(named(of.servers, words.builtIn), [...calledColumns(of.servers), average(of.servers)])
    case "tool":
      return table(named(of.tools, words.none), [...calledColumns(of.tools), average(of.tools)])
  }
}

/** A text that a spreadsheet would take for a formula gets an apostrophe. */
const cell = (text: string): string => `"${(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text).replaceAll("\"", "\"\"")}"`

export const csvOf = (by: string, { columns, names }: Table): string =>
  [
    [by, ...columns.map(({ label }) => label)].map(cell).join(","),
    ...names.map((name, row) => [cell(name), ...columns.map(({ values }) => String(values[row] ?? 0))].join(",")),
    ""
  ].join("\r\n")
