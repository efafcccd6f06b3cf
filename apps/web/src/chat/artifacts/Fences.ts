/** The fenced blocks of code in a Markdown text, also of one that still grows. Pure. */

export interface Fence {
  /** All that stands behind the mark. */
  readonly info: string
  readonly text: string
  /** Its end has not come. */
  readonly isOpen: boolean
}

const MARK = /^([ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*)(`{3,}|~{3,})([^\n]*)$/

export const fencesOf = (text: string): ReadonlyArray<Fence> => {
  const found: Array<Fence> = []
  let open: { readonly mark: string; readonly indent: number; readonly info: string; lines: Array<string> } | null =
    null
  for (const line of text.replaceAll("\r\n", "\n").split("\n")) {
    const [, before = "", mark = "", info = ""] = MARK.exec(line) ?? []
    if (open === null) {
      if (mark !== "" && !(mark.startsWith("`") && info.includes("`"))) {
        open = { mark, indent: before.length, info: info.trim(), lines: [] }
      }
    } else if (mark.startsWith(open.mark) && info.trim() === "" && before.trim() === "") {
      found.push({ info: open.info, text: open.lines.join("\n"), isOpen: false })
      open = null
    } else open.lines.push(withoutIndent(line, open.indent))
  }
  if (open !== null) found.push({ info: open.info, text: open.lines.join("\n"), isOpen: true })
  return found
}

const withoutIndent = (line: string, most: number): string => {
  const own = line.length - line.trimStart().length
  return line.slice(Math.min(own, most))
}
