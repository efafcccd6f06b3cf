/**
 * Puts the words of another language into the tables of `messages`. The words are in `languages` beside `src`, a JSON file each, of
 * the shape of the tables. A text that has values in it is written in the message format of ICU, with the place of each value.
 */
import { IntlMessageFormat } from "intl-messageformat"

const FILES = {
  de: () => import("../../languages/de.json"),
  es: () => import("../../languages/es.json"),
  ja: () => import("../../languages/ja.json"),
  zh: () => import("../../languages/zh.json")
}

/** Gives what writes a language's words over those of a table, by its name. */
export const load = async (language: keyof typeof FILES, locale: string) => {
  const { default: tables } = await FILES[language]()
  return (name: string, table: object): void => writeOver(table, Reflect.get(tables, name), locale)
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

/** Only words that the table has are taken. A word of another kind stays English. */
const writeOver = (table: object, words: unknown, locale: string): void => {
  if (!isObject(words)) return
  for (const [name, english] of Object.entries(table)) {
    const word: unknown = Reflect.get(words, name)
    if (isObject(english)) writeOver(english, word, locale)
    else if (typeof word === "string") {
      Reflect.set(table, name, typeof english === "function" ? filled(word, locale) : word)
    }
  }
}

const plain = (value: unknown) => typeof value === "number" ? value : String(value)

/** Values by their place, and those of an object by their names as well. */
const valuesOf = (given: ReadonlyArray<unknown>) =>
  Object.fromEntries(
    [...Object.entries(given), ...(isObject(given[0]) ? Object.entries(given[0]) : [])].map((
      [name, value]
    ) => [name, plain(value)])
  )

/** Says a text with its values. The text is read when it is first said. */
export const filled = (text: string, locale: string) => {
  let format: IntlMessageFormat | undefined
  return (...given: ReadonlyArray<unknown>): string => {
    format ??= new IntlMessageFormat(text, locale, undefined, { ignoreTag: true })
    return String(format.format(valuesOf(given)))
  }
}
