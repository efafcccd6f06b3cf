/** Servers as a person manages them: start, stop, restart, refresh, health, news and resources, over HTTP and by command. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Offers from "./servers/interop/Offers.ts"
import * as AppCommand from "./support/AppCommand.ts"
import * as AppServer from "./support/AppServer.ts"
import * as ChatServer from "./support/ChatServer.ts"
import { data, untilSeen } from "./support/CliFolder.ts"
import * as Command from "./support/Command.ts"
import * as FixtureServer from "./support/FixtureServer.ts"
import * as PartListener from "./support/PartListener.ts"

const LIMIT = 120_000

/** The same offers: a server of the revisions before 2026-07-28, and one of that, which is asked for nothing else. */
const offers = (name: "Sdk1" | "Sdk2") => FixtureServer.program(`interop/${name}`)

interface Update {
  readonly uri: string
  readonly at: number
}

const stage = Effect.gen(function*() {
  const place = yield* data({}, {
    old: offers("Sdk1"),
    new: { ...offers("Sdk2"), protocol: "2026-07-28", instructions: false }
  })
  const server = yield* AppServer.start(place.data)
  const names = ["files", "old", "new"]
  const statuses = Effect.map(
    server.get("/api/mcp/servers"),
    ({ body }) => body["servers"] as ReadonlyArray<Record<string, unknown>>
  )
  yield* ChatServer.until(
    statuses,
    (all) => names.every((name) => all.some((one) => one["name"] === name && one["state"] === "ready"))
  )
  const put = (path: string, body: unknown) =>
    Effect.promise(async () => {
      const headers = { "content-type": "application/json" }
      const response = await fetch(`${server.url}${path}`, { method: "PUT", headers, body: JSON.stringify(body) })
      const given: Record<string, unknown> = JSON.parse(await response.text())
      return { status: response.status, body: given }
    })
  const command = (...args: ReadonlyArray<string>) => [...args, "--data", place.data, "--url", server.url]
  const run = (...args: ReadonlyArray<string>) => AppCommand.run(command(...args), { cwd: place.data })
  const start = (...args: ReadonlyArray<string>) => Command.start(command(...args), { cwd: place.data })
  const status = (name: string) => Effect.map(statuses, (all) => all.find((one) => one["name"] === name) ?? {})
  const control = (name: string, verb: string) =>
    Effect.map(
      server.post(`/api/mcp/servers/${name}/${verb}`),
      ({ body, status }) => [status, body["_tag"] ?? body["state"]]
    )
  return { place, server, put, run, start, status, control }
})

type Stage = Effect.Success<typeof stage>

/** Every state of a server, and what is refused in it by a name of its own. */
const lifecycle = Effect.fnUntraced(function*({ control, run, server }: Stage) {
  assert.deepStrictEqual(yield* control("old", "start"), [409, "AlreadyRunning"])
  assert.deepStrictEqual(yield* control("old", "stop"), [200, "stopped"])
  assert.deepStrictEqual(yield* control("old", "stop"), [409, "NotRunning"])
  assert.deepStrictEqual(yield* control("old", "refresh"), [503, "NotReady"])
  assert.deepStrictEqual(yield* control("old", "ping"), [503, "NotReady"])
  assert.deepStrictEqual(yield* control("old", "start"), [200, "ready"])
  assert.deepStrictEqual(yield* control("old", "restart"), [200, "ready"])
  assert.deepStrictEqual(yield* control("old", "refresh"), [200, "ready"])
  assert.deepStrictEqual(yield* control("odl", "ping"), [404, "UnknownServer"])
  for (const name of ["old", "new"]) {
    const { body, status } = yield* server.post(`/api/mcp/servers/${name}/ping`)
    assert.strictEqual(status, 200, name)
    assert.isBelow(Number(body["millis"]), 10_000)
  }
  const { code, stdout } = yield* run("mcp", "ping", "new")
  assert.deepStrictEqual([code, /^new answered in \d+ ms\n$/.test(stdout)], [0, true], stdout)
})

/** What a server says of itself is captured once, and left out where its entry wants that. */
const instructions = Effect.fnUntraced(function*({ status }: Stage) {
  assert.strictEqual((yield* status("old"))["instructions"], Offers.INSTRUCTIONS)
  assert.isNull((yield* status("new"))["instructions"])
})

const logLevels = Effect.fnUntraced(function*({ put, run, server, status }: Stage) {
  yield* server.post("/api/tools/old_log/call", { args: {} })
  const asked = yield* run("mcp", "log-level", "old", "debug")
  assert.deepStrictEqual([asked.code, asked.stdout], [0, "old sends log messages from debug on\n"])
  yield* server.post("/api/tools/old_log/call", { args: {} })
  const { stdout } = yield* run("mcp", "logs", "old")
  assert.deepStrictEqual(
    stdout.split("\n").filter((line) => line.includes("[interop]")).map((line) => line.slice(21)),
    ["warning [interop] a word", "debug [interop] a whisper", "warning [interop] a word"]
  )
  const back = yield* put("/api/mcp/servers/old/log-level", { level: null })
  assert.deepStrictEqual([back.status, back.body["logLevel"]], [200, "info"])
  assert.strictEqual((yield* status("old"))["logLevel"], "info")
  const none = yield* put("/api/mcp/servers/files/log-level", { level: "debug" })
  assert.deepStrictEqual([none.status, none.body["_tag"]], [409, "NotOffered"])
  assert.strictEqual((yield* put("/api/mcp/servers/old/log-level", { level: "loud" })).status, 400)
})

