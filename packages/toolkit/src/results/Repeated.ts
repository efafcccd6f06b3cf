/** Measures what a result repeats: its text is that of its blocks, and structured content often says the same again. */
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { isObject } from "../schema/JsonSchema.ts"
import { jsonBytes } from "./ResultLimit.ts"

/** A result that is not cut. */
export interface Whole {
  readonly text: string
  /** Whether its text is that of its blocks, joined. */
  readonly isJoined: boolean
  readonly content: ReadonlyArray<Schema.JsonObject>
  readonly structuredContent: Schema.Json
}

/** How many of its bytes as JSON repeat what its text says. */
export const bytes = ({ content, isJoined, structuredContent, text }: Whole): number => {
  const blocks = content.flatMap(({ text, type }) => type === "text" && typeof text === "string" ? [text] : [])
  const said = new Set([text, ...(isJoined ? blocks : [])])
  return sum(blocks.filter((block) => said.has(block)).map(inner)) +
    (saysTheSame(text, structuredContent) ? jsonBytes(structuredContent) : sum(leaves(structuredContent, said)))
}

const sum = (sizes: ReadonlyArray<number>): number => sizes.reduce((all, size) => all + size, 0)

/** Without its quotes. */
const inner = (text: string): number => jsonBytes(text) - 2

/** Whether a text is this value as JSON, however that is laid out. */
const saysTheSame = (text: string, value: Schema.Json): boolean =>
  value !== null && Option.exists(
    Option.getSuccess(Result.try((): unknown => JSON.parse(text))),
    (parsed) => JSON.stringify(parsed) === JSON.stringify(value)
  )

const leaves = (value: Schema.Json, said: ReadonlySet<string>): ReadonlyArray<number> => {
  if (typeof value === "string") return said.has(value) ? [inner(value)] : []
  if (Array.isArray(value)) return value.flatMap((item) => leaves(item, said))
  return isObject(value) ? Object.values(value).flatMap((item) => leaves(item, said)) : []
}
