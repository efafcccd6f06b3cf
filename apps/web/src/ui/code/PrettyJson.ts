/** JSON in lines of its own, which is easier to read. Pure. */

/** Longer than this nobody reads all of it, and laying it out holds up the page. */
const LONGEST = 200_000

/** The text in lines; null when it is no object and no list in JSON, or too long. */
export const prettyJson = (text: string): string | null => {
  if (!/^\s*[[{]/.test(text) || text.length > LONGEST) return null
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return null // it only began like JSON
  }
}
