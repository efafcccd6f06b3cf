/**
 * The pages behind a turn: those that the provider says an answer is from, and those that results name, as links to
 * resources or as resources with the address of a page. Pure.
 */
import type { Json } from "../../api/Types.ts"
import { isObject } from "../../forms/SchemaReading.ts"
import type { Block, Cited } from "../open/TurnModel.ts"
import { MARK } from "../text/Lexer.ts"

export interface Source {
  readonly address: string
  readonly host: string
  readonly title: string
}

const LONGEST = 120

const textOf = (value: Json | undefined): string | null => {
  const text = typeof value === "string" ? value.replaceAll(/\s+/g, " ").trim() : ""
  return text === "" ? null : text.slice(0, LONGEST)
}

const sourceOf = (about: Readonly<Record<string, Json>>): ReadonlyArray<Source> => {
  const { uri } = about
  const url = typeof uri === "string" ? URL.parse(uri) : null
  // A name and a password before the host make another host of it for the eye.
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "") return []
  return [{ address: url.href, host: url.host, title: textOf(about["title"]) ?? textOf(about["name"]) ?? url.pathname }]
}

/** Each page once, those of the provider first: their numbers stand in the text. */
export const sourcesOf = (blocks: ReadonlyArray<Block>): ReadonlyArray<Source> => {
  const cited = blocks.flatMap((block) => block.kind === "text" ? block.cited ?? [] : [])
    .flatMap(({ source: { address, title } }) => sourceOf({ uri: address, title }))
  const found = blocks.flatMap((block) => block.kind === "call" ? block.result?.content ?? [] : [])
    .flatMap((block) => {
      if (block["type"] === "resource_link") return sourceOf(block)
      const resource = block["type"] === "resource" ? block["resource"] : undefined
      return resource !== undefined && isObject(resource) ? sourceOf(resource) : []
    })
  return [...new Map([...cited, ...found].map((source) => [source.address, source])).values()]
}

/** Whether a text has the numbers of its sources. */
export const hasMarks = (blocks: ReadonlyArray<Block>): boolean =>
  blocks.some((block) => block.kind === "text" && (block.cited ?? []).some(({ at }) => at !== null))

/**
 * The text with its number between two characters that nobody types for each place that has a source. None stands within
 * code or an address, nor where a line would mean something else with it.
 */
export const withMarks = (text: string, cited: ReadonlyArray<Cited>, sources: ReadonlyArray<Source>): string => {
  const marks = cited.flatMap(({ at, source }) => {
    const number = sources.findIndex(({ address }) => address === source.address) + 1
    const before = text.slice(0, at ?? 0).trimEnd()
    return number === 0 || !takesMark(before) ? [] : [{ at: before.length, number }]
  }).toSorted((one, other) => one.at - other.at || one.number - other.number)
  let from = 0
  const pieces = marks.flatMap(({ at, number }) => {
    const piece = text.slice(from, at)
    from = at
    return [piece, `${MARK}${number}${MARK}`]
  })
  return [...pieces, text.slice(from)].join("")
}

/** Lines that end or begin a block: a fence, a rule, the end of a row of a table, half a link. */
const FIXED = /^\s*(?:```|~~~|[-=*_]+$)|\|$|\]\([^)]*$/

const takesMark = (before: string): boolean => {
  const fences = before.match(/^ {0,3}(?:```|~~~)/gm)?.length ?? 0
  const line = before.slice(before.lastIndexOf("\n") + 1)
  return line !== "" && fences % 2 === 0 && (line.match(/`/g)?.length ?? 0) % 2 === 0 && !FIXED.test(line)
}
