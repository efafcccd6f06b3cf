import { EditedFile, Environment } from "@boocode/mcp-config"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"
import { MemoryFiles } from "../../../../../packages/mcp-config/test/support/MemoryFiles.ts"
import * as FleetFiles from "../../../src/fleet/kept/FleetFiles.ts"
import { DataFolder } from "../../../src/settings/DataFolder.ts"
import * as MemoryRows from "../../support/MemoryRows.ts"

/** A node over these files of its own folder `/data`. */
const node = (rows: Effect.Success<typeof MemoryRows.make>, files: Readonly<Record<string, string>> = {}) =>
  Effect.gen(function*() {
    const disk = new MemoryFiles(files)
    const services = yield* Layer.build(
      FleetFiles.fileSystem.pipe(
        Layer.provideMerge(Layer.provide(FleetFiles.FleetFiles.layer("node"), rows.layer)),
        Layer.provideMerge(DataFolder.layer({ dataDir: "/data", configFile: null })),
        Layer.provide(Environment.layer({ HOME: "/home" })),
        Layer.provideMerge(Layer.merge(Layer.succeed(FileSystem.FileSystem, disk.view()), Path.layer))
      )
    )
    const fs = Context.get(services, FileSystem.FileSystem)
    return {
      disk,
      fs,
      /** Changes a file as the API does. */
      edit: (name: string, change: (text: string) => string) =>
        EditedFile.edit({ path: `/data/${name}`, name }, (text) => Result.succeed(change(text))).pipe(
          Effect.provideContext(services)
        ),
      text: (name: string) => disk.text(`/data/${name}`)
    }
  })

/** Time passes until a file is as it should be, for a minute at most. */
const becomes = Effect.fnUntraced(function*(
  { text }: Effect.Success<ReturnType<typeof node>>,
  name: string,
  wanted: string | null
) {
  for (let count = 0; count < 60 && text(name) !== wanted; count++) yield* TestClock.adjust("1 second")
  assert.strictEqual(text(name), wanted)
})

const SERVERS = `{"mcpServers":{}}`

