/// <reference types="vite/client" />
import { assert, describe, it } from "@effect/vitest"
import { IntlMessageFormat } from "intl-messageformat"
import { filled } from "../../src/language/Translation.ts"

const LANGUAGES = ["de", "es", "ja", "zh"]

/** A word of a table, with its place. */
type Word = readonly [path: string, english: unknown]

const wordsOf = (path: string, value: unknown): ReadonlyArray<Word> =>
  typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([name, inside]) => wordsOf(`${path}.${name}`, inside))
    : [[path, value]]

const tables = Object.values(import.meta.glob<object>("../../src/messages/**/*Messages.ts", { eager: true }))
const languages = import.meta.glob<object>("../../languages/*.json", { eager: true, import: "default" })
const english = tables.flatMap((table) => Object.entries(table).flatMap(([name, value]) => wordsOf(name, value)))

const read = (language: string) =>
  new Map(
    Object.entries(languages[`../../languages/${language}.json`] ?? {}).flatMap(([name, value]) => wordsOf(name, value))
  )

type Elements = ReturnType<IntlMessageFormat["getAst"]>

const placeholders = (elements: Elements): ReadonlyArray<string> =>
  elements.flatMap((element) => [
    ...("value" in element && element.type !== 0 ? [element.value] : []),
    ...("options" in element ? Object.values(element.options).flatMap(({ value }) => placeholders(value)) : [])
  ])

/** What is wrong with a word: none, not of the same kind, or values that the page does not give. */
const problemOf = (word: unknown, english: unknown): string | null => {
  if (typeof word !== "string") return word === english ? null : "is missing"
  if (typeof english !== "function") return null
  try {
    const asked = placeholders(new IntlMessageFormat(word, "en", undefined, { ignoreTag: true }).getAst())
    const unknown = asked.find((name) => /^\d+$/.test(name) && Number(name) >= english.length)
    return unknown === undefined ? null : `asks for {${unknown}}, and is given ${english.length} values`
  } catch (cause) {
    return `cannot be read: ${cause}`
  }
}

describe("Translation", () => {
  it.each(LANGUAGES)(
    "has each word of the page in %s, and asks for no value that the page does not give",
    (language) => {
      const words = read(language)
      const wrong = english.flatMap(([path, value]) => {
        const problem = problemOf(words.get(path), value)
        words.delete(path)
        return problem === null ? [] : [`${path} ${problem}`]
      })
      assert.deepStrictEqual([...wrong, ...[...words.keys()].map((path) => `${path} is no word of the page`)], [])
    }
  )

  it("says a text with its values, numbers as the language writes them", () => {
    const text = filled(
      "{0, plural, one {# Server} other {# Server}} von {1}, {2, select, null {allein} other {mit {2}}}",
      "de"
    )
    assert.strictEqual(text(1234, "Ann", null), "1.234 Server von Ann, allein")
    assert.strictEqual(text(1, "<b>", "Bob"), "1 Server von <b>, mit Bob")
  })

  it("takes the values of an object by their names", () => {
    assert.strictEqual(filled("{read} von {all}", "de")({ read: 1, all: 2 }), "1 von 2")
  })
})
