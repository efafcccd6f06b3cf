/** Tools as the model of one provider takes them: its schemas out, its arguments back. */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { anthropic } from "../dialects/AnthropicDialect.ts"
import { toDeclared } from "../dialects/Arguments.ts"
import { type Budget, isTooMuch, type Loss, Losses, PARTS, SCHEMA_BYTES } from "../dialects/Conversion.ts"
import { gemini } from "../dialects/GeminiDialect.ts"
import { normalized } from "../dialects/NormalizedSchema.ts"
import { DESCRIPTION_CHARACTERS, openai, strict } from "../dialects/OpenAiDialect.ts"
import * as PropertyNames from "../dialects/PropertyNames.ts"
import { COMMON, IDENTIFIER } from "../dialects/PropertyNames.ts"
import * as ToolSchema from "../dialects/ToolSchema.ts"
import { own } from "../schema/JsonSchema.ts"
import { References } from "../schema/References.ts"
import * as Utf8 from "../text/Utf8.ts"
import type { AgentTool } from "./AgentTool.ts"

export type { Loss } from "../dialects/Conversion.ts"

/**
 * The dialect of a schema: `raw` as the server declared it; `openai` for function calling without, `openai-strict`
 * with strict schemas; `anthropic`; `gemini`.
 */
export type SchemaDialect = typeof names[number]

/** Every dialect. */
export const names = ["raw", "openai", "openai-strict", "anthropic", "gemini"] as const

/** A schema in a dialect. */
export interface Converted {
  readonly schema: Schema.JsonObject
  /** The dialect asked for, but `openai` where a strict schema cannot say it. */
  readonly dialect: SchemaDialect
  /** The parts that the dialect cannot say, at most 200. Descriptions say most of them in words. */
  readonly losses: ReadonlyArray<Loss>
  /**
   * A model's arguments as the server declared them: names that were changed, the placeholder of a tool without
   * parameters, nulls that only a strict schema asked for. Never throws; what cannot be read comes back as it is.
   */
  readonly toDeclared: (args: unknown) => unknown
}

/**
 * A tool's input schema in a dialect, or why it cannot be said in it (R8 to R13). Pure, the same again when applied to
 * what it gave, bounded in time and size (256 kB of JSON) whatever was declared; follows no reference outside of the
 * schema. A schema that was converted before costs nothing.
 */
export const convert = (dialect: SchemaDialect, declared: Schema.JsonObject): Result.Result<Converted, string> => {
  const known = MEMO[dialect].get(declared)
  if (known !== undefined) return known
  const converted = dialect === "raw"
    ? Result.succeed({ schema: declared, dialect, losses: [], toDeclared: (args: unknown) => args })
    : bounded(dialect, declared)
  MEMO[dialect].set(declared, converted)
  return converted
}

type Memo = WeakMap<Schema.JsonObject, Result.Result<Converted, string>>

const MEMO: Record<SchemaDialect, Memo> = {
  raw: new WeakMap(),
  openai: new WeakMap(),
  "openai-strict": new WeakMap(),
  anthropic: new WeakMap(),
  gemini: new WeakMap()
}

/** How many schemas references may grow to in a dialect without them; less each time the result is too large. */
const GROWTH = [1000, 200, 20]

const bounded = (dialect: SchemaDialect, declared: Schema.JsonObject): Result.Result<Converted, string> => {
  if (isTooMuch(declared)) return Result.fail(`its schema holds more than ${PARTS} objects, and no more is sent`)
  const losses = new Losses()
  const references = new References(declared)
  const named = new PropertyNames.PropertyNames(declared, dialect === "gemini" ? IDENTIFIER : COMMON)
  for (const key of Object.keys(declared)) {
    if (ToolSchema.CHOICES.has(key)) losses.add(key, "a root has one set of properties; the choice is said in words")
  }
  const types = [own(declared, "type") ?? "object"].flat()
  if (!types.includes("object")) losses.add("type", "arguments are an object whatever the root says")
  const { hasTuples } = dialect === "anthropic" ? anthropic : openai
  const root = normalized(ToolSchema.legal(declared), { references, names: named, losses, hasTuples })
  return Result.map(fitting(dialect, root, losses), (said) => {
    const hasPlaceholder = PropertyNames.isNeeded(said.schema)
    const isStrict = said.dialect === STRICT
    return {
      schema: hasPlaceholder ? PropertyNames.added(said.schema, isStrict, isMap(root)) : said.schema,
      dialect: said.dialect,
      losses: losses.all,
      toDeclared: toDeclared({ declared, references, names: named, hasPlaceholder, isStrict })
    }
  })
}

const isMap = (root: Schema.JsonObject): boolean => {
  const further = own(root, "additionalProperties")
  return further !== undefined && further !== false
}