describe("The configuration of a fleet", () => {
  it.effect("comes from the files of its first node, and is in the folder of each that joins", () =>
    Effect.gen(function*() {
      const rows = yield* MemoryRows.make
      yield* node(rows, {
        "/data/mcp.json": SERVERS,
        "/data/agents/reader.md": "reads",
        "/data/.env": "SECRET=1",
        "/data/workspace/notes.md": "mine",
        "/data/agents/.reader.md.draft": "half"
      })
      assert.deepStrictEqual([...rows.versions.keys()].toSorted(), ["agents/reader.md", "mcp.json"])
      const other = yield* node(rows)
      assert.strictEqual(other.text("mcp.json"), SERVERS)
      assert.strictEqual(other.text("agents/reader.md"), "reads")
    }).pipe(Effect.scoped))

  it.effect("goes before what a node has otherwise, which is set aside", () =>
    Effect.gen(function*() {
      const rows = yield* MemoryRows.make
      yield* node(rows, { "/data/mcp.json": SERVERS })
      const other = yield* node(rows, {
        "/data/mcp.json": "other",
        "/data/agents/own.md": "own",
        "/data/.env": "SECRET=1"
      })
      assert.strictEqual(other.text("mcp.json"), SERVERS)
      assert.isNull(other.text("agents/own.md"))
      assert.strictEqual(other.text(".before-fleet/mcp.json"), "other")
      assert.strictEqual(other.text(".before-fleet/agents/own.md"), "own")
      assert.strictEqual(other.text(".env"), "SECRET=1")
      assert.deepStrictEqual([...rows.versions.keys()], ["mcp.json"])
    }).pipe(Effect.scoped))

  it.effect("writes and removes nothing outside of the folder, whatever the names of rows are", () =>
    Effect.gen(function*() {
      const rows = yield* MemoryRows.make
      yield* node(rows, { "/data/mcp.json": SERVERS })
      rows.versions.set("../elsewhere.md", ["text", null])
      rows.versions.set("agents/../../other.md", ["text"])
      rows.versions.set("workspace/notes.md", ["text"])
      const other = yield* node(rows, { "/elsewhere.md": "mine" })
      assert.strictEqual(other.text("../elsewhere.md") ?? other.disk.text("/elsewhere.md"), "mine")
      assert.isNull(other.disk.text("/other.md"))
      assert.isNull(other.text("workspace/notes.md"))
      assert.strictEqual(other.text("mcp.json"), SERVERS)
    }).pipe(Effect.scoped))

  it.effect("is changed and removed at all nodes by a change at one", () =>
    Effect.gen(function*() {
      const rows = yield* MemoryRows.make
      const [one, other] = [yield* node(rows, { "/data/mcp.json": SERVERS }), yield* node(rows)]
      yield* one.edit("mcp.json", () => "changed")
      yield* one.edit("agents/new.md", () => "new")
      yield* becomes(other, "mcp.json", "changed")
      yield* becomes(other, "agents/new.md", "new")
      yield* other.fs.remove("/data/agents/new.md")
      yield* becomes(one, "agents/new.md", null)
      assert.deepStrictEqual(rows.versions.get("agents/new.md"), ["new", null])
      assert.deepStrictEqual(rows.versions.get("mcp.json"), [SERVERS, "changed"])
    }).pipe(Effect.scoped))

  it.effect("loses no change of nodes that change one file at the same time", () =>
    Effect.gen(function*() {
      const rows = yield* MemoryRows.make
      const nodes = [yield* node(rows, { "/data/AGENTS.md": "" }), yield* node(rows), yield* node(rows)]
      const edits = nodes.flatMap((one, at) =>
        [1, 2].map((count) => one.edit("AGENTS.md", (text) => `${text}${at}.${count} `))
      )
      const clock = yield* Effect.forkScoped(Effect.forever(TestClock.adjust("50 millis")))
      yield* Effect.all(edits, { concurrency: "unbounded" })
      yield* Fiber.interrupt(clock)
      const last = rows.versions.get("AGENTS.md")?.at(-1) ?? ""
      assert.sameMembers(last.trim().split(" "), ["0.1", "0.2", "1.1", "1.2", "2.1", "2.2"])
      for (const one of nodes) yield* becomes(one, "AGENTS.md", last)
    }).pipe(Effect.scoped))

  it.effect("takes over what another program writes into the folder, unless another node was first", () =>
    Effect.gen(function*() {
      const rows = yield* MemoryRows.make
      const [one, other] = [yield* node(rows, { "/data/mcp.json": SERVERS }), yield* node(rows)]
      one.disk.write("/data/mcp.json", "by hand")
      yield* becomes(other, "mcp.json", "by hand")
      one.disk.write("/data/mcp.json", "by hand again")
      yield* other.edit("mcp.json", () => "by the page")
      yield* becomes(one, "mcp.json", "by the page")
      assert.strictEqual(one.text(".before-fleet/mcp.json"), "by hand again")
    }).pipe(Effect.scoped))

  it.effect("comes back where a file was removed by hand, and stays as it is while the database is away", () =>
    Effect.gen(function*() {
      const rows = yield* MemoryRows.make
      const one = yield* node(rows, { "/data/mcp.json": SERVERS })
      one.disk.nodes.delete("/data/mcp.json")
      yield* becomes(one, "mcp.json", SERVERS)
      rows.state.isAway = true
      const error = yield* Effect.flip(one.edit("mcp.json", () => "changed"))
      assert.match(error.message, /mcp\.json: .*it is away/)
      assert.strictEqual(one.text("mcp.json"), SERVERS)
      rows.state.isAway = false
      yield* one.edit("mcp.json", () => "changed")
      assert.strictEqual(rows.versions.get("mcp.json")?.at(-1), "changed")
    }).pipe(Effect.scoped))
})
