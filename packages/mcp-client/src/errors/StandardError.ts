/** Reads from a program's standard error why it failed: the one table of words by which it is judged. */

/** A line that names an error, as programs and their run times write it. */
const NAMES_ERROR = /^(\w*(Error|Exception)\b.*:|(error|fatal|panic)\b)/i
const OF_NPM = /^npm (error|ERR!)/

/** A program that lacks a key or an argument says so in such words. */
const REFUSES =
  /error|exception|fatal|missing|required?|must|please|cannot|can't|could not|unable|failed|invalid|denied|refused|usage|no such|unauthori[sz]ed|not (set|found|defined|configured|provided)/i
/** Its own code broke, perhaps over what it was sent. */
const CRASHES = /\b(Type|Reference|Syntax|Range|Key|Attribute|Value)Error\b|panicked|segmentation/i
const NAMES_HANDSHAKE = /initiali[sz]|discover|handshake|json-?rpc|\b(method|protocol|request)\b|expected/i
const NETWORK =
  /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|name resolution|(?:dns|network) error|network is unreachable|connection (?:refused|reset|timed out))\b/i

/** The lines that say most: npm's first two, else the last one that names an error, else the last three. */
export const tellingLines = (stderr: string): ReadonlyArray<string> => {
  const lines = stderr.split("\n").map((line) => line.trim()).filter((line) => line !== "")
  // npm ends with where its log is.
  const npm = lines.filter((line) => OF_NPM.test(line))
  const named = lines.findLast((line) => NAMES_ERROR.test(line))
  return npm.length > 0 ? npm.slice(0, 2) : named === undefined ? lines.slice(-3) : [named]
}

/**
 * Whether a program says that it would end at any message: most that end at once lack a key or an argument. A banner says
 * nothing, and a crash may be of what it was asked.
 */
export const explainsEnd = (stderr: string): boolean =>
  REFUSES.test(stderr) && !CRASHES.test(stderr) && !NAMES_HANDSHAKE.test(stderr)

/** The network error that is named; null where none is. */
export const networkError = (stderr: string): string | null => NETWORK.exec(stderr)?.[1] ?? null
