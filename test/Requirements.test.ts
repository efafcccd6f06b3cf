/** The table of requirements is whole, and says nothing of files that is not so. */
import { assert, describe, it } from "@effect/vitest"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as Titles from "./breaks/Titles.ts"
import { requirements } from "./requirements.ts"
import { CHECKOUT } from "./support/Command.ts"

const HIGHEST = 108

const sources = new Map<string, string>()

/** The text of a file; empty when there is none. */
const sourceOf = (file: string): string => {
  const path = join(CHECKOUT, file)
  const source = sources.get(file) ?? (existsSync(path) ? readFileSync(path, "utf8") : "")
  sources.set(file, source)
  return source
}

const occurrences = (text: string, part: string): number => part === "" ? 0 : text.split(part).length - 1

describe("Requirements", () => {
  it("are all there, each once, in order", () => {
    const expected = Array.from({ length: HIGHEST }, (_, index) => `R${index + 1}`)
    assert.deepStrictEqual(requirements.map(({ id }) => id), expected)
  })

  it("can be looked up in docs/requirements.md", () => {
    const document = readFileSync(join(CHECKOUT, "docs/requirements.md"), "utf8")
    const ids = [...document.matchAll(/^\| (R\d+) +\|/gm)].map(([, id]) => id)
    assert.deepStrictEqual(ids, requirements.map(({ id }) => id))
  })

  it("name tests that are there, each by a part of its name that no other test of the file has", () => {
    const wrong = requirements.flatMap(({ id, proofs }) =>
      proofs.flatMap(({ file, test }) => {
        const count = Titles.titlesOf(sourceOf(file)).filter((title) => title.includes(test)).length
        const hasPlaceholder = /\$\{|\$\w|%[sdj]/.test(test)
        return count === 1 && !hasPlaceholder ? [] : [`${id}: ${file}: ${test}: ${count} tests`]
      })
    )
    assert.deepStrictEqual(wrong, [])
  })

  it("break one line of a source that is there once, and change it", () => {
    const wrong = requirements.flatMap(({ break: line, id }) => {
      if (line === undefined) return []
      const count = occurrences(sourceOf(line.file), line.find)
      const isLine = !`${line.find}${line.replace}`.includes("\n") && line.find !== line.replace
      const isSource = /^(packages|apps)\/[^/]+\/src\//.test(line.file)
      return count === 1 && isLine && isSource ? [] : [`${id}: ${line.file}: ${line.find}: ${count} times`]
    })
    assert.deepStrictEqual(wrong, [])
  })

  it("each have a proof and a break of it, or are open with a reason", () => {
    const wrong = requirements.filter(({ break: line, open = "", proofs }) =>
      proofs.length === 0 ? open.length < 20 || line !== undefined : line === undefined
    )
    assert.deepStrictEqual(wrong.map(({ id }) => id), [])
  })

  it("are cited by a test that proves them, or by the name of its group", () => {
    const silent = requirements.filter(({ id, open, proofs }) => {
      const cites = (title: string) => new RegExp(`\\b${id}\\b`).test(title)
      return proofs.length > 0 && open === undefined && !proofs.some(({ file, test }) => {
        const source = sourceOf(file)
        const names = Titles.titlesOf(source).filter((title) => title.includes(test))
        return [...names, ...Titles.groupsOf(source)].some(cites)
      })
    })
    assert.deepStrictEqual(silent.map(({ id }) => id), [])
  })
})
