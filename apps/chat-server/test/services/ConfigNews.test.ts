import { type ConfigSource, type Configuration, InvalidEntry, InvalidFile, McpConfig } from "@boocode/mcp-config"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Result from "effect/Result"
import * as SubscriptionRef from "effect/SubscriptionRef"
import { TestClock } from "effect/testing"
import * as ConfigNews from "../../src/services/ConfigNews.ts"
import { DataFolder } from "../../src/settings/DataFolder.ts"

const FILE = "data/mcp.json"

const source = (state: ConfigSource["state"], line: number | null = null): ConfigSource => ({
  file: FILE,
  scope: "data",
  state,
  hidden: [],
  error: line === null ? null : new InvalidFile({ file: FILE, line, column: 1, detail: "this is not JSON" })
})

const configuration = (
  one: ConfigSource,
  servers: Configuration["servers"] = [],
  warnings: ReadonlyArray<string> = []
): Configuration => ({ servers, sources: [one], warnings })

const broken: Configuration["servers"][number] = {
  name: "a",
  transport: "stdio",
  source: FILE,
  enabled: true,
  needsApproval: false,
  config: Result.fail(
    new InvalidEntry({
      server: "a",
      file: FILE,
      line: 2,
      column: 3,
      key: "mcpServers.a",
      detail: "odd",
      hint: "mend it"
    })
  ),
  warnings: []
}

const folder = Layer.succeed(DataFolder, {
  folder: "data",
  dataFile: FILE,
  isNamed: true,
  configFile: null,
  agentsFile: "",
  settingsFile: "",
  envFile: "",
  workspace: "",
  state: ""
})

/** What is logged at first and after each configuration that follows. */
const logged = Effect.fnUntraced(function*(
  layer: Layer.Layer<never, never, McpConfig | DataFolder>,
  first: Configuration,
  ...more: ReadonlyArray<Configuration>
) {
  const lines: Array<string> = []
  const logger = Logger.layer([
    Logger.make(({ logLevel, message }) => {
      lines.push(`${logLevel} ${String(message)}`)
    })
  ])
  const ref = yield* SubscriptionRef.make(first)
  yield* Layer.build(layer.pipe(Layer.provide([McpConfig.layerRef(ref), folder, logger])))
  const said: Array<ReadonlyArray<string>> = []
  for (const next of [null, ...more]) {
    if (next !== null) yield* SubscriptionRef.set(ref, next)
    yield* TestClock.adjust(0)
    said.push(lines.splice(0))
  }
  return said
})

describe("ConfigNews", () => {
  it.effect("says where a file is wrong and what that means, once, and again when it is wrong again (R68)", () =>
    Effect.gen(function*() {
      const said = yield* logged(
        ConfigNews.files,
        configuration(source("read")),
        configuration(source("kept", 3)),
        configuration(source("kept", 3), [], ["new"]),
        configuration(source("read")),
        configuration(source("kept", 3))
      )
      const error = `Error ${FILE}:3:1: this is not JSON; its servers stay as they are (correct the file at that place)`
      assert.deepStrictEqual(said, [[], [error], ["Warn new"], [`Info ${FILE} can be read again`], [error]])
    }))

  it.effect("tells a file that never was there from one that is gone", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(
        yield* logged(
          ConfigNews.files,
          configuration(source("absent")),
          configuration(source("invalid", 1)),
          configuration(source("absent"))
        ),
        [
          [`Warn ${FILE} is not there, so there are no servers`],
          [`Error ${FILE}:1:1: this is not JSON; there are no servers (correct the file at that place)`],
          [`Warn ${FILE} is not there any more, so its servers are stopped`]
        ]
      )
    }))

  it.effect("names each broken entry that is wanted, also one that broke later", () =>
    Effect.gen(function*() {
      const read = source("read")
      const text = `Warn a: ${FILE}:2:3: mcpServers.a: odd (mend it)`
      assert.deepStrictEqual(
        yield* logged(
          ConfigNews.brokenEntries,
          configuration(read, [broken]),
          configuration(read, [{ ...broken, enabled: false }]),
          configuration(read, [{ ...broken, needsApproval: true }]),
          configuration(read, [broken])
        ),
        [[text], [], [], [text]]
      )
    }))

  it.effect("says nothing anew of a broken entry that only moved", () =>
    Effect.gen(function*() {
      const read = source("read")
      const moved = Result.mapError(broken.config, (error) =>
        error._tag === "InvalidEntry" ? new InvalidEntry({ ...error, line: 7 }) : error)
      const said = yield* logged(
        ConfigNews.brokenEntries,
        configuration(read, [broken]),
        configuration(read, [{ ...broken, config: moved }])
      )
      assert.deepStrictEqual(
        said.map((lines) =>
          lines.length
        ),
        [1, 0]
      )
    }))

  it("puts what changed into one line", () => {
    assert.strictEqual(
      ConfigNews.line({ added: ["a", "b"], changed: ["c"], removed: ["d"], unchanged: ["e"] }),
      "The configuration changed: added a, b; changed c; removed d."
    )
    assert.isNull(ConfigNews.line({ added: [], changed: [], removed: [], unchanged: ["e"] }))
  })
})
