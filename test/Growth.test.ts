/** The curves of growth: what their exponents say, and that a picture shows what was measured. */
import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { curves } from "../bench/rows/GrowthCurves.ts"
import * as CurveSvg from "../bench/support/CurveSvg.ts"
import * as Exponent from "../bench/support/Exponent.ts"

const between = (minimum: number, maximum: number) =>
  Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum, maximum })))

const SIZES = [1, 3, 10, 30, 100, 300, 1000]

describe("the exponent of a curve", () => {
  it.prop(
    "is the power that a cost grows with, whatever one costs",
    { tenths: between(1, 30), each: between(1, 1_000_000) },
    ({ each, tenths }) => {
      const points = SIZES.map((x) => ({ x, y: each * x ** (tenths / 10) }))
      assert.closeTo(Exponent.ofUpperHalf(points), tenths / 10, 1e-6)
    }
  )

  it.prop(
    "of a linear cost is not above 1, whatever it costs to begin",
    { fixed: between(0, 1_000_000), each: between(1, 1000) },
    ({ each, fixed }) => {
      const points = SIZES.map((x) => ({ x, y: fixed + each * x }))
      assert.isAtMost(Exponent.ofUpperHalf(points), 1 + 1e-9)
    }
  )

  it("of what shows only at large sizes that it is quadratic is above 1.5", () => {
    const points = SIZES.map((x) => ({ x, y: 5000 + x ** 2 }))
    assert.isAbove(Exponent.ofUpperHalf(points), 1.5)
  })
})

describe("the picture of a curve", () => {
  const number = { label: "calls", say: String }
  const places = (svg: string, kind: string) =>
    [...svg.matchAll(new RegExp(`<circle class="dot-${kind}" cx="([\\d.]+)" cy="([\\d.]+)"`, "g"))]
      .map(([, x, y]) => ({ x: Number(x), y: Number(y) }))

  it.prop(
    "has a dot for each point inside of its frame, farther right and higher where it is more",
    { costs: Arbitrary.array(between(1, 1_000_000_000), { minLength: 2, maxLength: 7 }) },
    ({ costs }) => {
      const points = costs.map((y, at) => ({ x: SIZES[at] ?? 1, y }))
      const lines = [CurveSvg.linear(points), { name: "ours", kind: "ours" as const, points }]
      const dots = places(CurveSvg.draw({ title: "t", x: number, y: number, lines }), "ours")
      assert.strictEqual(dots.length, points.length)
      dots.forEach((dot, at) => {
        assert.isTrue(dot.x >= 84 && dot.x <= 696 && dot.y >= 72 && dot.y <= 380, JSON.stringify(dot))
        const before = dots[at - 1]
        if (before === undefined) return
        assert.isAbove(dot.x, before.x)
        if ((costs[at] ?? 0) > (costs[at - 1] ?? 0)) assert.isAtMost(dot.y, before.y)
      })
    }
  )

  it("puts the names of lines beside no other words, and cuts off no number", () => {
    const points = [{ x: 10, y: 1 }, { x: 100_000, y: 10 }]
    const name = "model tools, first"
    const lines = Array.from({ length: 4 }, () => ({ name, kind: "raw" as const, points }))
    const x = { label: "tools", say: (size: number) => size.toLocaleString("en") }
    const svg = CurveSvg.draw({ title: "t", x, y: { label: "MILLIS", say: String }, lines })
    const words = [...svg.matchAll(/x="([\d.]+)" y="([\d.]+)" text-anchor="(\w+)">([^<]+)</g)]
      .map(([, left, row, anchor, text = ""]) => ({ left: Number(left), row: Number(row), anchor, text }))
    const rows = new Set(words.filter(({ text }) => text === name).map(({ row }) => row))
    assert.isFalse(rows.has(words.find(({ text }) => text === "MILLIS")?.row ?? 0))
    const last = words.find(({ text }) => text === "100,000")
    assert.isAtMost((last?.left ?? 999) + 30, 720)
  })

  it("says names and titles as they are, in both colour schemes", () => {
    const points = [{ x: 1, y: 1 }, { x: 10, y: 10 }]
    const svg = CurveSvg.draw({
      title: `a < b & "c"`,
      x: number,
      y: number,
      lines: [{ name: "n", kind: "raw", points }]
    })
    assert.include(svg, "a &lt; b &amp; &quot;c&quot;</text>")
    assert.include(svg, "prefers-color-scheme: dark")
  })
})

describe("docs/growth", () => {
  const folder = fileURLToPath(new URL("../docs/growth/", import.meta.url))
  const Measured = Schema.fromJsonString(Schema.Struct({
    lines: Schema.Array(Schema.Struct({
      name: Schema.String,
      exponent: Schema.Finite,
      points: Schema.Array(Schema.Struct({ x: Schema.Finite, y: Schema.Finite }))
    }))
  }))

  it("has every curve as it was measured, drawn, and none worse than linear", () => {
    const names = curves.map(({ name }) => name)
    assert.deepStrictEqual(readdirSync(folder).sort(), names.flatMap((name) => [`${name}.json`, `${name}.svg`]).sort())
    for (const { lines, name, sizes } of curves) {
      const measured = Schema.decodeSync(Measured)(readFileSync(`${folder}${name}.json`, "utf8")).lines
      assert.deepStrictEqual(measured.map((line) => line.name), lines.map((line) => line.name))
      for (const { exponent, points } of measured) {
        assert.deepStrictEqual(points.map(({ x }) => x), [...sizes])
        assert.closeTo(exponent, Exponent.ofUpperHalf(points), 1e-9)
        assert.isAtMost(exponent, Exponent.LINEAR, name)
      }
    }
  })
})