const progress = Effect.fnUntraced(function*({ server }: Stage) {
  const events = yield* server.stream("/api/tools/new_count/stream", { args: {} })
  const told = events.filter(({ type }) => type === "progress")
  // What comes faster than five times a second is left out.
  assert.deepStrictEqual(told[0], { type: "progress", progress: 1, total: 3, message: "step 1" })
  const { result, type } = Object(events.at(-1))
  assert.deepStrictEqual([type, result.text], ["result", "counted"])
  const [refused, ...more] = yield* server.stream("/api/tools/new_cuont/stream", { args: {} })
  assert.deepStrictEqual(more, [])
  assert.deepInclude(refused?.["problem"], { status: 404, _tag: "UnknownTool" })
})

/** The page's stream and a command watch the same resource. */
const watching = Effect.fnUntraced(
  function*({ run, server, start }: Stage) {
    const uri = encodeURIComponent(Offers.NOTES)
    const listen = (name: string) =>
      PartListener.open<Update>(`${server.url}/api/mcp/servers/${name}/resources/watch?uri=${uri}`)
    const { seen } = yield* start("mcp", "read", "old", Offers.NOTES, "--watch", "--json")
    const readings = () => seen.stdout.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line))
    yield* untilSeen(() => readings().length === 1)
    const before = readings()[0]
    assert.deepStrictEqual([before.uri, before.at], [Offers.NOTES, null])
    const listeners = { old: yield* listen("old"), new: yield* listen("new") }
    for (const name of ["old", "new"] as const) {
      const { heard } = listeners[name]
      // Again until it is told: who asks for updates does not hear when the server has taken that down.
      yield* ChatServer.until(
        Effect.andThen(server.post(`/api/tools/${name}_touch/call`, { args: {} }), Effect.sync(() => heard.length)),
        (count) => count > 0
      )
      assert.strictEqual(heard[0]?.uri, Offers.NOTES)
      assert.isAbove(heard[0]?.at ?? 0, Date.now() - LIMIT)
    }
    yield* untilSeen(() => readings().length > 1)
    assert.notStrictEqual(readings().at(-1).contents[0].text, before.contents[0].text)
    const { body, status } = yield* server.get(`/api/mcp/servers/odl/resources/watch?uri=${uri}`)
    assert.deepStrictEqual([status, body["_tag"]], [404, "UnknownServer"])
    const [problem] = yield* (yield* listen("files")).end
    assert.include(JSON.stringify(problem), "\"_tag\":\"NotOffered\"")
    const refused = yield* run("mcp", "read", "files", Offers.NOTES, "--watch")
    assert.deepStrictEqual([refused.code, refused.stdout], [1, ""])
  },
  Effect.scoped
)

/** A model's tools for resources, as the command mode calls them in a chat. */
const inChat = Effect.fnUntraced(function*({ run, server }: Stage) {
  const { body } = yield* server.post("/api/chats", {})
  const say = Effect.fnUntraced(function*(text: string) {
    const parts = yield* server.stream(`/api/chats/${body["id"]}/messages`, { text })
    return parts.find(({ type }) => type === "tool-result") ?? {}
  })
  const listed = yield* say("/resources_list {\"query\": \"notes\"}")
  assert.deepStrictEqual(
    JSON.parse(String(listed["text"])).items.map((item: Record<string, unknown>) => [item["server"], item["uri"]]),
    [["new", Offers.NOTES], ["old", Offers.NOTES]]
  )
  const ambiguous = yield* say(`/resources_read {"uri": "${Offers.NOTES}"}`)
  assert.match(String(ambiguous["text"]), /several servers have .*: give server as one of new, old$/)
  assert.isTrue(ambiguous["isError"])
  const read = yield* say(`/resources_read {"uri": "memo://may/plan", "server": "old"}`)
  assert.strictEqual(read["text"], Offers.plan("may"))
  assert.deepStrictEqual(read["origin"], { server: "old", tool: "resource memo://may/plan", isTrusted: true })
  const { code, stdout } = yield* run(
    "mcp",
    "call",
    "resources_read",
    "--args",
    JSON.stringify({ uri: "memo://may/plan", server: "new" })
  )
  assert.deepStrictEqual([code, stdout], [0, `${Offers.plan("may")}\n`])
})

describe("Managing servers", () => {
  it.live(
    "by name over HTTP and by command: state, health, instructions, log levels, progress, resources and their updates",
    () =>
      Effect.gen(function*() {
        const there = yield* stage
        yield* lifecycle(there)
        yield* instructions(there)
        yield* logLevels(there)
        yield* progress(there)
        yield* watching(there)
        yield* inChat(there)
        yield* there.server.end("SIGTERM", "process")
        assert.strictEqual(yield* there.place.count, 0)
      }),
    LIMIT
  )
})
