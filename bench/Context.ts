/**
 * What the requests of a long chat cost, and the first one: tokens counted from the requests as they leave, for each kind of
 * provider. `pnpm bench context [--readme] [--dump FOLDER]`: `--readme` writes the tables into docs/performance.md, `--dump` keeps the
 * requests.
 */
import * as Effect from "effect/Effect"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import * as LongChat from "./context/LongChat.ts"
import * as PrefixCost from "./context/PrefixCost.ts"
import * as RecordedServers from "./context/RecordedServers.ts"
import { type Wire, WIRES } from "./context/Wires.ts"
import * as Document from "./support/Document.ts"

const { values } = parseArgs({
  allowPositionals: true,
  options: { readme: { type: "boolean", default: false }, dump: { type: "string" }, wire: { type: "string" } }
})
const wires = WIRES.filter(({ title }) => values.wire === undefined || title === values.wire)

const fixture = (name: string): ReadonlyArray<RecordedServers.Recorded> => {
  const text = readFileSync(new URL(`../test/fixtures/${name}`, import.meta.url), "utf8")
  const { servers }: { readonly servers: ReadonlyArray<Fixture> } = JSON.parse(text)
  return servers.map(({ server, tools, ...rest }) => ({
    ...rest,
    name: server.replaceAll(/[^A-Za-z0-9-]+/g, "-"),
    tools: tools.map(({ annotations, description, inputSchema = { type: "object" }, name }) => ({
      name,
      inputSchema,
      description: description ?? "",
      ...annotations === null || annotations === undefined ? {} : { annotations }
    }))
  }))
}

interface Fixture {
  readonly server: string
  readonly instructions?: string
  readonly tools: ReadonlyArray<{
    readonly name: string
    readonly description?: string | null
    readonly inputSchema?: object
    readonly annotations?: object | null
  }>
}

const bin = (name: string): string => fileURLToPath(new URL(`../test/node_modules/.bin/${name}`, import.meta.url))

/** Servers as their authors ship them. */
const REAL: LongChat.Entries = {
  everything: { command: bin("mcp-server-everything") },
  "graph-memory": { command: bin("mcp-server-memory") },
  "local-files": { command: bin("mcp-server-filesystem"), args: ["."] }
}

const recorded = fixture("live-mcp.json")
const published = fixture("server-names.json")

const dumped = (name: string, bodies: ReadonlyArray<unknown>): void => {
  if (values.dump === undefined) return
  mkdirSync(values.dump, { recursive: true })
  for (const [at, body] of bodies.entries()) {
    writeFileSync(join(values.dump, `${name} ${String(at + 1).padStart(2, "0")}.json`), JSON.stringify(body, null, 1))
  }
}

const entriesOf = (servers: RecordedServers.RecordedServers, some: ReadonlyArray<RecordedServers.Recorded>) =>
  Object.fromEntries(some.map(({ name }) => [name, { url: servers.url(name) }]))

const longChat = async (wire: Wire): Promise<PrefixCost.Cost> => {
  await using servers = await RecordedServers.start(recorded, new Set([LongChat.LATE]))
  const entries = { ...entriesOf(servers, recorded), ...REAL }
  const bodies = await Effect.runPromise(LongChat.requests(wire, { entries, servers }))
  dumped(wire.title, bodies)
  return PrefixCost.of(bodies.map(wire.prompt), wire.byMarks)
}

/** The first request with servers of which the names are known, but not the definitions, which a first request has not. */
const firstRequest = async (wire: Wire): Promise<number> => {
  await using servers = await RecordedServers.start(published, new Set())
  const world = { entries: entriesOf(servers, published), servers: null, settings: { toolSearch: { mode: "always" } } }
  const bodies = await Effect.runPromise(LongChat.requests(wire, world))
  dumped(`${wire.title}, published servers`, bodies)
  return PrefixCost.of(bodies.map(wire.prompt), wire.byMarks).first
}

const grouped = (count: number): string => count.toLocaleString("en-US")

const share = (part: number, all: number): string => `${(100 * part / all).toFixed(1)} %`

const MOST_ABOVE = 0.03
const MOST_FIRST = 3000

const rows: Array<ReadonlyArray<string>> = []
const missed: Array<string> = []
for (const wire of wires) {
  const { anew, deferred, first, ideal, requests, sent } = await longChat(wire)
  const published = await firstRequest(wire)
  const row = [
    wire.title,
    String(requests),
    grouped(sent),
    grouped(anew),
    share(anew, sent),
    share(ideal, sent),
    grouped(first),
    grouped(published),
    deferred === 0 ? "" : grouped(deferred)
  ]
  process.stderr.write(`${row.join(" | ")}\n`)
  if (anew - ideal > MOST_ABOVE * sent) missed.push(`${wire.title}: ${share(anew - ideal, sent)} above the best`)
  if (Math.max(first, published) > MOST_FIRST) missed.push(`${wire.title}: the first request`)
  rows.push(row)
}

const table = (titles: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [titles, titles.map((_, at) => at === 0 ? "---" : "---:"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n")

const verdict = missed.length === 0 ? "Every target was met." : `Missed: ${missed.join("; ")}.`

const markdown = `${
  table(
    ["", "requests", "tokens sent", "read anew", "share", "at best", "first request", "… of 29 servers", "deferred"],
    rows
  )
}\n\n${verdict}`
if (values.readme) Document.write("docs/performance.md", "pnpm bench context", markdown)
console.log(markdown)
