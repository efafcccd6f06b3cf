/** The harness of the measurements: what it makes of numbers, and of programs that give some or none. */
import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as PrefixCost from "../bench/context/PrefixCost.ts"
import * as Document from "../bench/support/Document.ts"
import { compared, type Outcome, type Row, run, type Side } from "../bench/support/Harness.ts"
import { median, percentile, ratios } from "../bench/support/Samples.ts"
import * as Summary from "../bench/support/Summary.ts"
import * as Table from "../bench/support/Table.ts"
import * as Deadline from "./support/Deadline.ts"
import * as Processes from "./support/Processes.ts"

const Duration = Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000 })))
const Durations = Arbitrary.array(Duration, { minLength: 1, maxLength: 30 })
const Rounds = Arbitrary.array(Arbitrary.all({ ours: Duration, raw: Duration, load: Duration }), {
  minLength: 1,
  maxLength: 15
})

describe("numbers of repeated measurements", () => {
  it.prop("the median has no more than half of the values on either side", { values: Durations }, ({ values }) => {
    const middle = median(values)
    assert.isAtMost(values.filter((value) => value < middle).length, values.length / 2)
    assert.isAtMost(values.filter((value) => value > middle).length, values.length / 2)
  })

  it.prop("a percentile is the least value that covers its part", { values: Durations, at: Duration }, (given) => {
    const { values } = given
    const part = given.at / 1_000_000
    const found = percentile(values, part)
    assert.include(values, found)
    assert.isAtLeast(values.filter((value) => value <= found).length, values.length * part)
    assert.isBelow(values.filter((value) => value < found).length, values.length * part)
  })

  it.prop("what slows down a whole round does not change the ratio", { rounds: Rounds }, ({ rounds }) => {
    const quiet = ratios(rounds.map(({ ours }) => ours), rounds.map(({ raw }) => raw))
    const busy = ratios(rounds.map(({ load, ours }) => ours * load), rounds.map(({ load, raw }) => raw * load))
    assert.closeTo(busy.ratio / quiet.ratio, 1, 1e-9)
    assert.isAtMost(quiet.least, quiet.ratio)
    assert.isAtLeast(quiet.greatest, quiet.ratio)
  })

  it("rounds that only one side has do not count for the ratio", () => {
    assert.strictEqual(ratios([4, 9, 6], [2, Number.NaN, 3]).ratio, 2)
    assert.strictEqual(ratios([4, 9, 6], [2]).ratio, 2)
  })
})

/** A program that notes its turn in a file, then runs the script. */
const side = (name: string, turns: string, script: string): Side => ({
  name,
  args: ["-e", `require("node:fs").appendFileSync(${JSON.stringify(turns)}, "${name} "); ${script}`]
})

const give = (wall: number): string => `console.log("by the way"); console.log(JSON.stringify({ wall: ${wall} }))`

/** Hangs, with a server that hangs as well. */
const HANG = `require("node:child_process").spawn("sleep", ["60"]); setInterval(() => {}, 1000)`

const MARK = "BOOCODE_TEST_BENCH"

/** Measures a raw, ours, a peer that fails and one that hangs. */
const measured = Effect.acquireUseRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "boocode-test-"))),
  (folder) =>
    Effect.gen(function*() {
      const file = join(folder, "turns")
      const row: Row = {
        name: "row",
        title: "A row",
        sides: [
          side("raw", file, give(100)),
          side("ours", file, give(150)),
          side("SDK v1", file, `throw new TypeError("no such server")`),
          { ...side("SDK v2", file, HANG), env: { [MARK]: folder } },
          { ...side("Mastra", file, give(1)), missing: "not installed" },
          { ...side("AI SDK", file, give(300)), rounds: 1 }
        ],
        figures: [{ name: "wall", unit: "ms", target: { ratio: 1.2 } }],
        // Enough for a Node to start on a busy machine.
        seconds: 3
      }
      const outcome = yield* Effect.promise(() => run(row, 2))
      const turns = readFileSync(file, "utf8").trim().split(" ")
      return { outcome, turns, left: yield* Processes.leftAfter(MARK, folder, Deadline.GONE_MILLIS) }
    }),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
)

const cellsOf = (markdown: string): ReadonlyArray<string> =>
  markdown.split("\n")[2]?.split("|").map((cell) => cell.trim()).slice(1, -1) ?? []

