/** The text of an entry: what it says, where its keys stand, and one value of it changed. Comments stay. Pure. */
import {
  applyEdits,
  findNodeAtLocation,
  getNodeValue,
  modify,
  type ParseError,
  parseTree,
  printParseErrorCode
} from "jsonc-parser"
import type { Json, JsonObject } from "../../api/Types.ts"
import { isObject } from "../../forms/SchemaReading.ts"

export interface TextTrouble {
  readonly message: string
  readonly offset: number
  readonly length: number
}

/** The reading of a text: an object, or the reason why it is none. */
export interface ReadEntry {
  readonly value: JsonObject | null
  readonly troubles: ReadonlyArray<TextTrouble>
}

const FORGIVING = { allowTrailingComma: true, disallowComments: false, allowEmptyContent: false }

/** The name of an error as words: `CommaExpected` is "comma expected". */
const inWords = ({ error }: ParseError): string =>
  printParseErrorCode(error).replaceAll(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase()

export const read = (text: string): ReadEntry => {
  const errors: Array<ParseError> = []
  const root = parseTree(text, errors, FORGIVING)
  const value: unknown = root === undefined ? null : getNodeValue(root)
  const troubles = errors.map((error) => ({ message: inWords(error), offset: error.offset, length: error.length }))
  return { value: errors.length === 0 && isObject(value) ? value : null, troubles }
}

type Path = ReadonlyArray<string | number>

export const change = (text: string, path: Path, value: Json | undefined): string =>
  applyEdits(text, modify(text, [...path], value, { formattingOptions: { insertSpaces: true, tabSize: 2, eol: "\n" } }))

/** `args[1]` as a path; a name of a header may hold anything. */
export const pathOf = (key: string): Path => {
  const [first = "", ...rest] = key.split(/(?=\[\d+\])|\.(.*)/s).filter((part) => part !== undefined && part !== "")
  return [first, ...rest.map((part) => /^\[\d+\]$/.test(part) ? Number(part.slice(1, -1)) : part)]
}

export interface Span {
  readonly from: number
  readonly to: number
}

/** Where a key stands with its value; of a key that is not there, the nearest one around it. */
export const spanOf = (text: string, key: string): Span | null => {
  const root = parseTree(text, [], FORGIVING)
  if (root === undefined) return null
  const path = pathOf(key)
  for (let length = path.length; length > 0; length -= 1) {
    const node = findNodeAtLocation(root, path.slice(0, length))
    if (node === undefined) continue
    const from = node.parent?.type === "property" ? node.parent.offset : node.offset
    return { from, to: node.offset + node.length }
  }
  return null
}

/** Lines and columns begin at 1. */
export const placeOf = (text: string, offset: number): { readonly line: number; readonly column: number } => {
  const before = text.slice(0, offset).split("\n")
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
}

/** The place of a line and a column, for the rest of that line. */
export const spanAt = (text: string, line: number, column: number): Span => {
  const lines = text.split("\n")
  const start = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0)
  const from = Math.min(start + column - 1, text.length)
  return { from, to: Math.max(from, Math.min(start + (lines[line - 1]?.length ?? 0), text.length)) }
}

/** An entry that was cut out of a file has the indents of that file: it begins at the margin here. */
export const outdented = (text: string): string => {
  const indents = text.split("\n").slice(1).filter((line) => line.trim() !== "").map((line) =>
    /^[ \t]*/.exec(line)?.[0].length ?? 0
  )
  const last = text.split("\n").length > 1 ? Math.min(...indents) : 0
  return last === 0 ? text : text.split("\n").map((line, index) => index === 0 ? line : line.slice(last)).join("\n")
}
