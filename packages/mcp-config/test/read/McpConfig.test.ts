import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import { TestClock } from "effect/testing"
import { type Configuration, Environment, McpConfig } from "../../src/index.ts"
import * as ChangingFiles from "../support/ChangingFiles.ts"
import { configurationOf } from "../support/Files.ts"

const FILE = "/data/mcp.json"

const file = (...names: ReadonlyArray<string>) =>
  JSON.stringify({ mcpServers: Object.fromEntries(names.map((name) => [name, { command: "x" }])) })

const namesOf = ({ servers }: Configuration) => servers.map(({ name }) => name).join()

/** Reads again, with all the time a second look takes. */
const reload = (config: McpConfig["Service"]) =>
  Effect.gen(function*() {
    const fiber = yield* Effect.forkChild(config.reload, { startImmediately: true })
    yield* TestClock.adjust("500 millis")
    return yield* Fiber.join(fiber)
  })

/** A configuration of changing files that nobody watches. */
const changing = Effect.fnUntraced(
  function*(start: Readonly<Record<string, string>>, layer = McpConfig.layerFile(FILE)) {
    const disk = yield* ChangingFiles.make(start)
    const config = yield* ChangingFiles.unwatched(disk, layer)
    return { config, disk }
  }
)

const logging = () => {
  const lines: Array<string> = []
  return { lines, logger: Logger.layer([Logger.make(({ message }) => void lines.push(String(message)))]) }
}

