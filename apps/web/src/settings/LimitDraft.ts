/** Limits as they are typed: a row for each of those they are for. Pure. */
import type { Json, JsonObject } from "../api/Types.ts"
import { isObject } from "../forms/SchemaReading.ts"

export interface LimitRow {
  readonly who: string
  readonly money: string
  readonly tokens: string
  readonly turns: string
}

const PARTS = ["money", "tokens", "turns"] as const

/** Typed in the place of an amount where a wider limit shall not hold. */
const NO_LIMIT = "none"

const typed = (value: Json | undefined): string =>
  value === undefined ? "" : value === null ? NO_LIMIT : typeof value === "string" ? value : JSON.stringify(value)

export const rowsOf = (value: Json): ReadonlyArray<LimitRow> =>
  !isObject(value) ? [] : Object.entries(value).map(([who, of]) => {
    const limit = isObject(of) ? of : {}
    return { who, money: typed(limit["money"]), tokens: typed(limit["tokens"]), turns: typed(limit["turns"]) }
  })

const amount = (part: typeof PARTS[number], text: string): Json =>
  text.toLowerCase() === NO_LIMIT ? null : part === "turns" && /^\d+$/.test(text) ? Number(text) : text

/** Rows for nobody are none yet; what the server cannot read it refuses. */
export const limitsOf = (rows: ReadonlyArray<LimitRow>): JsonObject =>
  Object.fromEntries(
    rows.filter(({ who }) => who.trim() !== "").map((row) => [
      row.who.trim(),
      Object.fromEntries(PARTS.flatMap((part) => {
        const text = row[part].trim()
        return text === "" ? [] : [[part, amount(part, text)]]
      }))
    ])
  )
