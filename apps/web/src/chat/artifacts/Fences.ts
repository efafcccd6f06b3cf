/** The fenced blocks of code in a Markdown text, also of one that still grows. Pure. */

export interface Fence {
  /** All that stands behind the mark. */
  readonly info: string
  readonly text: string
  /** Its end has not come. */
  readonly isOpen: boolean
}

const MARK = /^([ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*)(`{3,}|~{3,})([^\n]*)$/

/** The marks of the quote that a line stands in. */
const QUOTE = /^(?: {0,3}> ?)+/

export const fencesOf = (text: string): ReadonlyArray<Fence> => {
  const found: Array<Fence> = []
  let open: Open | null = null
  for (const written of text.replaceAll("\r\n", "\n").split("\n")) {
    const depth = depthOf(written)
    // A quote that ends, ends what is open in it.
    if (open !== null && depth < open.depth) {
      found.push({ info: open.info, text: open.lines.join("\n"), isOpen: false })
      open = null
    }
    const line = withoutQuote(written, open?.depth ?? depth)
    const [, before = "", mark = "", info = ""] = MARK.exec(line) ?? []
    if (open === null) {
      if (mark !== "" && !(mark.startsWith("`") && info.includes("`"))) {
        open = { mark, depth, indent: before.length, info: info.trim(), lines: [] }
      }
    } else if (mark.startsWith(open.mark) && info.trim() === "" && before.trim() === "") {
      found.push({ info: open.info, text: open.lines.join("\n"), isOpen: false })
      open = null
    } else open.lines.push(withoutIndent(line, open.indent))
  }
  if (open !== null) found.push({ info: open.info, text: open.lines.join("\n"), isOpen: true })
  return found
}

interface Open {
  readonly mark: string
  /** In how many quotes it stands. */
  readonly depth: number
  readonly indent: number
  readonly info: string
  readonly lines: Array<string>
}

const depthOf = (line: string): number => QUOTE.exec(line)?.[0].replaceAll(/[^>]/g, "").length ?? 0

const withoutQuote = (line: string, depth: number): string => {
  let rest = line
  for (let left = depth; left > 0; left--) rest = rest.replace(/^ {0,3}> ?/, "")
  return rest
}

const withoutIndent = (line: string, most: number): string => {
  const own = line.length - line.trimStart().length
  return line.slice(Math.min(own, most))
}
