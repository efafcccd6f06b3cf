/** The real `boocode serve` while its configuration files change under it. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { randomUUID } from "node:crypto"
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as AppServer from "./support/AppServer.ts"
import { browser } from "./support/Browser.ts"
import * as ChatServer from "./support/ChatServer.ts"
import * as Deadline from "./support/Deadline.ts"
import * as FixtureServer from "./support/FixtureServer.ts"
import * as Processes from "./support/Processes.ts"
import { sized } from "./support/Size.ts"

const MARK = "BOOCODE_RELOAD_TEST"

type Entry = Readonly<Record<string, unknown>>
type Entries = Readonly<Record<string, Entry>>

interface Status {
  readonly name: string
  readonly state: string
  readonly pid: number | null
  readonly warnings: ReadonlyArray<string>
  readonly error: { readonly _tag: string } | null
}

/** A running server whose data folder has these entries, all of them ready. */
const world = Effect.fnUntraced(function*(entries: Entries, settings: Readonly<Record<string, string>> = {}) {
  const root = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "boocode-reload-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  )
  const mark = randomUUID()
  const data = join(root, "data")
  const file = join(data, "mcp.json")
  mkdirSync(data)
  const text = (next: Entries) => {
    const marked = Object.entries(next).map(([name, entry]) => {
      const env = { ...Object(entry["env"]), [MARK]: mark }
      return [name, "command" in entry ? { ...entry, env } : entry]
    })
    return JSON.stringify({ mcpServers: Object.fromEntries(marked) }, null, 2)
  }
  for (const [name, content] of Object.entries(settings)) writeFileSync(join(data, name), content)
  writeFileSync(file, text(entries))
  const server = yield* AppServer.start(data)
  yield* Effect.addFinalizer(() => Processes.killAll(MARK, mark))
  const statuses = Effect.map(
    server.get("/api/mcp/servers"),
    ({ body }): ReadonlyArray<Status> => Array.isArray(body["servers"]) ? body["servers"] : []
  )
  const problems = Effect.map(
    server.get("/api/mcp/servers"),
    ({ body }): ReadonlyArray<Record<string, unknown>> => Array.isArray(body["problems"]) ? body["problems"] : []
  )
  /** Waits until the servers are as hoped for. */
  const until = Effect.fnUntraced(function*(isThere: (all: ReadonlyMap<string, Status>) => boolean) {
    const byName = Effect.map(statuses, (all) => new Map(all.map((status) => [status.name, status])))
    const all = yield* ChatServer.until(byName, isThere)
    assert.isTrue(isThere(all), JSON.stringify([...all.values()]))
    return all
  })
  const ready = (...names: ReadonlyArray<string>) =>
    until((all) => all.size === names.length && names.every((name) => all.get(name)?.state === "ready"))
  const pids = Effect.map(statuses, (all) => Object.fromEntries(all.map(({ name, pid }) => [name, pid])))
  yield* until((all) => [...all.values()].every(({ state }) => state !== "connecting"))
  return {
    server,
    data,
    file,
    mark,
    text,
    save: (next: Entries) => Effect.sync(() => writeFileSync(file, text(next))),
    until,
    ready,
    pids,
    problems,
    isAlive: (pid: unknown) => Processes.alive(MARK, mark).some((living) => living.pid === pid),
    /** Waits until exactly so many processes of servers are left. */
    untilAlive: (count: number) =>
      Effect.map(
        ChatServer.until(Processes.count(MARK, mark), (alive) => alive === count),
        (alive) => assert.strictEqual(alive, count)
      )
  }
})

