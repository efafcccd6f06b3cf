/** Tools that are nothing but a schema. */
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import * as ToolResult from "../../src/results/ToolResult.ts"
import type { AgentTool } from "../../src/tools/AgentTool.ts"
import { hostile } from "./HostileSchemas.ts"
import * as LiveMcp from "./LiveMcp.ts"

/** Answers with the arguments it is given. */
export const make = (name: string, inputSchema: Schema.JsonObject, server = "it", description = ""): AgentTool => ({
  name,
  server,
  description,
  inputSchema,
  tokens: 1,
  isAlwaysLoaded: false,
  run: (args) => Effect.succeed(ToolResult.success(JSON.stringify(args)))
})

const numbered = (prefix: string) =>
(
  { description, inputSchema, name, server }: typeof LiveMcp.tools[number],
  index: number
): AgentTool => make(`${prefix}_${index}`, inputSchema, server, `${name}: ${description}`)

/** The 527 recorded tools and those of the installed servers, under names that no two have. */
export const real: ReadonlyArray<AgentTool> = [
  ...LiveMcp.tools.map(numbered("live")),
  ...LiveMcp.published.map(numbered("published"))
]

/** One tool for each hostile schema; what is hostile is its description. */
export const bad: ReadonlyArray<AgentTool> = hostile.map(({ name, schema }, index) =>
  make(`hostile_${index}`, schema, "hostile", name)
)
