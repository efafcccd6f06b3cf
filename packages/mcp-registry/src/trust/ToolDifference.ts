/** The changes of a server's tools since they were pinned, for people and programs. */
import { CleanText, JsonRpc } from "@boocode/mcp-client/Text"
import * as JsonPatch from "effect/JsonPatch"
import * as JsonPointer from "effect/JsonPointer"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { PartChange, ToolDifference } from "./PinSchemas.ts"
import type { Definition } from "./ToolPrint.ts"

export type { PartChange, ToolDifference } from "./PinSchemas.ts"

/** How many tools are not as they were pinned. */
export const count = ({ added, changed, removed }: ToolDifference): number =>
  added.length + changed.length + removed.length

/** One listing of a server's tools. */
export interface Listed {
  /** The server's own name and version. */
  readonly version: string | null
  readonly tools: ReadonlyArray<Definition>
}

/** The changes from one listing to another, for instance of two versions of a server. */
export const between = (before: Listed, after: Listed): Omit<ToolDifference, "pinnedAt"> => {
  const was = new Map(before.tools.map((tool) => [tool.tool, tool]))
  const names = new Set(after.tools.map(({ tool }) => tool))
  return {
    versionBefore: before.version,
    versionAfter: after.version,
    changed: after.tools.flatMap((now) => {
      const then = was.get(now.tool)
      if (then === undefined || JSON.stringify(shape(then)) === JSON.stringify(shape(now))) return []
      return [{ tool: now.tool, parts: parts(shape(then), shape(now)) }]
    }),
    added: after.tools.flatMap(({ description, tool }) => was.has(tool) ? [] : [{ tool, description }]),
    removed: [...was.keys()].filter((tool) => !names.has(tool))
  }
}

/** The parts of a tool that a model or a person goes by. */
const shape = ({ annotations, description, inputSchema, outputSchema, title }: Definition): Schema.JsonObject => ({
  ...{ title, description, inputSchema, annotations },
  ...(outputSchema === null ? {} : { outputSchema })
})

/** The most places of one tool that are told. */
const MAX_PARTS = 50

/** The places at which two definitions differ; a definition that was not kept is null. */
export const parts = (
  before: Schema.JsonObject | null,
  after: Schema.JsonObject | null
): ReadonlyArray<PartChange> => {
  const patch = before === null || after === null
    ? null
    : Result.getOrNull(Result.try(() => JsonPatch.get(before, after)))
  // Without a part there is nothing to see: only what is never shown changed.
  if (patch === null || before === null || patch.length === 0) return [{ path: "", before: null, after: null }]
  return patch.slice(0, MAX_PARTS).map((operation) => {
    const was = operation.op === "add" ? undefined : valueAt(before, operation.path)
    const is = operation.op === "remove" ? undefined : operation.value
    const [shownBefore, shownAfter] = excerpts(inWords(was), inWords(is))
    return { path: CleanText.visibleText(operation.path), before: shownBefore, after: shownAfter }
  })
}

const valueAt = (value: Schema.Json, path: string): Schema.Json | undefined =>
  path.split("/").slice(1).map(JsonPointer.unescapeToken).reduce<Schema.Json | undefined>(
    (at, token) => Array.isArray(at) ? at[Number(token)] : JsonRpc.isObject(at) ? at[token] : undefined,
    value
  )

const inWords = (value: Schema.Json | undefined): string | null => {
  if (value === undefined) return null
  return CleanText.visibleText(typeof value === "string" ? value : JSON.stringify(value))
}

/** The most characters that are shown of one side. */
const SHOWN = 2000
/** How many characters before the first difference are shown. */
const LEAD = 100

/** Leaves out the common beginning of long texts, so that a change far down is seen. */
const excerpts = (before: string | null, after: string | null): readonly [string | null, string | null] => {
  const isLong = (before ?? "").length > SHOWN || (after ?? "").length > SHOWN
  const start = isLong && before !== null && after !== null ? Math.max(0, sameLength(before, after) - LEAD) : 0
  return [excerpt(before, start), excerpt(after, start)]
}

const sameLength = (one: string, other: string): number => {
  const end = Math.min(one.length, other.length)
  let index = 0
  while (index < end && one[index] === other[index]) index++
  return index
}

const excerpt = (text: string | null, start: number): string | null => {
  if (text === null) return null
  const left = text.length - start - SHOWN
  return (start > 0 ? "… " : "") + text.slice(start, start + SHOWN) + (left > 0 ? ` … and ${left} more characters` : "")
}
