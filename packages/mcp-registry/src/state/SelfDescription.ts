/** The self-description of a connected server: its capabilities and its instructions. */
import type { Connection } from "@boocode/mcp-client/Connection"
import type { ServerCapabilities } from "../model/ServerStatus.ts"
import type { Manifest } from "../tools/Manifest.ts"

/** Longer instructions are cut, in characters. */
export const MOST_INSTRUCTIONS = 4000

const CUT = "\n[the rest is left out]"

/** The tools it lists, and what it declares. */
export const manifestOf = (connection: Connection, tools: Manifest["tools"]): Manifest => ({
  tools,
  serverInfo: connection.serverInfo,
  instructions: instructionsOf(connection),
  capabilities: capabilitiesOf(connection)
})

const capabilitiesOf = (connection: Connection): ServerCapabilities => ({
  tools: connection.declares("tools"),
  prompts: connection.declares("prompts"),
  resources: connection.declares("resources"),
  subscribe: connection.declares("subscribe"),
  completions: connection.declares("completions"),
  logging: connection.declares("logging")
})

/** Its instructions without secrets and hidden characters; null where it gives none (R105). */
const instructionsOf = ({ instructions, scrub }: Connection): string | null => {
  if (instructions === null) return null
  const text = scrub(instructions).trim()
  if (text.length <= MOST_INSTRUCTIONS) return text === "" ? null : text
  // A cut may fall between the halves of a character.
  return `${text.slice(0, MOST_INSTRUCTIONS - CUT.length).toWellFormed().replace(/\uFFFD$/, "").trimEnd()}${CUT}`
}
