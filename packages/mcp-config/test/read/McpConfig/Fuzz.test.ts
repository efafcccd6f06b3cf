/**
 * Files of every application, changed at random, others in each run: each is read, brought in and resolved. The full run
 * is 100,000 files: `BOOCODE_FUZZ_FILES=100000 vitest run --project packages packages/mcp-config/test/read/McpConfig/Fuzz.test.ts`. A
 * failure names the seed of its file, which comes again alone with `BOOCODE_FUZZ_SEED=<seed> BOOCODE_FUZZ_FILES=1`.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import process from "node:process"
import { ConfigImport, ConfigShape } from "../../../src/Exchange.ts"
import * as EntryMeaning from "../../../src/exchange/EntryMeaning.ts"
import { Environment } from "../../../src/index.ts"
import type { ServerEntry } from "../../../src/model/ServerEntry.ts"
import * as ConfigFile from "../../../src/read/ConfigFile.ts"
import * as ConfigText from "../../../src/text/ConfigText.ts"
import type { Place } from "../../../src/text/JsonNode.ts"
import { layerFiles } from "../../support/Files.ts"
import { type Dice, dice, mutate, seedOf, slip } from "../../support/Mutation.ts"
import { type Sample, SAMPLES } from "../../support/Samples.ts"
import { contextOf, entriesOf } from "../../support/Shaped.ts"

const FILES = Number(process.env["BOOCODE_FUZZ_FILES"] ?? 300)
const SEED = seedOf(process.env["BOOCODE_FUZZ_SEED"])

/** No file takes more of the processor than this. */
const LIMIT_MILLIS = 5000

console.log(`fuzz with BOOCODE_FUZZ_SEED=${SEED}`)

const services = Layer.mergeAll(layerFiles({}, []), Path.layer, Environment.layer({ HOME: "/home/me", A: "1" }))

const sampleBy = (roll: Dice): Sample => SAMPLES[roll(SAMPLES.length)] ?? assert.fail("no samples")

/** Every place lies in the text, or just behind it. */
const isInside = (text: string) => {
  const lines = text.split(/\r\n|\n|\r/)
  return ({ column, line }: Place): boolean =>
    Number.isInteger(line) && Number.isInteger(column) && line >= 1 && line <= lines.length + 1 && column >= 1 &&
    column <= (lines[line - 1]?.length ?? 0) + 2
}

const placesOf = (entry: ServerEntry): ReadonlyArray<Place> => [
  entry.at,
  ...entry.remarks.map(({ at }) => at),
  ...(Result.isFailure(entry.declaration) ? entry.declaration.failure.map(({ at }) => at) : [])
]

/** What is written means what was found, down to the switch. */
const checkImport = (found: ConfigShape.Found) => {
  const entries = ConfigShape.contentOf(found).entries
  const plan = ConfigImport.plan(found, [], { isReplacing: false, start: "same" })
  for (const { enabled, entry, name } of plan.servers) {
    const [again] = entry === null ? [] : entriesOf({ [name]: entry })
    const before = entries.find((one) => one.name === name)
    if (again === undefined || before === undefined) continue
    assert.strictEqual(again.enabled, before.enabled, name)
    assert.strictEqual(enabled, before.enabled, name)
    const [one, other] = [EntryMeaning.of(before), EntryMeaning.of(again)]
    assert.deepStrictEqual(one === null || other === null ? [] : EntryMeaning.differences(one, other), [], name)
  }
}

const checkText = Effect.fnUntraced(
  function*(file: string, shapes: ReadonlyArray<ConfigShape.ShapeName>, text: string) {
    const inside = isInside(text)
    const root = yield* ConfigText.parse(text, ConfigText.formatOf(file))
    if (Result.isFailure(root)) assert.isTrue(inside(root.failure) && root.failure.detail !== "")
    const detected = Result.isSuccess(root) ? [ConfigShape.detect(root.success, contextOf(file).isBare)] : []
    for (const shape of Result.isSuccess(root) ? new Set([...detected, ...shapes]) : []) {
      const found = Result.flatMap(root, (node) => ConfigShape.find(node, shape, contextOf(file)))
      if (Result.isFailure(found)) assert.isTrue(inside(found.failure) && found.failure.detail !== "")
      else {
        assert.isTrue(found.success.notes.every(({ at, detail }) => inside(at) && detail !== ""))
        assert.isTrue(ConfigShape.contentOf(found.success).entries.flatMap(placesOf).every(inside))
        checkImport(found.success)
      }
    }
    const content = yield* ConfigFile.fromText({ path: `/project/${file}`, name: file, scope: "data" }, text)
    if (content.source?.state === "invalid") {
      assert.deepStrictEqual(content.servers, [])
      assert.match(content.source.error?.message ?? "", /^[^\n]+:\d+:\d+: \S/)
    }
  }
)