const STRICT = "openai-strict"

interface Said {
  readonly schema: Schema.JsonObject
  readonly dialect: SchemaDialect
}

/** Room for the placeholder. */
const ROOM = 256

const fitting = (dialect: SchemaDialect, root: Schema.JsonObject, losses: Losses): Result.Result<Said, string> => {
  let bytes = 0
  for (const nodes of dialect === "gemini" || dialect === STRICT ? GROWTH : GROWTH.slice(-1)) {
    const budget = { nodes }
    const said = narrowed(dialect, root, losses, budget)
    const text = JSON.stringify(said.schema)
    CHARACTERS.set(said.schema, text.length)
    bytes = Utf8.byteLength(text)
    if (bytes <= SCHEMA_BYTES - ROOM) return Result.succeed(said)
    const isAllItsOwn = budget.nodes === nodes
    if (isAllItsOwn) break
  }
  return Result.fail(`its schema has ${bytes} bytes, and ${SCHEMA_BYTES} is the most that is sent`)
}

const narrowed = (dialect: SchemaDialect, root: Schema.JsonObject, losses: Losses, budget: Budget): Said => {
  if (dialect === "gemini") return { schema: gemini(root, losses, budget), dialect }
  if (dialect !== STRICT) return { schema: root, dialect }
  const attempt = new Losses()
  const schema = strict(root, attempt, budget)
  if (Result.isSuccess(schema)) {
    for (const { detail, path } of attempt.all) losses.add(path, detail)
    return { schema: schema.success, dialect }
  }
  losses.add("", `cannot be strict: ${schema.failure}`)
  return { schema: root, dialect: "openai" }
}

/** A tool that cannot be said in a dialect, and why. */
export interface Unspeakable {
  readonly name: string
  readonly server: string | null
  readonly reason: string
}

/** The estimate that the registry makes of what was declared, for what is sent. */
const tokens = (
  { description, name }: Pick<AgentTool, "description" | "name">,
  inputSchema: Schema.JsonObject
): number =>
  Math.ceil((JSON.stringify({ name, description, inputSchema: 0 }).length - 1 + charactersOf(inputSchema)) / 4)

/** The length of a schema as JSON, remembered: a turn asks for a thousand schemas at every step. */
const charactersOf = (schema: Schema.JsonObject): number => {
  const known = CHARACTERS.get(schema)
  if (known !== undefined) return known
  const { length } = JSON.stringify(schema)
  CHARACTERS.set(schema, length)
  return length
}

const CHARACTERS = new WeakMap<Schema.JsonObject, number>()

/** How many characters of a tool's description are sent. */
export const LONGEST_DESCRIPTION: Readonly<Record<SchemaDialect, number>> = {
  raw: Infinity,
  openai: DESCRIPTION_CHARACTERS,
  "openai-strict": DESCRIPTION_CHARACTERS,
  anthropic: Infinity,
  gemini: Infinity
}

const CUT = "… [the rest was cut]"

const described = (description: string, most: number): string => {
  if (description.length <= most) return description
  // Half a character would be refused, too.
  return `${description.slice(0, most - CUT.length).replace(/[\uD800-\uDBFF]$/, "")}${CUT}`
}

/** Tools in one dialect. */
export interface Spoken {
  /** In the order they were given. Their `run` takes arguments of the dialect. */
  readonly tools: ReadonlyArray<AgentTool>
  readonly unspeakable: ReadonlyArray<Unspeakable>
  /** Names of tools whose schema is not strict though strict was asked for: to be sent without `strict`. */
  readonly loose: ReadonlySet<string>
}

/**
 * The tools in a dialect. One that cannot be made legal is left out alone, with the reason (R8). A
 * description that is longer than the provider takes is cut, and ends with `… [the rest was cut]`.
 */
export const speak = (tools: ReadonlyArray<AgentTool>, dialect: SchemaDialect): Spoken => {
  if (dialect === "raw") return { tools, unspeakable: [], loose: new Set() }
  const spoken: Array<AgentTool> = []
  const unspeakable: Array<Unspeakable> = []
  const loose = new Set<string>()
  for (const tool of tools) {
    Result.match(convert(dialect, tool.inputSchema), {
      onFailure: (reason) => unspeakable.push({ name: tool.name, server: tool.server, reason }),
      onSuccess: (converted) => {
        if (converted.dialect !== dialect) loose.add(tool.name)
        const description = described(tool.description, LONGEST_DESCRIPTION[dialect])
        spoken.push({
          ...tool,
          description,
          inputSchema: converted.schema,
          tokens: tokens({ name: tool.name, description }, converted.schema),
          run: (args, options) => tool.run(converted.toDeclared(args), options)
        })
      }
    })
  }
  return { tools: spoken, unspeakable, loose }
}
