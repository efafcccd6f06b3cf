/** Small changes to a JSONC text: one member is set or removed, and everything else stays as it was written. */
import type * as Schema from "effect/Schema"
import { getNodeValue, type Node, parseTree, visit } from "jsonc-parser"

/** Where an object stands: the keys that lead to it from the top. */
export type KeyPath = ReadonlyArray<string>

/**
 * Sets a member of the object at `path`; a new one goes to the end, one that is there keeps its place. Of a key written
 * more than once the last is set, because that is the one that counts. The text must be JSON that holds such an object.
 */
export const set = (text: string, path: KeyPath, key: string, value: Schema.Json, levels: number): string => {
  const page = read(text)
  const object = page === null ? null : objectAt(page.root, path)
  if (page === null || object === null) return text
  const member = membersOf(object).findLast((one) => keyOf(one) === key)
  const existing = member === undefined ? undefined : valueOf(member)
  if (member === undefined || existing === undefined) return append(page, object, path, { key, value, levels })
  const indent = indentAt(text, member.offset)
  const isOnOneLine = !/[\r\n]/.test(slice(text, existing)) && existing.length > 2
  const written = printStyle(value, indent, styleOf(page, object), isOnOneLine ? 0 : levels)
  return apply(text, [{ start: existing.offset, end: endOf(existing), put: written }])
}

/**
 * Removes every member of that key from the object at `path`. A comment on the member's own lines goes with it, every
 * other comment stays. The text must be JSON; without such a member it stays as it is.
 */
export const remove = (text: string, path: KeyPath, key: string): string => {
  const page = read(text)
  const object = page === null ? null : objectAt(page.root, path)
  const index = object === null ? -1 : membersOf(object).findLastIndex((one) => keyOf(one) === key)
  if (page === null || object === null || index < 0) return text
  return remove(closedUp(removeAt(page, object, index), path), path, key)
}

/** The value of a member as a program has it; undefined when there is none. */
export const valueAt = (text: string, path: KeyPath, key: string): unknown => {
  const object = objectAt(read(text)?.root, path)
  const member = object === null ? undefined : membersOf(object).findLast((one) => keyOf(one) === key)
  const value = member === undefined ? undefined : valueOf(member)
  return value === undefined ? undefined : getNodeValue(value)
}

interface Page {
  readonly text: string
  readonly root: Node
  readonly comments: ReadonlyArray<Span>
  /** Where commas stand. */
  readonly commas: ReadonlyArray<number>
}

interface Span {
  readonly start: number
  readonly end: number
}

interface Change extends Span {
  readonly put: string
}

interface NewMember {
  readonly key: string
  readonly value: Schema.Json
  readonly levels: number
}

const read = (text: string): Page | null => {
  const comments: Array<Span> = []
  const commas: Array<number> = []
  const root = parseTree(text, [], { allowTrailingComma: true })
  visit(text, {
    onComment: (offset, length) => comments.push({ start: offset, end: offset + length }),
    onSeparator: (character, offset) => character === "," && commas.push(offset)
  }, { allowTrailingComma: true })
  return root === undefined ? null : { text, root, comments, commas }
}

const membersOf = (object: Node): ReadonlyArray<Node> => object.children ?? []

const keyOf = (member: Node): unknown => member.children?.[0]?.value

const valueOf = (member: Node): Node | undefined => member.children?.[1]

const endOf = (node: Node): number => node.offset + node.length

const slice = (text: string, node: Node): string => text.slice(node.offset, endOf(node))

const objectAt = (node: Node | undefined, [first, ...rest]: KeyPath): Node | null => {
  if (node?.type !== "object") return null
  if (first === undefined) return node
  const member = membersOf(node).findLast((one) => keyOf(one) === first)
  return member === undefined ? null : objectAt(valueOf(member), rest)
}

/** What stands between two values besides space. */
const between = (page: Page, start: number, end: number) => ({
  comma: page.commas.find((offset) => offset >= start && offset < end) ?? null,
  comments: page.comments.filter((comment) => comment.start >= start && comment.end <= end)
})

