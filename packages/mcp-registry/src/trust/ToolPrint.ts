/** A tool as it is pinned: everything of its definition that a model or a person goes by. */
import { Hash, JsonValue } from "@boocode/mcp-client/Text"
import type * as Digest from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as ToolClass from "../model/ToolClass.ts"

/** One listed tool. */
export interface ToolPrint {
  readonly name: string
  readonly definition: Schema.JsonObject
  /** The definition as canonical JSON; null when it is nested too deep for anybody to look at. */
  readonly text: string | null
}

/** The tools of a listing, and one hash for all of them. */
export interface ListingPrint {
  /** Sorted by name; of two tools with one name the first, as discovery has it. */
  readonly tools: ReadonlyArray<ToolPrint>
  readonly hash: string
}

/** Name, title, description, schemas and annotations of every tool; the order of tools does not matter. */
export const ofListing = Effect.fnUntraced(function*(
  listed: ReadonlyArray<Schema.JsonObject>
): Effect.fn.Return<ListingPrint, never, Digest.Digest> {
  const byName = new Map<string, ToolPrint>()
  for (const tool of listed) {
    const print = of(tool)
    if (print !== null && !byName.has(print.name)) byName.set(print.name, print)
  }
  const tools = [...byName.values()].sort((one, other) => one.name < other.name ? -1 : 1)
  const hash = yield* Hash.hex(tools.map(({ name, text }) => JSON.stringify([name, text])).join("\n"))
  return { tools, hash }
})

/** The hash of one tool. */
export const hash = ({ name, text }: ToolPrint): Effect.Effect<string, never, Digest.Digest> =>
  Hash.hex(JSON.stringify([name, text]))

/** The source of a print; an `McpTool` has it. */
export interface Definition {
  /** The raw name. */
  readonly tool: string
  readonly title: string | null
  readonly description: string | null
  readonly inputSchema: Schema.JsonObject
  readonly outputSchema: Schema.JsonObject | null
  readonly annotations: Schema.JsonObject
  /** Part of the print where the entry of its server says another one than the annotations. */
  readonly class?: ToolClass.ToolClass | undefined
}

/**
 * The hash of a tool as it was listed: another one when anything of its definition changed that a model or a person goes
 * by.
 */
export const ofTool = (
  { annotations, class: toolClass, description, inputSchema, outputSchema, title, tool }: Definition
): Effect.Effect<string, never, Digest.Digest> => {
  const isSaid = toolClass === undefined || toolClass === ToolClass.ofAnnotations(annotations)
  const definition = {
    ...{ title, description, inputSchema, outputSchema, annotations },
    ...(isSaid ? {} : { class: toolClass })
  }
  return hash({
    name: tool,
    definition,
    text: Result.getOrNull(Result.try(() => JsonValue.stringify(definition)))
  })
}

const PINNED = ["title", "description", "inputSchema", "outputSchema", "annotations"]

const of = (tool: Schema.JsonObject): ToolPrint | null => {
  const name = tool["name"]
  if (typeof name !== "string" || name === "") return null
  const definition = Object.fromEntries(
    PINNED.flatMap((key) => tool[key] === undefined ? [] : [[key, tool[key]] as const])
  )
  return { name, definition, text: Result.getOrNull(Result.try(() => JsonValue.stringify(definition))) }
}
