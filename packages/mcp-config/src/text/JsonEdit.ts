/**
 * Changes to a JSONC text: members are set or removed, and everything else stays as it was written.
 *
 * `modify` of jsonc-parser is not enough: it moves the comment beside the last member to the new one, removes comments
 * between members, and changes the first of two members with one key, where readers take the last.
 */
import type * as Schema from "effect/Schema"
import { createScanner, type Edit, getNodeValue, type Node, parseTree, type SyntaxKind } from "jsonc-parser"
import { places } from "./JsonNode.ts"

export type KeyPath = ReadonlyArray<string>

/** Members to set, by key. */
export type Members = ReadonlyArray<readonly [string, Schema.Json]>

export interface Style {
  readonly unit: string
  readonly eol: string
  /** False for a text without spaces between its tokens. */
  readonly isSpaced: boolean
}

export const PLAIN: Style = { unit: "  ", eol: "\n", isSpaced: true }

/** The end of the lines of a text; `\n` when it has only one. */
export const eolOf = (text: string): string => /\r\n|\n|\r/.exec(text)?.[0] ?? PLAIN.eol

/** Facts about the text around an object that was cut out of it. */
export interface Around {
  readonly style: Style
  /** True when the first member of an empty object goes to a line of its own. */
  readonly isRoomy: boolean
}

/**
 * Sets members of the object at `path`. New ones go to the end, those that are there keep their place; of a key written
 * more than once the last is set, because it is the one that counts. Objects are spread over lines down to `levels`. A
 * text without such an object stays as it is. Takes linear time.
 */
export const set = (text: string, path: KeyPath, members: Members, levels: number, around?: Around): string => {
  const root = parseTree(text, [], LENIENT)
  const object = objectAt(root, path)
  if (root === undefined || object === null || members.length === 0) return text
  const style = around?.style ?? styleOf(text, root, object)
  const there = valuesByKey(object)
  const replaced = members.flatMap(([key, value]): ReadonlyArray<Edit> => {
    const old = there.get(key)
    return old === undefined ? [] : [replace(text, old, value, style, levels)]
  })
  const added = members.filter(([key]) => !there.has(key))
  if (added.length === 0) return applied(text, [...replaced])
  if (around === undefined && isAlone(text, root, path)) return anew(text, root, path, added, levels)
  const put = object.children?.length === 0 ? fill : append
  const isRoomy = around?.isRoomy ?? (path.length === 0 || startsLine(text, object.parent?.offset ?? 0))
  return applied(text, [...replaced, ...put(text, object, added, { style, isRoomy }, levels)])
}

/**
 * Removes every member of a key from the object at `path`. A comment on the member's own lines goes with it, every other
 * comment stays. A text without such a member stays as it is.
 */
export const remove = (text: string, path: KeyPath, key: string): string => {
  const object = objectAt(parseTree(text, [], LENIENT), path)
  const index = object?.children?.findLastIndex((one) => keyOf(one) === key) ?? -1
  if (object === null || index < 0) return text
  const removed = applied(text, removal(text, object, index))
  const left = objectAt(parseTree(removed, [], LENIENT), path)
  const isEmpty = left !== null && slice(removed, left).replace(/\s/g, "") === "{}"
  const { length, offset } = left ?? object
  return remove(isEmpty ? applied(removed, [{ offset, length, content: "{}" }]) : removed, path, key)
}

/** Changes objects that are members of the object at `path`, each as a text of its own, in its indentation. */
export const within = (
  text: string,
  path: KeyPath,
  changes: ReadonlyMap<string, (part: string, around: Around) => string>
): string => {
  const root = parseTree(text, [], LENIENT)
  const object = objectAt(root, path)
  if (root === undefined || object === null) return text
  const style = styleOf(text, root, object)
  const placeOf = places(text)
  const lineOf = (offset: number) => offset - placeOf(offset).column + 1
  return applied(
    text,
    [...valuesByKey(object)].flatMap(([name, { length, offset, parent }]) => {
      const key = parent?.offset ?? 0
      const indent = indentAt(text, offset, lineOf(offset))
      const around = { style, isRoomy: startsLine(text, key, lineOf(key)) }
      const changed = changes.get(name)?.(indent + text.slice(offset, offset + length), around)
      return changed === undefined ? [] : [{ offset, length, content: changed.slice(indent.length) }]
    })
  )
}

