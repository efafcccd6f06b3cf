/**
 * A chat of eight turns at the chat server: four that find a tool and call it, three that read a file, one that is words alone.
 * A server joins after the fourth. The model is a script; what it is sent is kept.
 */
import { Chats } from "@boocode/chat"
import { McpRegistry } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Json } from "../../test/servers/model/Json.ts"
import { call, type Step, text } from "../../test/servers/model/Script.ts"
import * as ServedChats from "../support/ServedChats.ts"
import type { RecordedServers } from "./RecordedServers.ts"
import * as ScriptedWire from "./ScriptedWire.ts"
import type { Wire } from "./Wires.ts"

/** What the model does in a turn: an answer for each request. */
interface Turn {
  readonly text: string
  readonly answers: (has: { readonly call: (name: string, args: object) => Step }) => ReadonlyArray<ReadonlyArray<Step>>
  readonly finds?: string
}

const WORDS = "Here is what I found, in a few words that a model would write at the end of its work. ".repeat(4)

const found = (query: string, name: string, args: object): Turn => ({
  text: `Please find out: ${query}.`,
  answers: ({ call: through }) => [[call("tool_search", { query })], [through(name, args)], [text(WORDS)]],
  finds: name
})

const read = (path: string): Turn => ({
  text: `What does ${path} say?`,
  answers: () => [[call("view_file", { path })], [text(WORDS)]]
})

/** The server that joins. */
export const LATE = "arxiv-mcp-server"

const HELLO: Turn = { text: "Hello, what can you do for me?", answers: () => [[text(WORDS)]] }

const BEFORE: ReadonlyArray<Turn> = [
  found("the weather in a city", "weather_get_weather_by_city", { city: "Paris" }),
  read("notes/plan.md"),
  found("the price of a stock", "yahoo-finance_get_current_stock_price", { symbol: "AAPL" })
]

const AFTER: ReadonlyArray<Turn> = [
  read("notes/report.md"),
  found("papers on arxiv about a topic", "arxiv-mcp-server_search_papers", { query: "tool search" }),
  read("notes/minutes.md"),
  found("what an article of wikipedia says in short", "wikipedia_get_summary", { title: "Paris" })
]

const FILES = ["plan", "report", "minutes"]
const LINES = 200

/** Some 4,000 tokens. */
const fileText = (name: string): string =>
  Array.from(
    { length: LINES },
    (_, at) => `${at + 1}. In the ${name}, entry ${at * 7} says what was agreed on that day.`
  )
    .join("\n")

/** Entries of mcp.json. */
export type Entries = Readonly<Record<string, unknown>>

/** The chat server's world. */
export interface World {
  readonly entries: Entries
  /** Some of the servers, of which one joins late; null for a chat of one message. */
  readonly servers: RecordedServers | null
  readonly settings?: object
}

const folderWith = ({ entries, settings }: World): string => {
  const folder = mkdtempSync(join(tmpdir(), "boocode-bench-"))
  mkdirSync(join(folder, "workspace", "notes"), { recursive: true })
  for (const name of FILES) writeFileSync(join(folder, "workspace", "notes", `${name}.md`), fileText(name))
  writeFileSync(join(folder, "mcp.json"), JSON.stringify({ mcpServers: entries }))
  writeFileSync(join(folder, "settings.json"), JSON.stringify({ titles: "message", ...settings }))
  return folder
}

/** The bodies of the requests. Fails for a chat that did not go as the script says. */
export const requests = (wire: Wire, world: World) =>
  Effect.gen(function*() {
    const script: ScriptedWire.Script = { answers: [], bodies: [], millis: 0 }
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => folderWith(world)),
      (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
    )
    yield* chat(wire, script, world.servers).pipe(
      Effect.provide(ServedChats.layer(folder, wire.model, ScriptedWire.models(wire, script)))
    )
    return script.bodies
  }).pipe(Effect.scoped)

const chat = Effect.fnUntraced(function*(wire: Wire, script: ScriptedWire.Script, servers: RecordedServers | null) {
  const chats = yield* Chats
  const registry = yield* McpRegistry
  const { id } = yield* chats.create({ agent: null, model: null })
  const ready = (late: string | null) =>
    Effect.map(registry.servers, (all) => all.filter(({ name, state }) => name !== late && state !== "ready")).pipe(
      Effect.repeat({ until: (missing) => missing.length === 0, schedule: Schedule.spaced("50 millis") }),
      Effect.timeout("2 minutes")
    )
  yield* ready(servers === null ? null : LATE)
  if (servers === null) return yield* turn(chats, id, wire, script, HELLO)
  yield* Effect.forEach([HELLO, ...BEFORE], (one) => turn(chats, id, wire, script, one), { discard: true })
  servers.open()
  yield* ready(null)
  yield* Effect.forEach(AFTER, (one) => turn(chats, id, wire, script, one), { discard: true })
})

const turn = Effect.fnUntraced(function*(
  chats: typeof Chats.Service,
  id: string,
  wire: Wire,
  script: ScriptedWire.Script,
  { answers, finds, text }: Turn
) {
  const before = (yield* chats.get(id)).turns.flatMap(({ parts }) => parts).at(-1)?.seq ?? 0
  script.answers = answers({ call: (name, args) => through(wire, script.bodies.at(-1) ?? {}, name, args) })
  yield* chats.send(id, { text, agent: null, model: null })
  const parts = yield* chats.events(id, before).pipe(
    Stream.takeUntil(({ type }) => type === "finish"),
    Stream.runCollect
  )
  const wrong = parts.filter((part) => part.type === "error" || (part.type === "tool-result" && part.isError))
  const isFound = finds === undefined || parts.some((part) => part.type === "tool-call" && part.name === finds)
  if (wrong.length > 0 || !isFound || script.answers.length > 0) {
    return yield* Effect.die(new Error(`${wire.title}, "${text}": ${JSON.stringify(parts).slice(-2000)}`))
  }
})

/** A model calls a tool that it was not given through `tool_call`, where it has that. */
const through = (wire: Wire, body: Json, name: string, args: object): Step => {
  if (!wire.tools(body).includes("tool_call")) return call(name, args)
  return call("tool_call", { name, arguments: wire.model.startsWith("google/") ? JSON.stringify(args) : args })
}
