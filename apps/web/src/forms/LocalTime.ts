/** Times as the field of a browser has them, which knows no zone but that of its place. Pure. */

/** A time in ISO 8601 on the clock of this place; "" of anything else. */
export const toLocal = (iso: string): string => {
  const millis = Date.parse(iso)
  if (Number.isNaN(millis)) return ""
  return new Date(millis - new Date(millis).getTimezoneOffset() * 60_000).toISOString().slice(0, 19)
}

/** The local text as a date and time with an offset. */
export const fromLocal = (local: string): string => {
  const millis = Date.parse(local)
  return Number.isNaN(millis) ? "" : new Date(millis).toISOString()
}