/** The value of a member as it is written, from the indentation of its line on; null when there is none. */
export const textOf = (
  text: string,
  path: KeyPath,
  key: string
): { readonly text: string; readonly at: number } | null => {
  const value = memberAt(text, path, key)
  return value === undefined ? null : { text: indentAt(text, value.offset) + slice(text, value), at: value.offset }
}

/** Gives a member another key. A text without such a member stays as it is. */
export const rename = (text: string, path: KeyPath, key: string, newKey: string): string => {
  const name = memberAt(text, path, key)?.parent?.children?.[0]
  if (name === undefined) return text
  return applied(text, [{ offset: name.offset, length: name.length, content: JSON.stringify(newKey) }])
}

const memberAt = (text: string, path: KeyPath, key: string): Node | undefined => {
  const object = objectAt(parseTree(text, [], LENIENT), path)
  return object === null ? undefined : valuesByKey(object).get(key)
}

/** The value of a member as a program has it; undefined when there is none. */
export const valueAt = (text: string, path: KeyPath, key: string): unknown => {
  const value = memberAt(text, path, key)
  return value === undefined ? undefined : getNodeValue(value)
}

/** Edits must not overlap; two at one place keep their order. `applyEdits` of jsonc-parser copies the text for each edit. */
const applied = (text: string, edits: ReadonlyArray<Edit>): string => {
  const sorted = edits.toSorted((a, b) => a.offset - b.offset)
  const pieces = sorted.flatMap(({ content, offset }, index) => {
    const before = sorted[index - 1]
    return [text.slice(before === undefined ? 0 : before.offset + before.length, offset), content]
  })
  const last = sorted.at(-1)
  return [...pieces, text.slice(last === undefined ? 0 : last.offset + last.length)].join("")
}

const LENIENT = { allowTrailingComma: true }

const keyOf = (member: Node): string => String(member.children?.[0]?.value)

/** The values by key; the last one of a key that is written more than once. */
const valuesByKey = (object: Node): ReadonlyMap<string, Node> =>
  new Map(
    object.children?.flatMap((member) => {
      const value = member.children?.[1]
      return value === undefined ? [] : [[keyOf(member), value]]
    })
  )

const objectAt = (node: Node | undefined, path: KeyPath): Node | null => {
  const [first, ...rest] = path
  if (node?.type !== "object") return null
  return first === undefined ? node : objectAt(valuesByKey(node).get(first), rest)
}

const endOf = (node: Node): number => node.offset + node.length

const slice = (text: string, node: Node): string => text.slice(node.offset, endOf(node))

const COMMA: SyntaxKind.CommaToken = 5
const LINE_COMMENT: SyntaxKind.LineCommentTrivia = 12
const BLOCK_COMMENT: SyntaxKind.BlockCommentTrivia = 13
const END: SyntaxKind.EOF = 17

/** The first comma between two values, and the comments. */
const between = (text: string, start: number, end: number) => {
  const scanner = createScanner(text.slice(start, end))
  const tokens: Array<{ readonly kind: SyntaxKind; readonly start: number; readonly end: number }> = []
  for (let kind = scanner.scan(); kind !== END; kind = scanner.scan()) {
    const offset = start + scanner.getTokenOffset()
    tokens.push({ kind, start: offset, end: offset + scanner.getTokenLength() })
  }
  return {
    comma: tokens.find(({ kind }) => kind === COMMA)?.start ?? null,
    comments: tokens.filter(({ kind }) => kind === LINE_COMMENT || kind === BLOCK_COMMENT)
  }
}

const replace = (text: string, old: Node, value: Schema.Json, style: Style, levels: number): Edit => {
  const isOnOneLine = !/[\r\n]/.test(slice(text, old)) && old.length > 2
  const content = print(value, indentAt(text, old.parent?.offset ?? 0), style, isOnOneLine ? 0 : levels)
  return { offset: old.offset, length: old.length, content }
}