/** The text that broke a promise is shown with its seed. */
const guarded = Effect.fnUntraced(function*(what: string, text: string, check: Effect.Effect<void, never, never>) {
  const before = process.cpuUsage()
  yield* Effect.catchCause(check, (cause) => Effect.die(new Error(`${what}\n${JSON.stringify(text)}`, { cause })))
  const { system, user } = process.cpuUsage(before)
  const millis = (system + user) / 1000
  assert.isBelow(millis, LIMIT_MILLIS, `${what} took ${Math.round(millis)} ms\n${JSON.stringify(text)}`)
})

describe("a file changed at random", () => {
  it.effect(
    `ends in a value or an error with a place, and is brought in as it was understood (${FILES} files) (R66, R67)`,
    () =>
      Effect.gen(function*() {
        for (let number = 0; number < FILES; number++) {
          const roll = dice(SEED + number)
          const { file, shape, text } = sampleBy(roll)
          const changed = mutate(text, sampleBy(roll).text, roll)
          const shapes = [shape, ConfigShape.names[roll(ConfigShape.names.length)] ?? "native"]
          yield* guarded(
            `${file}, seed ${SEED + number}`,
            changed,
            Effect.provide(checkText(file, shapes, changed), services)
          )
        }
      }),
    Math.max(60_000, FILES * 60)
  )
})

interface Switched {
  readonly file: string
  readonly before: string
  readonly part: string
  readonly after: string
}

const json = (file: string, before: string, part: string, after: string): Switched => ({ file, before, part, after })

/** Files with one server that is off, and the part of them that says so. */
const SWITCHED: ReadonlyArray<Switched> = [
  json("native.json", "{ \"mcpServers\": { \"a\": { \"command\": \"x\",\n", "\"enabled\": false", "\n} } }"),
  json(
    "native.json",
    "{ \"mcpServers\": { \"a\": { \"command\": \"x\", ",
    "\"disabled\": true",
    ", \"args\": [] } } }"
  ),
  json(
    "opencode.json",
    "{ \"mcp\": { \"a\": { \"type\": \"local\", \"command\": [\"x\"], ",
    "\"enabled\": false",
    " } } }"
  ),
  json(
    "v2.json",
    "{ \"mcp\": { \"servers\": { \"a\": { \"type\": \"local\", \"command\": [\"x\"],\n",
    "\"disabled\": true",
    "\n} } } }"
  ),
  json(
    "cline.json",
    "{ \"mcpServers\": { \"a\": { \"transportType\": \"stdio\", \"command\": \"x\", ",
    "\"disabled\": true",
    " } } }"
  ),
  json(
    "roo.json",
    "{ \"mcpServers\": { \"a\": { \"alwaysAllow\": [], \"command\": \"x\", ",
    "\"disabled\": true",
    "\n } } }"
  ),
  json(
    "1mcp.json",
    "{ \"mcpServers\": { \"a\": { \"restartOnExit\": true, \"command\": \"x\", ",
    "\"disabled\": true",
    " } } }"
  ),
  json("windsurf.json", "{ \"mcpServers\": { \"a\": { \"serverUrl\": \"https://x\", ", "\"disabled\": true", " } } }"),
  json("zed.json", "{ \"context_servers\": { \"a\": { \"command\": \"x\", ", "\"enabled\": false", " } } }"),
  json("codex.toml", "[mcp_servers.a]\ncommand = \"x\"\n", "enabled = false", "\nargs = []\n"),
  json("codex.toml", "[mcp_servers]\na = { command = \"x\", ", "enabled = false", " }\n"),
  json("goose.yaml", "extensions:\n  a:\n    type: stdio\n    cmd: x\n    ", "enabled: false", "\n    args: []\n"),
  json("goose.yaml", "extensions: { a: { cmd: x, ", "enabled: false", " } }\n")
]

/** A slip made a comment of a switch: a person who writes that means it. */
const isComment = (part: string): boolean => /\/\/|\/\*|#/.test(part)

describe("a switch with a slip or two in it", () => {
  it.effect(`never starts a server that was off (${FILES} files)`, () =>
    Effect.gen(function*() {
      let refused = 0
      for (let number = 0; number < FILES; number++) {
        const roll = dice(SEED + number)
        const { after, before, file, part } = SWITCHED[roll(SWITCHED.length)] ?? assert.fail("no files")
        const text = slip(`${before}${part}${after}`, before.length, before.length + part.length, roll)
        if (isComment(text.slice(before.length, text.length - after.length))) continue
        const content = yield* ConfigFile.fromText({ path: `/project/${file}`, name: file, scope: "data" }, text)
        const started = content.servers.filter(({ config, enabled }) => enabled && Result.isSuccess(config))
        assert.deepStrictEqual(started.map(({ name }) => name), [], `seed ${SEED + number}: ${text}`)
        refused += content.servers.length === 0 ? 1 : 0
      }
      // Most slips make a text that cannot be read; the promise is about the others.
      assert.isTrue(refused < FILES || FILES < 100, `${refused} of ${FILES} files say nothing`)
    }).pipe(Effect.provide(services)), Math.max(60_000, FILES * 60))
})