const echo = FixtureServer.entry("Echo")
describe("Saving a configuration file of a running server (R68)", Deadline.TEST, () => {
  it.live(
    "restarts the server whose entry changed, and leaves the others their processes",
    () =>
      Effect.gen(function*() {
        const place = yield* world({ a: echo, b: echo })
        const before = yield* place.pids
        yield* place.save({ a: { ...echo, timeout: "5 seconds" }, b: echo, c: echo })
        yield* place.until((all) => all.get("a")?.pid !== before["a"] && all.get("c")?.state === "ready")
        const after = yield* place.pids
        assert.strictEqual(after["b"], before["b"])
        assert.notStrictEqual(after["a"], before["a"])
        yield* place.untilAlive(3)
        assert.isFalse(place.isAlive(before["a"]))
        yield* place.save({ b: echo })
        yield* place.ready("b")
        assert.strictEqual((yield* place.pids)["b"], before["b"])
        yield* place.untilAlive(1)
        assert.include(place.server.stdout(), "The configuration changed: added c; changed a.")
        assert.include(place.server.stdout(), "The configuration changed: removed a, c.")
      })
  )

  it.live(
    "changes nothing for a file that is not JSON, says where it is wrong, and forgets it when it is mended",
    () =>
      Effect.gen(function*() {
        const place = yield* world({ a: echo })
        const before = yield* place.pids
        writeFileSync(place.file, "{\n  \"mcpServers\": {\n    \"a\": nonsense\n  }\n}")
        const problems = yield* ChatServer.until(place.problems, (all) => all.length > 0)
        assert.strictEqual(problems.length, 1)
        assert.deepInclude(problems[0], { line: 3, column: 10 })
        assert.match(String(problems[0]?.["hint"]), /until then its servers stay as they are/)
        assert.match(place.server.stderr(), /mcp\.json:3:10: .*; its servers stay as they are/)
        const { body } = yield* place.server.post("/api/tools/a_echo/call", { args: { text: "still here" } })
        assert.strictEqual(body["text"], "still here")
        assert.deepStrictEqual(yield* place.pids, before)
        yield* place.save({ a: echo, b: echo })
        yield* place.ready("a", "b")
        assert.strictEqual((yield* place.pids)["a"], before["a"])
        assert.deepStrictEqual(yield* place.problems, [])
      })
  )

  it.live(
    "keeps a server whose entry was broken or does not start, with a warning that says where",
    () =>
      Effect.gen(function*() {
        const place = yield* world({ a: echo, b: echo })
        const before = yield* place.pids
        yield* place.save({ a: { ...echo, timeout: "soon" }, b: { ...echo, command: "no-such-program" } })
        const all = yield* place.until((servers) =>
          [...servers.values()].every(({ warnings }) => warnings.some((text) => text.includes("cannot be used")))
        )
        assert.match(all.get("a")?.warnings.join() ?? "", /runs as it was: .*mcp\.json:\d+:\d+: mcpServers\.a\.timeout/)
        assert.match(all.get("b")?.warnings.join() ?? "", /runs as it was: command not found: no-such-program/)
        assert.deepStrictEqual(yield* place.pids, before)
        const { status } = yield* place.server.post("/api/mcp/servers/b/restart")
        assert.strictEqual(status, 503)
        yield* place.until((servers) => servers.get("b")?.error?._tag === "CommandNotFound")
        yield* place.untilAlive(1)
      })
  )

  it.live("lets a turn that runs go on, on the process it called", () =>
    Effect.gen(function*() {
      const place = yield* world({ a: echo })
      const before = yield* place.pids
      const { body } = yield* place.server.post("/api/chats", {})
      const turn = yield* Effect.forkChild(
        place.server.stream(`/api/chats/${body["id"]}/messages`, { text: "/a_sleep {\"millis\":5000}" })
      )
      yield* ChatServer.until(
        place.server.get(`/api/chats/${body["id"]}`),
        ({ body }) => JSON.stringify(body).includes("\"tool-call\"")
      )
      yield* place.save({ a: { ...echo, timeout: "20 seconds" } })
      yield* place.until((all) => all.get("a")?.state === "ready" && all.get("a")?.pid !== before["a"])
      assert.isTrue(place.isAlive(before["a"]), "it has a call to finish")
      const parts = yield* Fiber.join(turn)
      assert.deepInclude(parts.find(({ type }) => type === "tool-result"), { isError: false, text: "slept 5000 ms" })
      yield* place.untilAlive(1)
      assert.isFalse(place.isAlive(before["a"]))
    }))

  it.live(
    "follows a rename over the file, a link that leads elsewhere, deletion, and a file that comes back",
    () =>
      Effect.gen(function*() {
        const place = yield* world({ a: echo })
        const before = yield* place.pids
        const beside = (name: string) => join(place.data, name)
        writeFileSync(beside("draft"), place.text({ a: echo, b: echo }))
        renameSync(beside("draft"), place.file)
        yield* place.ready("a", "b")
        mkdirSync(beside("v1"))
        mkdirSync(beside("v2"))
        writeFileSync(join(beside("v1"), "mcp.json"), place.text({ a: echo, c: echo }))
        writeFileSync(join(beside("v2"), "mcp.json"), place.text({ a: echo, d: echo }))
        symlinkSync("v1", beside("now"))
        unlinkSync(place.file)
        symlinkSync("now/mcp.json", place.file)
        yield* place.ready("a", "c")
        symlinkSync("v2", beside("next"))
        renameSync(beside("next"), beside("now"))
        yield* place.ready("a", "d")
        assert.strictEqual((yield* place.pids)["a"], before["a"])
        writeFileSync(join(beside("v2"), "mcp.json"), place.text({ a: echo, e: echo }))
        yield* place.ready("a", "e")
        unlinkSync(place.file)
        yield* place.ready()
        yield* place.untilAlive(0)
        assert.match(place.server.stderr(), /mcp\.json is not there any more, so its servers are stopped/)
        yield* place.save({ a: echo })
        yield* place.ready("a")
      })
  )

  it.live("expands entries anew when .env changes, and restarts only those that read it", () =>
    Effect.gen(function*() {
      const entries = { a: { ...echo, env: { WORD: "${WORD:-none}" } }, b: echo }
      const place = yield* world(entries, { ".env": "WORD=one\n" })
      const before = yield* place.pids
      writeFileSync(join(place.data, ".env"), "WORD=two\n")
      yield* place.until((all) => all.get("a")?.state === "ready" && all.get("a")?.pid !== before["a"])
      assert.strictEqual((yield* place.pids)["b"], before["b"])
    }))

  it.live("takes the last of many quick saves, and leaves no process of the others", () =>
    Effect.gen(function*() {
      const place = yield* world({ a: echo, b: echo })
      const before = yield* place.pids
      for (let count = 0; count < sized(12, 40); count++) {
        yield* place.save({ a: { ...echo, maxConcurrency: count + 1 }, b: echo, [`x${count % 5}`]: echo })
        yield* Effect.sleep(count % 4 === 0 ? "300 millis" : "40 millis")
      }
      yield* place.save({ a: { ...echo, maxConcurrency: 99 }, b: echo, last: echo })
      yield* place.ready("a", "b", "last")
      yield* place.untilAlive(3)
      assert.strictEqual((yield* place.pids)["b"], before["b"])
      // Then it ends as ever, also in the middle of another change.
      yield* place.save({ a: echo, b: { command: "sleep", args: ["1000"] }, c: { command: "sleep", args: ["1000"] } })
      yield* place.until((all) => all.has("c"))
      assert.strictEqual(yield* place.server.end("SIGTERM", "process"), 0)
      assert.deepStrictEqual(yield* Processes.leftAfter(MARK, place.mark, Deadline.GONE_MILLIS), [])
    }))

  it.live(
    "reads at once when it is asked to, and enables and disables by the API, in the file, comments and all",
    () =>
      Effect.gen(function*() {
        const place = yield* world({ a: echo })
        writeFileSync(place.file, `// mine\n${place.text({ a: echo, b: { ...echo, enabled: false } })}`)
        const reload = yield* place.server.post("/api/mcp/reload")
        assert.deepInclude(reload.body, { added: ["b"], changed: [], removed: [], unchanged: ["a"], problems: [] })
        const enabled = yield* place.server.post("/api/mcp/servers/b/enable")
        assert.strictEqual(enabled.body["state"], "ready")
        assert.match(readFileSync(place.file, "utf8"), /^\/\/ mine\n[^]*"enabled": true/)
        const disabled = yield* place.server.post("/api/mcp/servers/b/disable")
        assert.strictEqual(disabled.body["state"], "disabled")
        yield* place.untilAlive(1)
        const again = yield* place.server.post("/api/mcp/reload")
        assert.deepInclude(again.body, { added: [], changed: [], removed: [], unchanged: ["a", "b"] })
        writeFileSync(place.file, "{")
        const broken = yield* place.server.post("/api/mcp/servers/b/enable")
        assert.strictEqual(broken.status, 409)
        assert.match(String(broken.body["detail"]), /mcp\.json:1:\d+: /)
        assert.strictEqual(readFileSync(place.file, "utf8"), "{")
      })
  )

  it.live(
    "shows on the page what changed and what is wrong, without a reload of the page",
    () =>
      Effect.gen(function*() {
        const place = yield* world({ a: echo, b: echo })
        const opened = yield* browser
        const page = yield* Effect.acquireRelease(
          Effect.promise(() => opened.newPage()),
          (page) => Effect.promise(() => page.close())
        )
        const see = (selector: string, text: RegExp) =>
          Effect.promise(() =>
            page.locator(selector).filter({ hasText: text }).first().waitFor({
              state: "attached",
              timeout: Deadline.WAIT_MILLIS
            })
          )
        yield* Effect.promise(() => page.goto(`${place.server.url}/#/servers`))
        yield* see("a.side-row", /2 ready/)
        yield* place.save({ a: echo, c: echo })
        yield* see(".server-group .item-title", /^c$/)
        yield* see("a.side-row", /2 ready/)
        const names = yield* ChatServer.until(
          Effect.promise(() => page.locator(".server-group .item-title").allTextContents()),
          (names) => names.length === 2
        )
        assert.deepStrictEqual(names, ["a", "c"])
        yield* see(".config-news", /added c; removed b/)
        writeFileSync(place.file, "{\n  oops\n}")
        yield* see(".notice.bad", /mcp\.json:2:3: .*stay as they are/)
        yield* see("a.side-row", /2 ready · 1 failed/)
        yield* place.save({ a: echo, c: echo })
        const notice = page.locator(".notice.bad").first()
        yield* Effect.promise(() => notice.waitFor({ state: "detached", timeout: Deadline.WAIT_MILLIS }))
        yield* Effect.promise(() => page.getByRole("button", { name: "More for the servers" }).click())
        yield* Effect.promise(() => page.getByRole("menuitem", { name: "Read the configuration files again" }).click())
        yield* see(".config-news", /Nothing changed/)
        yield* place.save({})
        yield* see("main", /No server is configured/)
      })
  )
})
