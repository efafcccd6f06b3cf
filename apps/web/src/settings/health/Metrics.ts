/** The figures of `/metrics` as rows that people read. Pure. */
import { dollars, duration, short } from "../../messages/Numbers.ts"
import { health as words } from "../../messages/settings/HealthMessages.ts"
import { csvOf } from "../../ui/data/Csv.ts"

export interface Figure {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

const LINE = /^([A-Za-z_:][\w:]*)(?:\{(.*)\})? (\S+)$/
const LABEL = /([A-Za-z_]\w*)="((?:[^"\\]|\\.)*)"/g

const plain = (text: string): string =>
  text.replaceAll(/\\(.)/g, (_, character: string) => character === "n" ? "\n" : character)

/** Reads the text format of Prometheus. It leaves out every line that is no figure. */
export const read = (text: string): ReadonlyArray<Figure> =>
  text.split("\n").flatMap((line) => {
    const [, name, labels = "", value] = LINE.exec(line.trim()) ?? []
    const number = Number(value)
    if (name === undefined || Number.isNaN(number)) return []
    const pairs = [...labels.matchAll(LABEL)].map(([, key = "", said = ""]) => [key, plain(said)] as const)
    return [{ name, labels: Object.fromEntries(pairs), value: number }]
  })

export const one = (figures: ReadonlyArray<Figure>, name: string, labels: Figure["labels"] = {}): number =>
  sum(
    figures.filter((figure) =>
      figure.name === name && Object.entries(labels).every(([key, value]) => figure.labels[key] === value)
    )
  )

const sum = (figures: ReadonlyArray<Figure>): number => figures.reduce((all, { value }) => all + value, 0)

const by = (figures: ReadonlyArray<Figure>, label: string, ...names: ReadonlyArray<string>) =>
  Map.groupBy(
    figures.filter((figure) => names.includes(figure.name) && figure.labels[label] !== undefined),
    ({ labels }) => labels[label] ?? ""
  )

export interface Table {
  readonly title: string
  readonly header: ReadonlyArray<string>
  readonly rows: ReadonlyArray<ReadonlyArray<string>>
}

const average = (figures: ReadonlyArray<Figure>, name: string): string => {
  const many = one(figures, `${name}_count`)
  return many === 0 ? "" : duration(one(figures, `${name}_sum`) / many * 1000)
}

const CALLS = "mcp_client_operation_duration_seconds"
const REQUESTS = "boocode_http_request_duration_seconds"

const servers = (figures: ReadonlyArray<Figure>): Table => {
  const times = by(figures, "boocode_server", `${CALLS}_count`, `${CALLS}_sum`)
  const rows = [...by(figures, "server", "mcp_server_tools", "mcp_server_restarts_total", "mcp_tool_calls_total")].map(
    ([server, own]) => {
      const calls = own.filter(({ name }) => name === "mcp_tool_calls_total")
      const failed = calls.filter(({ labels }) => labels["outcome"] !== "ok")
      return [
        server,
        String(one(own, "mcp_server_tools")),
        String(sum(calls)),
        String(sum(failed)),
        average(times.get(server) ?? [], CALLS),
        String(one(own, "mcp_server_restarts_total"))
      ]
    }
  )
  return {
    title: words.servers,
    header: [words.server, words.tools, words.calls, words.failed, words.average, words.restarts],
    rows
  }
}

const models = (figures: ReadonlyArray<Figure>): Table => ({
  title: words.models,
  header: [words.model, words.input, words.output, words.cost],
  rows: [...by(figures, "model", "boocode_model_tokens_total", "boocode_model_cost_dollars_total")].map((
    [model, own]
  ) => [
    model,
    short(one(own, "boocode_model_tokens_total", { kind: "input" })),
    short(one(own, "boocode_model_tokens_total", { kind: "output" })),
    dollars(one(own, "boocode_model_cost_dollars_total"))
  ])
})

const answers = (figures: ReadonlyArray<Figure>): Table => ({
  title: words.answers,
  header: [words.reason, words.many],
  rows: [...by(figures, "reason", "boocode_turns_total")].map(([reason, own]) => [reason, String(sum(own))])
})

const requests = (figures: ReadonlyArray<Figure>): Table => {
  const times = by(figures, "route", `${REQUESTS}_count`, `${REQUESTS}_sum`)
  const rows = [...by(figures, "route", "boocode_http_requests_total")].map(([route, own]) => {
    const refused = own.filter(({ labels }) => Number(labels["status"]) >= 400)
    return {
      many: sum(own),
      row: [route, String(sum(own)), String(sum(refused)), average(times.get(route) ?? [], REQUESTS)]
    }
  })
  return {
    title: words.requests,
    header: [words.route, words.many, words.refused, words.average],
    rows: rows.toSorted((one, other) => other.many - one.many).map(({ row }) => row)
  }
}

/** Those that have rows. */
export const tablesOf = (figures: ReadonlyArray<Figure>): ReadonlyArray<Table> =>
  [answers(figures), servers(figures), models(figures), requests(figures)].filter(({ rows }) => rows.length > 0)

export const csv = (figures: ReadonlyArray<Figure>): string =>
  csvOf([
    [words.figure, words.labels, words.value],
    ...figures.map(({ labels, name, value }) => [
      name,
      Object.entries(labels).map(([key, said]) => `${key}=${said}`).join(" "),
      String(value)
    ])
  ])