const append = (text: string, object: Node, members: Members, { style }: Around, levels: number): Array<Edit> => {
  const last = object.children?.at(-1) ?? object
  const { comma, comments } = between(text, endOf(last), endOf(object) - 1)
  const offset = Math.max(endOf(last), comma === null ? 0 : comma + 1, comments.at(-1)?.end ?? 0)
  const ownLine = startsLine(text, last.offset)
  const isBelow = ownLine || comments.some(({ kind }) => kind === LINE_COMMENT)
  const indent = ownLine ? indentAt(text, last.offset) : indentAt(text, object.offset) + (isBelow ? style.unit : "")
  const lead = isBelow ? style.eol + indent : style.isSpaced ? " " : ""
  const shown = isBelow && !areOnOneLine(text, object) ? levels : 0
  const content = lead + printMembers(members, indent, style, shown).join(`,${lead}`) + (comma === null ? "" : ",")
  return [...(comma === null ? [{ offset: endOf(last), length: 0, content: "," }] : []), { offset, length: 0, content }]
}

/** The first members of an object that has none. */
const fill = (
  text: string,
  object: Node,
  members: Members,
  { isRoomy, style }: Around,
  levels: number
): Array<Edit> => {
  const close = endOf(object) - 1
  const comment = between(text, object.offset + 1, close).comments.at(-1)
  const indent = indentAt(text, object.offset)
  const isSpread = isRoomy || comment !== undefined
  const inner = isSpread ? indent + style.unit : indent
  const [lead, tail] = isSpread ? [style.eol + inner, style.eol + indent] : style.isSpaced ? [" ", " "] : ["", ""]
  const content = lead + printMembers(members, inner, style, isSpread ? levels : 0).join(`,${lead}`) + tail
  const offset = comment?.end ?? object.offset + 1
  return [{ offset, length: close - offset, content }]
}

/** True when the text is one line of nothing but the way to this object: there is no layout to keep yet. */
const isAlone = (text: string, root: Node, path: KeyPath): boolean =>
  !/[\r\n]/.test(slice(text, root)) &&
  slice(text, root).replace(/\s/g, "") === path.reduceRight((inner, key) => `{${JSON.stringify(key)}:${inner}}`, "{}")

const anew = (text: string, root: Node, path: KeyPath, members: Members, levels: number): string => {
  const whole = path.reduceRight<Schema.JsonObject>((inner, name) => ({ [name]: inner }), Object.fromEntries(members))
  const content = print(whole, "", { ...PLAIN, eol: eolOf(text) }, path.length + 1 + levels)
  return applied(text, [{ offset: root.offset, length: root.length, content }])
}

const removal = (text: string, object: Node, index: number): Array<Edit> => {
  const [before, member = object, next] = [-1, 0, 1].map((step) => object.children?.[index + step])
  const limit = next?.offset ?? endOf(object) - 1
  const own = between(text, endOf(member), limit)
  const comma = own.comma ?? (before === undefined ? null : between(text, endOf(before), member.offset).comma)
  const stop = lineEnd(text, endOf(member))
  const isCrossed = own.comments.some((comment) => comment.start < stop && comment.end > stop)
  const ownsLines = startsLine(text, member.offset) && limit >= stop && !isCrossed
  const [start, end] = ownsLines
    ? [lineStart(text, member.offset), stop + (/^(?:\r\n|\n|\r)/.exec(text.slice(stop, stop + 2))?.[0].length ?? 0)]
    : withSpace(text, member, before, next === undefined, limit)
  const commaCut = comma === null || comma >= start && comma < end ? [] : [{ offset: comma, length: 1, content: "" }]
  return [{ offset: start, length: end - start, content: "" }, ...commaCut]
}

