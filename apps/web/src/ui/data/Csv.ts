/** Rows as CSV. Pure. */

/** A spreadsheet would compute a text that begins so. A number may have its sign. */
const isComputed = (text: string) => /^[=@\t\r]/.test(text) || /^[+-]/.test(text) && Number.isNaN(Number(text))

const quoted = (text: string): string => {
  const safe = isComputed(text) ? `'${text}` : text
  return /[",\n\r]|^\s|\s$/.test(safe) ? `"${safe.replaceAll("\"", "\"\"")}"` : safe
}

export const csvOf = (rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  rows.map((row) => row.map(quoted).join(",")).join("\r\n")
