/** The names of the tests in a file, as they are written: those of `each` with their placeholders. */

const TITLE = /(?:\bit(?:\.\w+)*|\))\(\s*(?:"((?:[^"\\]|\\.)*)"|`([^`]*)`)/g
const GROUP = /\bdescribe(?:\.\w+)*\(\s*"((?:[^"\\]|\\.)*)"/g

const unquoted = (text: string) => text.replaceAll("\\\"", "\"").replaceAll("\\\\", "\\")

/** Every text that stands where a test's name does. */
export const titlesOf = (source: string): ReadonlyArray<string> =>
  [...source.matchAll(TITLE)].map(([, quoted, template]) => quoted === undefined ? template ?? "" : unquoted(quoted))

/** The names of the groups that tests stand in. */
export const groupsOf = (source: string): ReadonlyArray<string> =>
  [...source.matchAll(GROUP)].map(([, quoted = ""]) => unquoted(quoted))
