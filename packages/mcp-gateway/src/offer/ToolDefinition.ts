/** The definition of a tool as clients are given it. */
import { JsonRpc } from "@boocode/mcp-client/Text"
import type { McpTool } from "@boocode/mcp-registry"
import type { AgentTool } from "@boocode/toolkit"
import type * as Schema from "effect/Schema"
import type { Named } from "./ToolNames.ts"

/**
 * Writes definitions that every client can read. Clients of the SDK refuse the whole list for one schema that is none of an object, or
 * one hint that is no boolean. `hasOutput` is false for clients that show their model nothing else than structured content.
 */
export const make = ({ name, tool }: Named, hasOutput: boolean): Schema.JsonObject => {
  const { inputSchema, outputSchema } = tool
  return {
    name,
    ...(tool.title === null ? {} : { title: tool.title }),
    ...(tool.description === null ? {} : { description: tool.description }),
    inputSchema: objectSchema(inputSchema),
    ...(hasOutput && outputSchema !== null && outputSchema["type"] === "object"
      ? { outputSchema: objectSchema(outputSchema) }
      : {}),
    annotations: annotationsOf(tool),
    ...tool.passed
  }
}

const objectSchema = ({ properties, required, type: _, ...rest }: Schema.JsonObject): Schema.JsonObject => ({
  ...rest,
  type: "object",
  ...(JsonRpc.isObject(properties) && Object.values(properties).every(isSchema) ? { properties } : {}),
  ...(Array.isArray(required) && required.every((name) => typeof name === "string") ? { required } : {})
})

const isSchema = (schema: Schema.Json): boolean => typeof schema === "boolean" || JsonRpc.isObject(schema)

/** The configuration's word about a tool counts for more than its server's. */
const annotationsOf = ({ annotations, class: toolClass }: McpTool): Schema.JsonObject => ({
  ...(typeof annotations["title"] === "string" ? { title: annotations["title"] } : {}),
  ...Object.fromEntries(HINTS.flatMap((hint) => {
    const value = annotations[hint]
    return typeof value === "boolean" ? [[hint, value]] : []
  })),
  ...(toolClass === "undeclared" ? {} : { readOnlyHint: toolClass === "reads" }),
  ...(toolClass === "destroys" ? { destructiveHint: true } : {})
})

const HINTS = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"]

/** The definition of a tool of the gateway's own, which reads unless it says that it may write. */
export const ofOwn = ({ class: toolClass, description, inputSchema, name }: AgentTool): Schema.JsonObject => ({
  name,
  description,
  inputSchema,
  annotations: toolClass === "reads" ? { readOnlyHint: true } : WRITES
})

/** The annotations of a tool that calls any other. */
export const WRITES = { readOnlyHint: false, destructiveHint: true, openWorldHint: true }
