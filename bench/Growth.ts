/**
 * How cost grows with the number of servers, of tools, of calls in flight and with the size of a result: measures each at
 * many sizes, writes `docs/growth/NAME.json`, draws it as `docs/growth/NAME.svg`, and puts the exponents of all into
 * docs/performance.md (1 is linear). `node bench/Growth.ts [NAME …] [--quick] [--draw]`; `--draw` draws what was measured
 * before.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { curves, type GrowthCurve, type GrowthLine } from "./rows/GrowthCurves.ts"
import * as CurveSvg from "./support/CurveSvg.ts"
import * as Document from "./support/Document.ts"
import * as Exponent from "./support/Exponent.ts"
import { measure } from "./support/Harness.ts"
import { median } from "./support/Samples.ts"

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: "boolean", default: false }, draw: { type: "boolean", default: false } }
})

const FOLDER = fileURLToPath(new URL("../docs/growth/", import.meta.url))
const SECONDS = 120

interface Measured {
  readonly title: string
  readonly date: string
  readonly node: string
  readonly cores: number
  readonly lines: ReadonlyArray<{
    readonly name: string
    readonly exponent: number
    readonly points: ReadonlyArray<Exponent.Point>
  }>
}

/** The sides take turns at each size. */
const pointsAt = async (
  size: number,
  { lines, rounds }: GrowthCurve
): Promise<ReadonlyArray<Exponent.Point | null>> => {
  const found = lines.map(() => new Array<number>())
  const failed = new Set<GrowthLine>()
  for (let round = 0; round < (values.quick ? 1 : rounds); round++) {
    // Lines of one program are figures of one measurement.
    const seen = new Map<string, Promise<Readonly<Record<string, number>>>>()
    for (const [at, line] of lines.entries()) {
      if (failed.has(line)) continue
      const { args } = line.at(size)
      const figures = seen.get(args.join(" ")) ?? measure(line.at(size), SECONDS)
      seen.set(args.join(" "), figures)
      await figures.then(
        (all) => found[at]?.push(all[line.figure] ?? Number.NaN),
        ({ message }: Error) => {
          failed.add(line)
          console.log(`  ${line.name} at ${size}: ${message}`)
        }
      )
    }
  }
  return found.map((all) => all.length === 0 ? null : { x: size, y: median(all) })
}

const measured = async (curve: GrowthCurve): Promise<Measured> => {
  const all: Array<ReadonlyArray<Exponent.Point | null>> = []
  for (const size of curve.sizes) {
    const points = await pointsAt(size, curve)
    console.log(`  ${curve.x.say(size)}: ${points.map((point) => point?.y.toPrecision(3) ?? "-").join(", ")}`)
    all.push(points)
  }
  const lines = curve.lines.map(({ name }, at) => {
    const points = all.flatMap((row) => row[at] ?? [])
    return { name, exponent: Exponent.ofUpperHalf(points), points }
  })
  return {
    title: curve.title,
    date: new Date().toISOString().slice(0, 10),
    node: process.versions.node,
    cores: availableParallelism(),
    lines
  }
}

const drawn = (curve: GrowthCurve, { lines, title }: Measured): string =>
  CurveSvg.draw({
    title,
    x: curve.x,
    y: { label: curve.y, say: (value) => value.toLocaleString("en", { maximumSignificantDigits: 3 }) },
    lines: [
      CurveSvg.linear(lines[0]?.points ?? []),
      ...lines.map(({ name, points }, at) => ({ name, points, kind: curve.lines[at]?.kind ?? "other" })).toReversed()
    ]
  })

const fileOf = (name: string): string => join(FOLDER, `${name}.json`)
const read = (name: string): Measured => JSON.parse(readFileSync(fileOf(name), "utf8"))

/** What was measured of each curve, whenever that was. */
const table = (): string => {
  const rows = curves.filter(({ name }) => existsSync(fileOf(name))).map(({ name, title, x }) => {
    const { date, lines } = read(name)
    const sizes = lines[0]?.points.map((point) => point.x) ?? []
    const exponents = lines.map((line) => `${line.name} ${line.exponent.toFixed(2)}`).join(", ")
    return [title, `${x.label}, ${x.say(sizes[0] ?? 0)} … ${x.say(sizes.at(-1) ?? 0)}`, exponents, date]
  })
  const heads = ["what grows", "from … to", "exponent", "measured"]
  return [heads, heads.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n")
}

mkdirSync(FOLDER, { recursive: true })
for (const curve of curves) {
  if (positionals.length > 0 && !positionals.includes(curve.name)) continue
  const file = fileOf(curve.name)
  if (values.draw && !existsSync(file)) continue
  console.log(curve.title)
  const result = values.draw ? read(curve.name) : await measured(curve)
  writeFileSync(file, `${JSON.stringify(result, null, 2)}\n`)
  writeFileSync(join(FOLDER, `${curve.name}.svg`), drawn(curve, result))
  for (const { exponent, name } of result.lines) {
    console.log(`  ${name}: exponent ${exponent.toFixed(2)}${exponent > Exponent.LINEAR ? ", MORE THAN LINEAR" : ""}`)
  }
}
Document.write("docs/performance.md", "node bench/Growth.ts", table())