describe("McpConfig", () => {
  it.effect("reads one file, trusted, its servers sorted by name", () =>
    Effect.gen(function*() {
      const text = "{ \"mcpServers\": { \"b\": { \"command\": \"x\" }, \"a\": { \"url\": \"https://x\" } } }"
      const files = { "/p/.mcp.json": text, "/home/me/.mcprc": "{ \"c\": { \"command\": \"x\" } }" }
      const configuration = yield* configurationOf(McpConfig.layerFile("/p/.mcp.json"), files)
      assert.deepStrictEqual(
        configuration.servers.map(({ name, needsApproval, source }) => [name, needsApproval, source]),
        [["a", false, "/p/.mcp.json"], ["b", false, "/p/.mcp.json"]]
      )
      assert.deepStrictEqual(configuration.sources, [
        { file: "/p/.mcp.json", scope: "data", state: "read", hidden: [], error: null }
      ])
    }))

  it.effect("has no servers when the file is not there, and says that it is absent", () =>
    Effect.gen(function*() {
      const configuration = yield* configurationOf(McpConfig.layerFile("/data/mcp.json"), {})
      assert.deepStrictEqual(configuration, {
        servers: [],
        sources: [{ file: "/data/mcp.json", scope: "data", state: "absent", hidden: [], error: null }],
        warnings: []
      })
    }))

  it.effect("logs once, with its place, that its file is not there or cannot be used, and again after it was mended", () =>
    Effect.gen(function*() {
      const { lines, logger } = logging()
      yield* Effect.gen(function*() {
        const { config, disk } = yield* changing({})
        const missing = "/data/mcp.json is not there; it configures no servers"
        assert.deepStrictEqual(lines.splice(0), [missing])
        yield* reload(config)
        assert.deepStrictEqual(lines, [])
        yield* disk.write(FILE, file("a"))
        yield* reload(config)
        assert.deepStrictEqual(lines, [])
        yield* disk.write(FILE, "{\n  oops")
        yield* reload(config)
        yield* reload(config)
        assert.strictEqual(lines.length, 1)
        assert.match(
          lines.splice(0).join(),
          /^\/data\/mcp\.json:2:3: .*; its servers stay as they were; correct the file/
        )
        yield* disk.write(FILE, file("a"))
        yield* reload(config)
        yield* disk.remove(FILE)
        yield* reload(config)
        assert.deepStrictEqual(lines, [missing])
      }).pipe(Effect.provide(logger))
    }))

  it.effect("logs the same of files of scopes, but of those that need not be there, unless the program tells of them", () =>
    Effect.gen(function*() {
      const { lines, logger } = logging()
      const scopes = { dataFile: "mcp.json", projectFrom: "/repo", home: "/home/me" }
      const files = { "/repo/.git/HEAD": "", "/home/me/.mcprc": "{\n  oops" }
      yield* Effect.gen(function*() {
        const { config } = yield* changing(files, McpConfig.layerScopes(scopes))
        yield* reload(config)
        assert.lengthOf(lines, 2)
        assert.match(lines[0] ?? "", /^mcp\.json is not there; .*; the whole path is \/.*\/mcp\.json$/)
        assert.match(lines[1] ?? "", /^~\/\.mcprc:2:3: .*; it configures no servers; correct the file/)
        yield* changing(files, McpConfig.layerScopes(scopes, { isTold: false }))
        assert.lengthOf(lines, 2)
      }).pipe(Effect.provide(logger))
    }))

  it.effect("takes entries that a program has as values, with the same checks and words", () =>
    Effect.gen(function*() {
      const layer = McpConfig.layerEntries({
        a: { command: "x", env: { K: "${KEY}", GONE: undefined }, cwd: "/w" },
        b: { url: 5 }
      })
      const [a, b] = (yield* configurationOf(layer, {}, { KEY: "k" })).servers
      assert.strictEqual(a?.source, "code")
      assert.isFalse(a?.needsApproval)
      const transport = Result.isSuccess(a.config) ? a.config.success.transport : assert.fail("a is broken")
      assert.deepStrictEqual(transport, {
        _tag: "stdio",
        command: "x",
        args: [],
        env: { K: Redacted.make("k") },
        cwd: "/w",
        inheritEnv: []
      })
      const failure = b !== undefined && Result.isFailure(b.config) ? b.config.failure.message : ""
      assert.strictEqual(failure, "code:1:1: mcpServers.b.url: expected a text that is not empty, found a number")
    }))

  it.effect("gives a test the very configuration it wants", () =>
    Effect.gen(function*() {
      const configuration: Configuration = { servers: [], sources: [], warnings: ["w"] }
      const current = yield* Effect.provide(
        McpConfig.use((config) => config.current),
        McpConfig.layerTest(configuration)
      )
      assert.strictEqual(current, configuration)
    }))

  it.effect("reads again when it is asked to, and not before", () =>
    Effect.gen(function*() {
      const { config, disk } = yield* changing({ [FILE]: file("a") })
      yield* disk.write(FILE, file("a", "b"))
      assert.strictEqual(namesOf(yield* config.current), "a")
      assert.strictEqual(namesOf(yield* config.reload), "a,b")
      assert.strictEqual(namesOf(yield* config.current), "a,b")
    }))

  it.effect("takes away the servers of a file that is gone, and of no other file, also of a named data file", () =>
    Effect.gen(function*() {
      const scopes = { dataFile: FILE, projectFrom: "/repo", home: null, dataFileIsNamed: true }
      const start = { [FILE]: file("a"), "/repo/.mcp.json": file("b") }
      const { config, disk } = yield* changing(start, McpConfig.layerScopes(scopes))
      assert.strictEqual(namesOf(yield* config.current), "a,b")
      yield* disk.remove(FILE)
      assert.strictEqual(namesOf(yield* reload(config)), "b")
      yield* disk.write("/repo/.mcp.json", file("b", "c"))
      assert.strictEqual(namesOf(yield* reload(config)), "b,c")
      yield* disk.write(FILE, file("a"))
      assert.strictEqual(namesOf(yield* reload(config)), "a,b,c")
    }))

  it.effect("leaves the servers of a file as they were while it cannot be used, and says why until it can (R68)", () =>
    Effect.gen(function*() {
      const { config, disk } = yield* changing({ [FILE]: file("a") })
      yield* disk.write(FILE, "{\n  \"mcpServers\": {\n    \"a\": oops }")
      const broken = yield* reload(config)
      assert.strictEqual(namesOf(broken), "a")
      assert.strictEqual(broken.sources[0]?.state, "kept")
      assert.match(broken.sources[0]?.error?.message ?? "", /^\/data\/mcp\.json:3:10: /)
      yield* disk.write(FILE, "")
      assert.strictEqual(namesOf(yield* reload(config)), "a", "still, however often it is broken")
      yield* disk.write(FILE, file("b"))
      const mended = yield* reload(config)
      assert.strictEqual(namesOf(mended), "b")
      assert.strictEqual(mended.sources[0]?.state, "read")
      assert.isNull(mended.sources[0]?.error)
    }))

  it.effect("waits for a file that never answers at most 10 seconds, and has the servers of the others", () =>
    Effect.gen(function*() {
      const stuck = "/home/me/.mcprc"
      const disk = yield* ChangingFiles.make({ [FILE]: file("a"), [stuck]: file("b") })
      const files = Layer.effect(
        FileSystem.FileSystem,
        FileSystem.FileSystem.useSync((fs) =>
          FileSystem.FileSystem.of({ ...fs, stat: (path) => path === stuck ? Effect.never : fs.stat(path) })
        )
      ).pipe(Layer.provideMerge(disk.files))
      const layer = McpConfig.layerScopes({ dataFile: FILE, projectFrom: null, home: "/home/me" })
      const built = yield* Effect.forkChild(ChangingFiles.unwatched({ ...disk, files }, layer))
      yield* TestClock.adjust("10 seconds")
      const { servers, sources } = yield* (yield* Fiber.join(built)).current
      assert.deepStrictEqual(servers.map(({ name }) => name), ["a"])
      assert.include(
        sources.map(({ error }) => error?.message ?? "").join(),
        "~/.mcprc: the file could not be read within 10 seconds"
      )
    }))

  it.effect("applies the other files while one of them cannot be used", () =>
    Effect.gen(function*() {
      const scopes = { dataFile: FILE, projectFrom: null, home: "/home/me" }
      const { config, disk } = yield* changing(
        { [FILE]: file("a"), "/home/me/.mcprc": file("b") },
        McpConfig.layerScopes(scopes)
      )
      yield* disk.write(FILE, "{")
      yield* disk.write("/home/me/.mcprc", file("c"))
      assert.strictEqual(namesOf(yield* reload(config)), "a,c")
    }))

  it.effect("has no servers when the file is gone, and kept ones do not come back with a broken one", () =>
    Effect.gen(function*() {
      const { config, disk } = yield* changing({ [FILE]: file("a") })
      yield* disk.remove(FILE)
      const gone = yield* reload(config)
      assert.strictEqual(namesOf(gone), "")
      assert.strictEqual(gone.sources[0]?.state, "absent")
      yield* disk.write(FILE, "{")
      const broken = yield* reload(config)
      assert.strictEqual(namesOf(broken), "")
      assert.strictEqual(broken.sources[0]?.state, "invalid")
    }))

  it.effect("looks twice at a file that is worse than before: it may be half written", () =>
    Effect.gen(function*() {
      const { config, disk } = yield* changing({ [FILE]: file("a") })
      const heard: Array<string> = []
      yield* Effect.forkScoped(
        Stream.runForEach(config.changes, ({ sources }) => Effect.sync(() => heard.push(sources[0]?.state ?? ""))),
        { startImmediately: true }
      )
      yield* disk.write(FILE, file("a", "b").slice(0, 20))
      const fiber = yield* Effect.forkChild(config.reload, { startImmediately: true })
      yield* TestClock.adjust("300 millis")
      yield* disk.write(FILE, file("a", "b"))
      yield* TestClock.adjust("200 millis")
      assert.strictEqual(namesOf(yield* Fiber.join(fiber)), "a,b")
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(heard, ["read", "read"])
    }))

  it.effect("tells the configuration as it stands and then each that differs, and no other", () =>
    Effect.gen(function*() {
      const { config, disk } = yield* changing({ [FILE]: file("a") })
      const heard = yield* Effect.forkChild(
        config.changes.pipe(
          Stream.map((configuration) => `${namesOf(configuration)} ${configuration.warnings.length}`),
          Stream.takeUntil((text) => text.startsWith("z")),
          Stream.runCollect
        ),
        { startImmediately: true }
      )
      yield* disk.write(FILE, `  ${file("a")}`)
      yield* config.reload
      yield* disk.write(FILE, JSON.stringify({ mcpServers: { a: { command: "x" } }, more: 1 }))
      yield* config.reload
      yield* disk.replace(FILE, file("b"))
      yield* config.reload
      yield* config.reload
      yield* disk.write(FILE, file("z"))
      yield* config.reload
      assert.deepStrictEqual([...yield* Fiber.join(heard)], ["a 0", "b 0", "z 0"])
    }))

  it.effect("tells of a secret that changed", () =>
    Effect.gen(function*() {
      const entry = (key: string) => JSON.stringify({ mcpServers: { a: { command: "x", env: { KEY: key } } } })
      const { config, disk } = yield* changing({ [FILE]: entry("one") })
      const before = yield* config.current
      assert.strictEqual(yield* config.reload, before)
      yield* disk.write(FILE, entry("two"))
      assert.notStrictEqual(yield* config.reload, before)
    }))

  it.effect("expands again from variables that changed", () =>
    Effect.gen(function*() {
      const disk = yield* ChangingFiles.make({
        [FILE]: "{ \"mcpServers\": { \"a\": { \"url\": \"https://${HOST}\" } } }"
      })
      let host = "one"
      const environment = Environment.of({
        get variables() {
          return { HOST: host }
        },
        files: ["/data/.env"],
        refresh: Effect.sync(() => {
          host = "two"
        })
      })
      const config = yield* ChangingFiles.unwatched(disk, McpConfig.layerFile(FILE), environment)
      assert.sameMembers([...yield* config.files], ["/data/.env", FILE])
      const urlOf = ({ servers }: Configuration) => {
        const found = servers[0]?.config
        const transport = found !== undefined && Result.isSuccess(found) ? found.success.transport : null
        return transport === null || transport._tag === "stdio" ? null : Redacted.value(transport.url)
      }
      assert.strictEqual(urlOf(yield* config.current), "https://one")
      assert.strictEqual(urlOf(yield* config.reload), "https://two")
    }))

  it.effect("takes a configuration that the program itself changes", () =>
    Effect.gen(function*() {
      const ref = yield* SubscriptionRef.make<Configuration>({ servers: [], sources: [], warnings: [] })
      const config = yield* Effect.provide(McpConfig, McpConfig.layerRef(ref))
      yield* SubscriptionRef.set(ref, { servers: [], sources: [], warnings: ["w"] })
      assert.deepStrictEqual((yield* config.current).warnings, ["w"])
      assert.strictEqual(yield* config.reload, yield* config.current)
    }))
})
