/** One tool that calls any other: the list of tools that a model is given stays the same while it finds more of them. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as ToolResult from "../results/ToolResult.ts"
import type { AgentTool } from "./AgentTool.ts"
import * as BuiltInTool from "./BuiltInTool.ts"
import type { SchemaDialect } from "./SchemaDialect.ts"

/** The name of the tool. */
export const CALL = "tool_call"

/** The call that a model means by one of `tool_call`. */
export interface Meant {
  readonly name: string
  /** As the model wrote them: an object or its text, and nothing where it gave none. */
  readonly args: unknown
}

/**
 * The definition of `tool_call`. The runner of calls puts the call that is meant in its place, see `meant`. So only a
 * call that names no tool reaches the tool itself, which says what is wrong.
 */
export const make = (dialect: SchemaDialect): AgentTool =>
  BuiltInTool.make({
    name: CALL,
    description: "Calls a tool that you were not given, such as one that tool_search found.",
    properties: {
      name: { type: "string", description: "The exact name of the tool" },
      arguments: ARGUMENTS[dialect === "gemini" ? "text" : "object"]
    },
    required: ["name", "arguments"],
    args: Schema.Struct({ name: Schema.String, arguments: Schema.Unknown }),
    run: () => Effect.succeed(refused("a tool with this name cannot be called by it")),
    refuse: refused
  })

/** Gemini fills an object without properties with nothing, so it writes the text of one. */
const ARGUMENTS = {
  object: { type: "object", description: "What its parameters say", additionalProperties: true },
  text: { type: "string", description: "What its parameters say, as the text of a JSON object" }
} as const

const refused = (why: string): ToolResult.ToolResult =>
  ToolResult.failure(`${CALL}: wrong arguments: ${why}. Give the name of a tool, and its arguments`, { fault: "call" })

/** The call that is meant by these parameters of `tool_call`; null where they name no tool. */
export const meant = (params: unknown): Meant | null =>
  Option.match(decode(params), {
    onNone: () => null,
    onSome: ({ arguments: args, name }) => name === CALL ? null : { name, args }
  })

const Params = Schema.Struct({
  name: Schema.String.check(Schema.isPattern(/\S/)),
  arguments: Schema.optionalKey(Schema.Unknown)
})

const decode = (params: unknown) =>
  Option.orElse(Schema.decodeUnknownOption(Params)(params), () => Schema.decodeUnknownOption(ParamsText)(params))

const ParamsText = Schema.fromJsonString(Params)

/** The parameters that mean a call, as history gives them to a model. */
export const params = (name: string, args: Schema.Json): Schema.JsonObject => ({ name, arguments: args })