/** A member that shares its line: with the space after it, or with the space before it when it is the last. */
const withSpace = (text: string, member: Node, before: Node | undefined, isLast: boolean, limit: number) => {
  const tail = /^[ \t]*,?[ \t]*/.exec(text.slice(endOf(member), limit))?.[0] ?? ""
  if (!isLast) return [member.offset, endOf(member) + tail.length] as const
  const head = /[ \t]*$/.exec(text.slice(before === undefined ? 0 : endOf(before), member.offset))?.[0] ?? ""
  return [member.offset - head.length, endOf(member) + (/^[ \t]*,/.exec(tail)?.[0].length ?? 0)] as const
}

const styleOf = (text: string, root: Node, object: Node): Style => {
  const member = object.children?.[0] ?? root.children?.[0]
  const value = member?.children?.[1]
  return {
    unit: (/[\r\n]/.test(slice(text, root)) ? unitOf(text, root) : null) ?? PLAIN.unit,
    eol: eolOf(text),
    isSpaced: value === undefined || value.offset > (member?.colonOffset ?? -1) + 1
  }
}

/** The step between the line of an object and those of its members, from the first place that shows one. */
const unitOf = (text: string, object: Node): string | null => {
  const outer = indentAt(text, object.offset)
  for (const member of object.children ?? []) {
    const inner = indentAt(text, member.offset)
    const isStep = startsLine(text, member.offset) && inner.length > outer.length && inner.startsWith(outer)
    if (isStep) return inner.slice(outer.length)
    const value = member.children?.[1]
    const found = value?.type === "object" ? unitOf(text, value) : null
    if (found !== null) return found
  }
  return null
}

/** True when the last object among the members was written on one line. */
const areOnOneLine = (text: string, object: Node): boolean => {
  const values = object.children?.map((member) => member.children?.[1])
  const last = values?.findLast((value) => value?.type === "object" && value.length > 2)
  return last !== undefined && !/[\r\n]/.test(slice(text, last))
}

const lineStart = (text: string, offset: number): number =>
  Math.max(text.lastIndexOf("\n", offset - 1), text.lastIndexOf("\r", offset - 1)) + 1

const lineEnd = (text: string, offset: number): number => {
  const length = text.slice(offset).search(/[\r\n]/)
  return length < 0 ? text.length : offset + length
}

const startsLine = (text: string, offset: number, line = lineStart(text, offset)): boolean =>
  text.slice(line, offset).trim() === ""

const indentAt = (text: string, offset: number, line = lineStart(text, offset)): string =>
  /^[ \t]*/.exec(text.slice(line, offset))?.[0] ?? ""

const printMembers = (members: Members, indent: string, style: Style, levels: number): ReadonlyArray<string> =>
  members.map(([key, value]) =>
    `${JSON.stringify(key)}:${style.isSpaced ? " " : ""}${print(value, indent, style, levels)}`
  )

/** Lines may get this long, the key before the value not counted. */
const WIDTH = 100

/** Everything on one line. */
const FLAT = Number.NEGATIVE_INFINITY

/**
 * Writes a value. Objects are spread over lines down to `levels`; below that what fits into a line stays on one.
 * `indent` is the indentation of the line that the value starts in.
 */
export const print = (value: Schema.Json, indent: string, style: Style, levels: number): string => {
  if (!style.isSpaced || typeof value !== "object" || value === null) return JSON.stringify(value)
  const isList = Array.isArray(value)
  const rows = (inner: string, below: number) =>
    isList
      ? value.map((item) => print(item, inner, style, below === FLAT ? FLAT : 0))
      : printMembers(Object.entries(value), inner, style, below)
  const [open, close] = isList ? "[]" : "{}"
  const pad = isList ? "" : " "
  const flat = rows("", FLAT)
  const line = flat.length === 0 ? `${open}${close}` : `${open}${pad}${flat.join(", ")}${pad}${close}`
  const fits = (isList || levels <= 0) && indent.length + line.length <= WIDTH
  if (flat.length === 0 || levels === FLAT || fits) return line
  const inner = indent + style.unit
  return `${open}${style.eol}${inner}${
    rows(inner, levels - 1).join(`,${style.eol}${inner}`)
  }${style.eol}${indent}${close}`
}
