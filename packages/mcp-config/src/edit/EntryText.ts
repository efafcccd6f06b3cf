/** The text of one entry as an editor shows it: without the indentation that its file gives it, and back. */
import * as Result from "effect/Result"
import { type Node, parseTree } from "jsonc-parser"
import type { Fault, ObjectNode } from "../text/JsonNode.ts"
import * as JsonNode from "../text/JsonNode.ts"

/** An entry as it is written in a file. */
export interface EntryText {
  /** From its opening to its closing brace, comments included; lines end with `\n`, and the first begins at its brace. */
  readonly text: string
  /** The place of the opening brace in the file. */
  readonly at: JsonNode.Place
}

/** The text of an entry. `part` has the indentation of its line before it. */
export const shown = (part: string): string => {
  const indent = commonIndent(part)
  const [first = "", ...rest] = part.split(EOL)
  const lines = rest.map((line) => isBlank(line) ? line : line.slice(indent.length))
  return [first.trimStart(), ...lines].join("\n")
}

/** The text of an entry as it takes the place of `part` in a file with these ends of lines. */
export const placed = (text: string, part: string, eol: string): string => {
  const indent = commonIndent(part)
  const [first = "", ...rest] = text.split(EOL)
  const lead = /^[ \t]*/.exec(part)?.[0] ?? ""
  return [lead + first, ...rest.map((line) => isBlank(line) ? line : indent + line)].join(eol)
}

const EOL = /\r\n|\n|\r/

const isBlank = (line: string): boolean => line.trim() === ""

/** The indentation that all lines of a part share. */
const commonIndent = (part: string): string =>
  part.split(EOL).filter((line) => !isBlank(line)).map((line) => /^[ \t]*/.exec(line)?.[0] ?? "").reduce(shared)

const shared = (one: string, other: string): string => {
  const end = Array.from(one).findIndex((char, at) => other[at] !== char)
  return end < 0 ? one : one.slice(0, end)
}

/** An entry that was read from a text alone. */
export interface ReadEntry {
  /** From brace to brace. */
  readonly text: string
  /** Places start at the first character of the text that was given. */
  readonly root: ObjectNode
}

/**
 * Reads a text that is one entry and nothing else. Comments and trailing commas are accepted. Fails with the first wrong
 * place, also for a comment outside of the braces, which the file could not keep.
 */
export const read = (text: string): Result.Result<ReadEntry, Fault> =>
  Result.flatMap(text.trim() === "" ? Result.fail(EMPTY) : JsonNode.parse(text), (root) => {
    const node = parseTree(text, [], { allowTrailingComma: true })
    if (root.type !== "object" || node === undefined) {
      return Result.fail({ ...root.at, detail: "expected an entry: an object with \"command\" or \"url\"" })
    }
    const outside = outsideOf(text, node)
    return outside === null
      ? Result.succeed({ text: text.slice(node.offset, node.offset + node.length), root })
      : Result.fail({ ...JsonNode.places(text)(outside), detail: "a comment outside of the braces cannot be kept" })
  })

const EMPTY: Fault = { ...JsonNode.START, detail: "there is no entry" }

const outsideOf = (text: string, { length, offset }: Node): number | null => {
  const end = offset + length
  const before = text.slice(0, offset).search(/[^\s\uFEFF]/)
  const after = text.slice(end).search(/\S/)
  if (before >= 0) return before
  return after < 0 ? null : end + after
}