const append = (page: Page, object: Node, path: KeyPath, member: NewMember): string => {
  const { text } = page
  const last = membersOf(object).at(-1)
  if (last === undefined) return fill(page, object, path, member)
  const close = endOf(object) - 1
  const { comma, comments } = between(page, endOf(last), close)
  const after = Math.max(endOf(last), comma === null ? 0 : comma + 1, comments.at(-1)?.end ?? 0)
  const style = styleOf(page, object)
  const ownLine = startsLine(text, last.offset)
  const isBelow = ownLine || comments.some((comment) => text.startsWith("//", comment.start))
  const indent = ownLine ? indentAt(text, last.offset) : indentAt(text, object.offset) + (isBelow ? style.unit : "")
  const lead = isBelow ? style.eol + indent : style.isSpaced ? " " : ""
  const levels = isBelow && !areOnOneLine(text, object) ? member.levels : 0
  const written = `${lead}${inWords(member, indent, style, levels)}${comma === null ? "" : ","}`
  const commaAfterLast = comma === null ? [{ start: endOf(last), end: endOf(last), put: "," }] : []
  return apply(text, [...commaAfterLast, { start: after, end: after, put: written }])
}

/** The first member of an object that has none. */
const fill = (page: Page, object: Node, path: KeyPath, member: NewMember): string => {
  const { text } = page
  const style = styleOf(page, object)
  const close = endOf(object) - 1
  const comment = between(page, object.offset, close).comments.at(-1)
  if (comment === undefined && isAlone(page, path)) return rewrite(page, path, member)
  const isRoomy = path.length === 0 || comment !== undefined || startsLine(text, object.parent?.offset ?? 0)
  const pad = style.isSpaced ? " " : ""
  const indent = indentAt(text, object.offset)
  const inner = isRoomy ? indent + style.unit : indent
  const written = inWords(member, inner, style, isRoomy ? member.levels : 0)
  const put = isRoomy ? `${style.eol}${inner}${written}${style.eol}${indent}` : `${pad}${written}${pad}`
  return apply(text, [{ start: comment?.end ?? object.offset + 1, end: close, put }])
}

const inWords = ({ key, value }: NewMember, indent: string, style: Style, levels: number): string =>
  `${JSON.stringify(key)}:${style.isSpaced ? " " : ""}${printStyle(value, indent, style, levels)}`

/** True when the whole text is one line of nothing but the way to this object: there is no layout to keep yet. */
const isAlone = ({ comments, root, text }: Page, path: KeyPath): boolean =>
  comments.length === 0 && !/[\r\n]/.test(slice(text, root)) &&
  slice(text, root).replace(/\s/g, "") === path.reduceRight((inner, key) => `{${JSON.stringify(key)}:${inner}}`, "{}")

const rewrite = (page: Page, path: KeyPath, { key, levels, value }: NewMember): string => {
  const whole = path.reduceRight<Schema.JsonObject>((inner, name) => ({ [name]: inner }), { [key]: value })
  const style = { ...PLAIN, eol: eolOf(page.text) }
  const put = printStyle(whole, "", style, path.length + 1 + levels)
  return apply(page.text, [{ start: page.root.offset, end: endOf(page.root), put }])
}

const removeAt = (page: Page, object: Node, index: number): string => {
  const { text } = page
  const members = membersOf(object)
  const [before, member, next] = [members[index - 1], members[index], members[index + 1]]
  if (member === undefined) return text
  const limit = next?.offset ?? endOf(object) - 1
  const own = between(page, endOf(member), limit).comma
  const comma = own ?? (before === undefined ? null : between(page, endOf(before), member.offset).comma)
  const cut = ownLines(page, member, limit) ??
    withSpace(text, member, { before, limit, isFollowed: next !== undefined })
  const isCommaCut = comma === null || comma >= cut.start && comma < cut.end
  const commaCut = isCommaCut ? [] : [{ start: comma, end: comma + 1, put: "" }]
  return apply(text, [{ ...cut, put: "" }, ...commaCut])
}

/** The lines of a member, when nothing but its comma and comments stands on them too. */
const ownLines = (page: Page, member: Node, limit: number): Span | null => {
  const { text } = page
  const stop = lineEnd(text, endOf(member))
  const isCrossed = page.comments.some((comment) => comment.start < stop && comment.end > stop)
  if (!startsLine(text, member.offset) || limit < stop || isCrossed) return null
  return {
    start: lineStart(text, member.offset),
    end: stop + (/^(?:\r\n|\n|\r)/.exec(text.slice(stop))?.[0].length ?? 0)
  }
}

/** A member that shares its line: with the space after it, or before it when it is the last. */
const withSpace = (
  text: string,
  member: Node,
  around: { readonly before: Node | undefined; readonly limit: number; readonly isFollowed: boolean }
): Span => {
  const tail = /^[ \t]*,?[ \t]*/.exec(text.slice(endOf(member), around.limit))?.[0] ?? ""
  if (around.isFollowed) return { start: member.offset, end: endOf(member) + tail.length }
  const head = /[ \t]*$/.exec(text.slice(around.before === undefined ? 0 : endOf(around.before), member.offset))?.[0] ??
    ""
  const own = /^[ \t]*,/.exec(tail)?.[0] ?? ""
  return { start: member.offset - head.length, end: endOf(member) + own.length }
}

