/** A call of a tool as a person types it: `/NAME {json}`. Pure. */
import type { JsonObject, Tool } from "../../api/Types.ts"
import { ofArguments } from "../../forms/FormField.ts"
import { at, isObject, list } from "../../forms/SchemaReading.ts"

interface TypedCall {
  readonly tool: Tool
  /** The text after the name. */
  readonly rest: string
}

/** Null for a text that calls none of these tools. */
export const callOf = (text: string, tools: ReadonlyMap<string, Tool>): TypedCall | null => {
  const [, name = "", rest = ""] = /^\/(\S+)(?:\s+([^]*))?$/.exec(text.trim()) ?? []
  const tool = tools.get(name)
  return tool === undefined ? null : { tool, rest }
}

/** Whether there is anything to fill in. */
export const takesArguments = ({ inputSchema }: Tool): boolean => {
  const { extra, properties } = ofArguments(inputSchema)
  return extra !== null || properties().length > 0
}

/** Whether the call lacks arguments that the tool cannot do without. */
export const isIncomplete = ({ rest, tool }: TypedCall): boolean =>
  rest === "" && list(at(tool.inputSchema, "required")).length > 0

/** The arguments that were typed; null where they are no JSON object. */
export const argumentsOf = ({ rest }: TypedCall): JsonObject | null => {
  try {
    const args: unknown = JSON.parse(rest)
    return isObject(args) ? args : null
  } catch {
    return null
  }
}

export const messageOf = ({ name }: Tool, args: JsonObject): string =>
  Object.keys(args).length === 0 ? `/${name}` : `/${name} ${JSON.stringify(args)}`
