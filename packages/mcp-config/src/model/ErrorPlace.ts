/** Where an error is, as far as it says: the same fields in the terminal, in `--json` and in the problems of HTTP. */

export interface ErrorPlace {
  readonly file?: string
  /** From 1, as the column. */
  readonly line?: number
  readonly column?: number
  /** The path of the key, for instance `mcpServers.files.timeout`. */
  readonly key?: string
  readonly server?: string
}

const TEXTS = ["file", "key", "server"] as const
const NUMBERS = ["line", "column"] as const

/** Null where the error says nothing of the kind. The reason of an `McpError` may know it when the error itself does not. */
export const of = (error: object): ErrorPlace | null => {
  const known: unknown = Reflect.get(error, "where")
  if (typeof known === "object" && known !== null) return own(known)
  const reason: unknown = Reflect.get(error, "reason")
  const place = { ...(typeof reason === "object" && reason !== null ? own(reason) : null), ...own(error) }
  return Object.keys(place).length === 0 ? null : place
}

const own = (error: object): ErrorPlace =>
  Object.fromEntries([
    ...TEXTS.map((name) => [name, Reflect.get(error, name)] as const).filter(([, value]) => isText(value)),
    ...NUMBERS.map((name) => [name, Reflect.get(error, name)] as const).filter(([, value]) => typeof value === "number")
  ])

const isText = (value: unknown): boolean => typeof value === "string" && value !== ""

/** Its parts that a text does not name already, in words. */
export const words = (place: ErrorPlace, text: string): ReadonlyArray<string> => [
  ...(place.file === undefined || text.includes(place.file) ? [] : [fileWords(place.file, place)]),
  ...(place.server === undefined || text.includes(place.server) ? [] : [`server ${place.server}`]),
  ...(place.key === undefined || text.includes(place.key) ? [] : [`key ${place.key}`])
]

const fileWords = (file: string, { column, line }: ErrorPlace): string =>
  line === undefined ? file : `${file}:${line}:${column ?? 1}`