describe("the harness", () => {
  it.live("measures round by round, each in a process of its own, and says of each that gave nothing why", () =>
    Effect.gen(function*() {
      const { left, outcome, turns } = yield* measured
      // Another side goes first each round. A side that failed, is missing or had its rounds takes no further part.
      assert.deepStrictEqual(turns, ["raw", "ours", "SDK", "v1", "SDK", "v2", "AI", "SDK", "ours", "raw"])
      const failures = outcome.sides.map(({ failure }) => failure)
      assert.deepStrictEqual(failures, [null, null, "TypeError: no such server", "over 3 s", "not installed", null])
      assert.strictEqual(ratioOf(outcome, "ours"), 1.5)
      assert.strictEqual(ratioOf(outcome, "AI SDK"), 3)

      assert.deepStrictEqual(left, [], "what hung, or what it started, is still there")

      const cells = [
        "A row",
        "100 ms",
        "1.50x (missed)",
        "≤ 1.2x",
        "fails",
        "over 3 s",
        "",
        "3.00x",
        "",
        "not installed"
      ]
      const markdown = Summary.markdown([outcome])
      assert.deepStrictEqual(cellsOf(markdown), cells)
      assert.include(markdown, "row, SDK v1: TypeError: no such server")
      assert.strictEqual(Summary.verdict([outcome]), "1 of 1 targets missed: row wall 1.50x (target 1.2x)")
      assert.strictEqual(Summary.verdict([failing(outcome)]), "1 of 1 targets missed: row wall fails (target 1.2x)")
      assert.match(Table.text(outcome), /^ours +150 +1\.50x \(1\.50–1\.50\) +NOT, at most 1\.2x$/m)
    }))
})

describe("a document", () => {
  const text =
    "before\n\n<!-- one -->\n\nold\n\n<!-- the end of it -->\n\n<!-- two -->\n<!-- the end of it -->\nafter\n"

  it("gets the table of a command between the marks of that command, and nothing else changes", () => {
    const once = Document.between(text, "one", "new")
    assert.strictEqual(once, text.replace("old", "new"))
    assert.strictEqual(Document.between(once, "one", "new"), once)
    assert.strictEqual(Document.between(once, "two", "x"), once.replace("<!-- two -->\n", "<!-- two -->\n\nx\n\n"))
  })

  it("without such marks stays as it is", () => {
    assert.throws(() => Document.between(text, "three", "new"), "<!-- three -->")
  })
})

/** The same where ours gave no figures. */
const failing = ({ row, sides }: Outcome): Outcome => ({
  row,
  sides: sides.map((side) => side.side === "ours" ? { ...side, rounds: [], failure: "TypeError: oops" } : side)
})

const ratioOf = (outcome: Outcome, name: string): number => {
  const found = outcome.sides.find(({ side }) => side === name)
  return found === undefined ? Number.NaN : compared(outcome, found, "wall").ratio
}

/** Requests of pieces of ten tokens each; one with an asterisk is marked. */
const prompts = (...requests: ReadonlyArray<string>): ReadonlyArray<PrefixCost.Prompt> =>
  requests.map((pieces) => ({
    pieces: pieces.split(" ").map((piece) => ({
      text: ` ${piece.replace("*", "")}`.repeat(10),
      isMarked: piece.endsWith("*")
    })),
    deferred: []
  }))

describe("the cost of a chat's requests", () => {
  it("counts what is not the beginning of an earlier request, and what no request before had", () => {
    assert.deepStrictEqual(PrefixCost.of(prompts("a b", "a b c", "d a b c"), false), {
      requests: 3,
      sent: 90,
      anew: 20 + 10 + 40,
      ideal: 20 + 10 + 10,
      first: 20,
      deferred: 0
    })
  })

  it("counts by marks what stands before one, and is found at most twenty pieces before another", () => {
    const anew = (...requests: ReadonlyArray<string>) => PrefixCost.of(prompts(...requests), true).anew
    assert.strictEqual(anew("a b*", "a b* c*"), 20 + 10)
    assert.strictEqual(anew("a b", "a b c*"), 20 + 30)
    assert.strictEqual(anew("a* b", "a b c*"), 20 + 20)
    const many = (count: number) => Array.from({ length: count }, () => "x").join(" ")
    assert.strictEqual(anew("a*", `a ${many(19)}*`), 10 + 190)
    assert.strictEqual(anew("a*", `a ${many(20)}*`), 10 + 210)
  })
})
