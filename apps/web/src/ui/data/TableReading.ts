/** A result as a table, where it is one: a list of flat objects in JSON, alone or as the one list of an object; CSV; TSV. Pure. */
import Papa from "papaparse"

export interface Table {
  readonly header: ReadonlyArray<string>
  readonly rows: ReadonlyArray<ReadonlyArray<string>>
}

/** More than this nobody reads, and laying it out holds up the page. */
const MOST_TEXT = 500_000
const MOST_ROWS = 2000
const MOST_COLUMNS = 40

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const cell = (value: unknown): string =>
  value === null || value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value)

const ofObjects = (list: ReadonlyArray<unknown>): Table | null => {
  if (list.length < 2 || !list.every(isObject)) return null
  const header = [...new Set(list.slice(0, MOST_ROWS).flatMap((row) => Object.keys(row)))]
  if (header.length === 0 || header.length > MOST_COLUMNS) return null
  return {
    header,
    rows: list.slice(0, MOST_ROWS).map((row) =>
      header.map((name) => cell(Object.getOwnPropertyDescriptor(row, name)?.value))
    )
  }
}

/** Gives undefined where the text is no JSON. */
export const jsonOf = (text: string): unknown => {
  if (text.length > MOST_TEXT || !/^\s*[[{]/.test(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined // it only began like JSON
  }
}

const ofJson = (json: unknown): Table | null => {
  if (Array.isArray(json)) return ofObjects(json)
  const lists = isObject(json) ? Object.values(json).filter((value) => Array.isArray(value)) : []
  return lists.length === 1 ? ofObjects(lists[0] ?? []) : null
}

const ofCsv = (text: string): Table | null => {
  if (text.length > MOST_TEXT || !/^[^\n]*[,;\t][^\n]*\n[^\n]+/.test(text)) return null
  const { data, errors } = Papa.parse<ReadonlyArray<string>>(text.trim(), { delimitersToGuess: [",", ";", "\t"] })
  const [header = [], ...rows] = data
  const isEven = header.length > 1 && header.length <= MOST_COLUMNS && rows.every((row) => row.length === header.length)
  const isNamed = header.every((name) => name.trim() !== "" && name.length < 80) &&
    new Set(header).size === header.length
  return rows.length > 1 && isEven && isNamed && errors.length === 0 ? { header, rows: rows.slice(0, MOST_ROWS) } : null
}

export const tableOf = (text: string): Table | null => {
  const json = jsonOf(text)
  return json === undefined ? ofCsv(text) : ofJson(json)
}
