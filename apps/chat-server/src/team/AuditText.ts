/** Audited calls as lines of a file. */
import type { KeptCall } from "./AuditCalls.ts"

const KEYS = [
  "id",
  "at",
  "user",
  "owner",
  "tool",
  "server",
  "class",
  "origin",
  "place",
  "outcome",
  "allowedBy",
  "source",
  "millis"
] as const

export const CSV_HEAD = `${KEYS.join(",")}\r\n`

/** RFC 4180. A text that a spreadsheet would take for a formula gets an apostrophe. */
export const csvLine = (call: KeptCall): string => `${KEYS.map((key) => field(call[key])).join(",")}\r\n`

export const jsonLine = (call: KeptCall): string => `${JSON.stringify(call)}\n`

const field = (value: string | number | null): string => {
  if (value === null) return ""
  if (typeof value === "number") return String(value)
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll("\"", "\"\"")}"` : text
}
