/** The names under which a client sees tools: within its limit, and the same every time. */
import { short } from "@boocode/mcp-client/Text"
import type { McpTool } from "@boocode/mcp-registry"

/** A tool under the name that a client knows. */
export interface Named {
  readonly name: string
  readonly tool: McpTool
}

/**
 * Names tools within so many characters. A name depends on the tool alone, so that it stays when others come; a bare name that two
 * tools share is the prefixed one for both, and so is one that the protocol does not allow or that is taken.
 */
export const assign = (
  tools: ReadonlyArray<McpTool>,
  names: "prefixed" | "bare",
  room: number,
  taken: ReadonlySet<string>
): ReadonlyArray<Named> => {
  const counts = new Map<string, number>()
  if (names === "bare") { for (const { tool } of tools) counts.set(tool, (counts.get(tool) ?? 0) + 1) }
  return tools.map((tool) => ({ tool, name: nameOf(tool, counts, room, taken) }))
}

const nameOf = (
  tool: McpTool,
  bare: ReadonlyMap<string, number>,
  room: number,
  taken: ReadonlySet<string>
): string =>
  bare.get(tool.tool) === 1 && LEGAL.test(tool.tool) && tool.tool.length <= room && !taken.has(tool.tool)
    ? tool.tool
    : fitted(tool, room)

const LEGAL = /^[a-zA-Z0-9_.-]{1,128}$/

/** A name that is too long ends in a hash of what it names. */
const fitted = ({ name, server, tool }: McpTool, room: number): string =>
  name.length <= room ? name : `${name.slice(0, room - TAIL)}_${short(`${server}\u0000${tool}`)}`

/** A line below and eight hexadecimal digits. */
const TAIL = 9
