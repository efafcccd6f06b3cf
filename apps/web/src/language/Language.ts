/**
 * The language of the page: the one that was chosen in this browser, else the first of the browser's that the page has, else English.
 */

export type Language = "en" | "de" | "es" | "zh" | "ja"

/** Each language by its own name. */
export const LANGUAGES: ReadonlyArray<readonly [Language, string]> = [
  ["en", "English"],
  ["de", "Deutsch"],
  ["es", "Español"],
  ["zh", "简体中文"],
  ["ja", "日本語"]
]

const KEY = "boocode.language"

const inBrowser = typeof document === "object"

const preferred: ReadonlyArray<string> = inBrowser ? navigator.languages : ["en"]

const of = (tag: string | null): Language | undefined =>
  LANGUAGES.find(([language]) => language === tag?.toLowerCase().split("-")[0])?.[0]

const kept = (): string | null => {
  try {
    return inBrowser ? localStorage.getItem(KEY) : null
  } catch {
    return null // a browser that keeps nothing for this page
  }
}

/** The language that was chosen here, or undefined while the browser's decides. */
export const chosen: Language | undefined = of(kept())

export const language: Language = chosen ?? preferred.map(of).find((known) => known !== undefined) ?? "en"

/** A Chromium of a system without a language says `en-US@posix`, which is none. */
const isTag = (tag: string): boolean => {
  try {
    return Intl.getCanonicalLocales(tag).length > 0
  } catch {
    return false
  }
}

/** For dates and numbers: a person whose browser says `en-GB` gets the dates of Great Britain. */
export const locale: string = preferred.find((tag) => of(tag) === language && isTag(tag)) ?? language

/** Keeps the choice in this browser. Undefined leaves it to the browser. */
export const keep = (next: Language | undefined): void => {
  if (next === undefined) localStorage.removeItem(KEY)
  else localStorage.setItem(KEY, next)
}

/** Keeps the choice in this browser and loads the page anew in that language. Undefined leaves it to the browser again. */
export const choose = (next: Language | undefined): void => {
  keep(next)
  location.reload()
}

type Write = (name: string, table: object) => void

let write: Write | undefined

/** Tables that were made before the words of the language were there. */
const waiting: Array<readonly [name: string, table: object]> = []

/** The table of that name in the page's language. A word that has no translation stays English. */
export const translated = <Table extends object>(name: string, english: Table): Table => {
  if (write === undefined) waiting.push([name, english])
  else write(name, english)
  return english
}

/**
 * Loads the words of the page's language, from this server, and puts them into every table. It is done before the page is drawn:
 * what stands outside of a function in a module of the first load is still English then. Where the words cannot be loaded, the
 * page is English.
 */
export const loadWords = async (): Promise<void> => {
  if (language === "en") return
  const { load } = await import("./Translation.ts")
  const found = await load(language, locale)
  write = found
  for (const [name, table] of waiting) found(name, table)
}