/** An object of which nothing is left but space is written as one. */
const closedUp = (text: string, path: KeyPath): string => {
  const object = objectAt(read(text)?.root, path)
  if (object === null || slice(text, object).replace(/\s/g, "") !== "{}") return text
  return apply(text, [{ start: object.offset, end: endOf(object), put: "{}" }])
}

const styleOf = ({ root, text }: Page, object: Node): Style => {
  const member = [...membersOf(object), ...membersOf(root)][0]
  const value = member === undefined ? undefined : valueOf(member)
  const colon = member?.colonOffset ?? -1
  return {
    unit: unitOf(text, root) ?? PLAIN.unit,
    eol: eolOf(text),
    isSpaced: value === undefined || value.offset > colon + 1
  }
}

/** The step between an object's own line and those of its members, from the first place that shows one. */
const unitOf = (text: string, object: Node): string | null => {
  const outer = indentAt(text, object.offset)
  for (const member of membersOf(object)) {
    const inner = indentAt(text, member.offset)
    const isStep = startsLine(text, member.offset) && inner.length > outer.length && inner.startsWith(outer)
    if (isStep) return inner.slice(outer.length)
    const value = valueOf(member)
    const found = value?.type === "object" ? unitOf(text, value) : null
    if (found !== null) return found
  }
  return null
}

/** True when the last object among the members was written on one line. */
const areOnOneLine = (text: string, object: Node): boolean => {
  const last = membersOf(object).map(valueOf).findLast((value) => value?.type === "object" && value.length > 2)
  return last !== undefined && !/[\r\n]/.test(slice(text, last))
}

const lineStart = (text: string, offset: number): number =>
  Math.max(text.lastIndexOf("\n", offset - 1), text.lastIndexOf("\r", offset - 1)) + 1

const lineEnd = (text: string, offset: number): number => {
  const length = text.slice(offset).search(/[\r\n]/)
  return length < 0 ? text.length : offset + length
}

const startsLine = (text: string, offset: number): boolean => text.slice(lineStart(text, offset), offset).trim() === ""

const indentAt = (text: string, offset: number): string =>
  /^[ \t]*/.exec(text.slice(lineStart(text, offset)))?.[0] ?? ""

/** Changes do not overlap; of two at one place the first comes first. */
const apply = (text: string, changes: ReadonlyArray<Change>): string =>
  changes.toSorted((a, b) => a.start - b.start).reduceRight(
    (changed, { end, put, start }) => changed.slice(0, start) + put + changed.slice(end),
    text
  )

// How a JSON text is laid out, so that what is written into it looks like what is there.

/** The layout of a text. */
export interface Style {
  /** One step of indentation. */
  readonly unit: string
  /** What ends a line. */
  readonly eol: string
  /** False for a text without spaces between its tokens. */
  readonly isSpaced: boolean
}

/** The layout of a new text. */
export const PLAIN: Style = { unit: "  ", eol: "\n", isSpaced: true }

/** What ends the lines of a text; `\n` when it has only one. */
export const eolOf = (text: string): string => /\r\n|\n|\r/.exec(text)?.[0] ?? PLAIN.eol

/**
 * Writes a value. Objects are spread over lines down to `levels`; below that what fits into a line stays on one.
 * `indent` is the indentation of the line that the value starts in.
 */
export const printStyle = (value: Schema.Json, indent: string, style: Style, levels: number): string => {
  const line = inline(value, style)
  if (!style.isSpaced || typeof value !== "object" || value === null || line.length <= 2) return line
  const isList = Array.isArray(value)
  if ((isList || levels <= 0) && indent.length + line.length <= WIDTH) return line
  const inner = indent + style.unit
  const rows = isList
    ? value.map((item) => printStyle(item, inner, style, 0))
    : Object.entries(value).map(([key, member]) =>
      `${JSON.stringify(key)}: ${printStyle(member, inner, style, levels - 1)}`
    )
  const [open, close] = isList ? "[]" : "{}"
  return [`${open}${style.eol}${inner}`, rows.join(`,${style.eol}${inner}`), `${style.eol}${indent}${close}`].join("")
}

/** Lines may get this long, the key before the value not counted. */
const WIDTH = 100

const inline = (value: Schema.Json, style: Style): string => {
  if (!style.isSpaced || typeof value !== "object" || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map((item) => inline(item, style)).join(", ")}]`
  const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}: ${inline(member, style)}`)
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`
}
