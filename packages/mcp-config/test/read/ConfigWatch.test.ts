import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { TestClock } from "effect/testing"
import { McpConfig } from "../../src/index.ts"
import * as ChangingFiles from "../support/ChangingFiles.ts"

const FILE = "/data/mcp.json"

const servers = (...names: ReadonlyArray<string>) =>
  JSON.stringify({ mcpServers: Object.fromEntries(names.map((name) => [name, { command: "x" }])) })

const names = (config: McpConfig["Service"]) =>
  Effect.map(config.current, (configuration) => configuration.servers.map(({ name }) => name).join())

const stateOf = (config: McpConfig["Service"]) => Effect.map(config.current, ({ sources }) => sources[0]?.state)

/** A watched file with the server `a`, a second after the watching began. */
const world = Effect.fnUntraced(function*(
  hearing: "good" | "deaf" | "broken" = "good",
  start: Readonly<Record<string, string>> = { [FILE]: servers("a") }
) {
  const disk = yield* ChangingFiles.make(start, hearing)
  const { config, scope } = yield* ChangingFiles.watching(disk, McpConfig.layerFile(FILE))
  yield* TestClock.adjust("1 second")
  disk.reads(FILE)
  return { disk, config, scope }
})

describe("ConfigWatch", () => {
  it.effect("reads a file again a moment after it was saved, in place or by a rename over it (R68)", () =>
    Effect.gen(function*() {
      const { config, disk } = yield* world()
      yield* disk.write(FILE, servers("a", "b"))
      yield* TestClock.adjust("150 millis")
      assert.strictEqual(yield* names(config), "a", "not before it was quiet")
      yield* TestClock.adjust("100 millis")
      assert.strictEqual(yield* names(config), "a,b")
      yield* disk.replace(FILE, servers("c"))
      yield* TestClock.adjust("250 millis")
      assert.strictEqual(yield* names(config), "c")
    }))

  it.effect("reads once for a burst of saves, and takes the last", () =>
    Effect.gen(function*() {
      const { config, disk } = yield* world()
      for (let count = 0; count < 10; count++) {
        yield* disk.write(FILE, servers(`s${count}`))
        yield* TestClock.adjust("50 millis")
      }
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* names(config), "s9")
      assert.strictEqual(disk.reads(FILE), 1)
    }))

  it.effect("does not wait for ever for a file that is written without end", () =>
    Effect.gen(function*() {
      const { config, disk } = yield* world()
      for (let count = 0; count < 100; count++) {
        yield* disk.write(FILE, servers(`s${count}`))
        yield* TestClock.adjust("50 millis")
      }
      assert.match(yield* names(config), /^s\d/)
    }))

  for (const hearing of ["deaf", "broken"] as const) {
    it.effect(`notices within the interval where the file system's watch is ${hearing}`, () =>
      Effect.gen(function*() {
        const { config, disk } = yield* world(hearing)
        yield* disk.replace(FILE, servers("b"))
        yield* TestClock.adjust("2500 millis")
        assert.strictEqual(yield* names(config), "b")
        yield* disk.remove(FILE)
        yield* TestClock.adjust("3 seconds")
        assert.strictEqual(yield* stateOf(config), "absent")
      }))
  }

  it.effect("does not take a file away that an editor deletes and writes anew", () =>
    Effect.gen(function*() {
      const { config, disk } = yield* world()
      const seen = yield* Effect.forkChild(Stream.runCollect(Stream.takeUntil(
        Stream.map(config.changes, (configuration) => configuration.servers.map(({ name }) => name).join()),
        (all) => all === "b"
      )))
      yield* disk.remove(FILE)
      yield* TestClock.adjust("600 millis")
      yield* disk.write(FILE, servers("b"))
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual([...yield* Fiber.join(seen)], ["a", "b"])
    }))

  it.effect("follows a file that comes, goes and comes back, its folder included", () =>
    Effect.gen(function*() {
      const { config, disk } = yield* world("good", {})
      assert.strictEqual(yield* stateOf(config), "absent")
      yield* disk.makeFolder("/data")
      yield* disk.write(FILE, servers("a"))
      yield* TestClock.adjust("3 seconds")
      assert.strictEqual(yield* names(config), "a")
      assert.deepStrictEqual(disk.watched(), ["/data"])
      yield* disk.remove("/data")
      yield* TestClock.adjust("3 seconds")
      assert.strictEqual(yield* stateOf(config), "absent")
      assert.strictEqual(yield* names(config), "")
      yield* disk.makeFolder("/data")
      yield* disk.write(FILE, servers("b"))
      yield* TestClock.adjust("3 seconds")
      assert.strictEqual(yield* names(config), "b")
      yield* disk.write(FILE, servers("c"))
      yield* TestClock.adjust("500 millis")
      assert.strictEqual(yield* names(config), "c", "the folder made anew is watched")
    }))

  it.effect("follows a link that is made to lead elsewhere, and what is written where it leads", () =>
    Effect.gen(function*() {
      const { config, disk } = yield* world("good", { "/one/mcp.json": servers("a"), "/two/mcp.json": servers("b") })
      yield* disk.makeFolder("/data")
      yield* disk.link(FILE, "/one/mcp.json")
      yield* TestClock.adjust("3 seconds")
      assert.strictEqual(yield* names(config), "a")
      assert.deepStrictEqual(disk.watched(), ["/data", "/one"])
      yield* disk.write("/one/mcp.json", servers("c"))
      yield* TestClock.adjust("500 millis")
      assert.strictEqual(yield* names(config), "c")
      yield* disk.link(FILE, "/two/mcp.json")
      yield* TestClock.adjust("2500 millis")
      assert.strictEqual(yield* names(config), "b")
      assert.deepStrictEqual(disk.watched(), ["/data", "/two"])
    }))

  it.effect("notices when another name in the folder leads the link elsewhere", () =>
    Effect.gen(function*() {
      const { config, disk } = yield* world("good", { "/v1/mcp.json": servers("a"), "/v2/mcp.json": servers("b") })
      yield* disk.makeFolder("/data")
      yield* disk.link("/data/..now", "/v1/mcp.json")
      yield* disk.link(FILE, "/data/..now")
      yield* TestClock.adjust("3 seconds")
      assert.strictEqual(yield* names(config), "a")
      yield* disk.link("/data/..now", "/v2/mcp.json")
      yield* TestClock.adjust("600 millis")
      assert.strictEqual(yield* names(config), "b")
    }))

  it.effect("follows the envFile of an entry, also one that is not there yet", () =>
    Effect.gen(function*() {
      const entry = (file: string) => JSON.stringify({ mcpServers: { a: { command: "x", envFile: file } } })
      const { config, disk } = yield* world("good", { [FILE]: entry("secrets/one.env") })
      const isBroken = Effect.map(config.current, ({ servers }) => servers[0]?.config._tag === "Failure")
      assert.isTrue(yield* isBroken)
      yield* disk.makeFolder("/data/secrets")
      yield* disk.write("/data/secrets/one.env", "KEY=1")
      yield* TestClock.adjust("3 seconds")
      assert.isFalse(yield* isBroken)
      yield* disk.write(FILE, entry("two.env"))
      yield* TestClock.adjust("3 seconds")
      assert.isTrue(yield* isBroken)
      assert.deepStrictEqual(disk.watched(), ["/data"], "what is named no more is watched no more")
    }))

  it.effect("reads nothing while other files of the folder change", () =>
    Effect.gen(function*() {
      const { disk } = yield* world()
      for (let count = 0; count < 20; count++) {
        yield* disk.write("/data/other.txt", "x".repeat(count))
        yield* TestClock.adjust("500 millis")
      }
      assert.strictEqual(disk.reads(FILE), 0)
    }))

  it.effect("sees a change that came between the first reading and the watch", () =>
    Effect.gen(function*() {
      const disk = yield* ChangingFiles.make({ [FILE]: servers("a") }, "deaf")
      const { config } = yield* ChangingFiles.watching(disk, McpConfig.layerFile(FILE))
      yield* disk.write(FILE, servers("b"))
      yield* TestClock.adjust("500 millis")
      assert.strictEqual(yield* names(config), "b")
    }))

  it.effect("stops watching when its scope closes", () =>
    Effect.gen(function*() {
      const { config, disk, scope } = yield* world()
      assert.deepStrictEqual(disk.watched(), ["/data"])
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(disk.watched(), [])
      yield* disk.write(FILE, servers("b"))
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* names(config), "a")
    }))
})
