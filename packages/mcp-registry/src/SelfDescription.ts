/**
 * What a server says about itself once it is connected: what it can do, and how it wants to be used.
 */
import type { Connection } from "./Connection.ts"
import type { Manifest } from "./Manifests.ts"
import type { ServerCapabilities } from "./shapes/ServerStatus.ts"

/** More of its instructions is not kept, in characters. @category constants */
export const MOST_INSTRUCTIONS = 4000

/** What it declares. @category getters */
export const capabilitiesOf = (connection: Pick<Connection, "declares">): ServerCapabilities => ({
  tools: connection.declares("tools"),
  prompts: connection.declares("prompts"),
  resources: connection.declares("resources"),
  subscribe: connection.declares("subscribe"),
  completions: connection.declares("completions"),
  logging: connection.declares("logging")
})

/**
 * Its instructions as others may see them: nothing in them hides, deceives or gives a secret away, and a mark says where
 * they were cut. Null where it gives none (R105).
 *
 * @category getters
 */
export const instructionsOf = ({ instructions, scrub }: Pick<Connection, "instructions" | "scrub">): string | null => {
  if (instructions === null) return null
  const text = scrub(instructions).trim()
  if (text.length <= MOST_INSTRUCTIONS) return text === "" ? null : text
  // A cut may fall between the halves of a character.
  return `${text.slice(0, MOST_INSTRUCTIONS - CUT.length).toWellFormed().replace(/\uFFFD$/, "").trimEnd()}${CUT}`
}

/** What is to be known of a server that does not run. @category constructors */
export const manifestOf = (connection: Connection, tools: Manifest["tools"]): Manifest => ({
  tools,
  serverInfo: connection.serverInfo,
  instructions: instructionsOf(connection),
  capabilities: capabilitiesOf(connection)
})

const CUT = "\n[the rest is left out]"
