/**
 * Tool search: how long 10,000 tools take to index and to search, and how often it finds what is meant among 527 real tools,
 * against plain BM25 over the same text. `node bench/Search.ts [--tools 10000] [--missed]`
 */
import { ToolSearch } from "@boocode/toolkit"
import MiniSearch from "minisearch"
import { availableParallelism } from "node:os"
import { parseArgs } from "node:util"
import * as Bm25 from "./support/Bm25.ts"
import { many, queries, type Query, tools } from "./support/Catalogue.ts"
import { median } from "./support/Samples.ts"

const { values } = parseArgs({
  options: { tools: { type: "string", default: "10000" }, missed: { type: "boolean", default: false } }
})

const timed = <A>(work: () => A): readonly [A, number] => {
  const start = performance.now()
  const result = work()
  return [result, performance.now() - start]
}

const millis = (value: number): string => `${value.toFixed(value < 10 ? 2 : 0)} ms`

const spreadOf = (all: ReadonlyArray<number>): string => {
  const sorted = all.toSorted((one, other) => one - other)
  const at = (part: number) => sorted[Math.floor((sorted.length - 1) * part)] ?? 0
  return `median ${millis(at(0.5))}, 95 % within ${millis(at(0.95))}, at most ${millis(at(1))}`
}

const ROUNDS = 5

const speed = (name: string, index: () => (query: string) => unknown): void => {
  const built: Array<number> = []
  const searched: Array<number> = []
  for (let round = 0; round < ROUNDS; round++) {
    const [search, took] = timed(index)
    built.push(took)
    // Once to warm up.
    for (const { query } of queries) search(query)
    for (const { query } of queries) searched.push(timed(() => search(query))[1])
  }
  console.log(
    `${name}: indexed in ${millis(median(built))} (the first time ${millis(built[0] ?? 0)}, at best ${
      millis(Math.min(...built))
    }); searched: ${spreadOf(searched)}`
  )
}

const catalogue = many(Number(values.tools))
console.log(
  `${catalogue.length} tools, ${queries.length} queries; Node ${process.versions.node}, ${availableParallelism()} cores`
)
speed("ToolSearch", () => {
  const index = ToolSearch.make()
  index.update(catalogue)
  return (query) => index.search(query)
})
{
  const index = ToolSearch.make()
  index.update(catalogue)
  const less = catalogue.slice(100)
  console.log(
    `ToolSearch: 100 of ${catalogue.length} tools go in ${millis(timed(() => index.update(less))[1])}, come in ${
      millis(timed(() => index.update(catalogue))[1])
    }; nothing new is told in ${millis(timed(() => index.update(catalogue))[1])}`
  )
}
speed("MiniSearch", () => {
  const index = new MiniSearch<{ readonly id: string; readonly name: string; readonly text: string }>({
    fields: ["name", "text"],
    autoVacuum: false
  })
  index.addAll(catalogue.map((tool) => ({ id: tool.name, name: tool.tool ?? "", text: Bm25.textOf(tool) })))
  return (query) => index.search(query, { prefix: true, fuzzy: 0.2, boost: { name: 3 } }).slice(0, 10)
})

type Find = (query: string, limit: number) => ReadonlyArray<string>

const share = (find: Find, { expected, query }: Query, limit: number): number => {
  const found = new Set(find(query, limit))
  return expected.filter((name) => found.has(name)).length / Math.min(expected.length, limit)
}

const mean = (all: ReadonlyArray<number>): number => all.reduce((sum, one) => sum + one, 0) / all.length

const recall = (find: Find, some: ReadonlyArray<Query>, limit: number): string =>
  mean(some.map((query) => share(find, query, limit))).toFixed(3)

const index = ToolSearch.make()
index.update(tools)
const ours: Find = (query, limit) => index.search(query, { limit }).map(({ name }) => name)
const plain = Bm25.make(tools)
const kinds = ["all", "plain", "paraphrase", "typo", "name", "not English"] as const
const rows = kinds.map((kind) => {
  const some = queries.filter((query) =>
    kind === "all" || query.kind === kind || (kind === "not English" && query.language !== "en")
  )
  return {
    queries: `${kind} (${some.length})`,
    "ToolSearch @5": recall(ours, some, 5),
    "BM25 @5": recall(plain, some, 5),
    "ToolSearch @10": recall(ours, some, 10),
    "BM25 @10": recall(plain, some, 10)
  }
})
console.log(`\nRecall among ${tools.length} tools`)
console.table(rows)

if (values.missed) {
  for (const query of queries.filter((one) => share(ours, one, 5) < 1)) {
    console.log(`${query.query} -> ${query.expected.join(", ")}\n    ${ours(query.query, 5).join(", ")}`)
  }
}
