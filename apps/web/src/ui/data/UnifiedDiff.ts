/** A unified diff as lines. Pure. */

export interface UnifiedLine {
  readonly kind: "same" | "removed" | "added" | "place" | "about"
  readonly text: string
  /** The line's number before and after. */
  readonly before: number | null
  readonly after: number | null
}

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/

/** Lines before the first change of a file: names, modes, hashes. */
const ABOUT =
  /^(?:diff |index |--- |\+\+\+ |new file|deleted file|old mode|new mode|similarity|rename |copy |Binary |Index: |={10,}$|\\ )/

/** A tool may put its diff into a fence. */
const unfenced = (text: string): string => /^\s*(`{3,})(?:diff|patch)\n([^]*?)\n?\1\s*$/.exec(text)?.[2] ?? text

/** Whether a text is a unified diff, and nothing but that. */
export const isDiff = (text: string): boolean => {
  const lines = unfenced(text).trim().split("\n", 12)
  return lines.some((line) => HUNK.test(line)) &&
    lines.every((line) => HUNK.test(line) || ABOUT.test(line) || /^[-+ ]|^$/.test(line)) &&
    lines.some((line) => ABOUT.test(line) || HUNK.test(lines[0] ?? ""))
}

export const diffLines = (text: string): ReadonlyArray<UnifiedLine> => {
  const found: Array<UnifiedLine> = []
  let [before, after]: [number | null, number | null] = [null, null]
  for (const line of unfenced(text).replace(/\n$/, "").split("\n")) {
    const hunk = HUNK.exec(line)
    if (hunk !== null) {
      before = Number(hunk[1])
      after = Number(hunk[2])
      found.push({ kind: "place", text: line, before: null, after: null })
    } else if (before === null && ABOUT.test(line) || /^(?:diff |Index: |\\ )/.test(line)) {
      // The next file of the same diff begins its numbers anew.
      if (!line.startsWith("\\")) before = after = null
      found.push({ kind: "about", text: line, before: null, after: null })
    } else if (line.startsWith("+")) {
      found.push({ kind: "added", text: line.slice(1), before: null, after })
      after = after === null ? null : after + 1
    } else if (line.startsWith("-")) {
      found.push({ kind: "removed", text: line.slice(1), before, after: null })
      before = before === null ? null : before + 1
    } else {
      found.push({ kind: "same", text: line.replace(/^ /, ""), before, after })
      before = before === null ? null : before + 1
      after = after === null ? null : after + 1
    }
  }
  return found
}
