/** How long the start of a server may take. A start that downloads its program and is ended leaves half of it behind. */
import { DEFAULTS, type ServerConfig } from "@boocode/mcp-config"
import * as Duration from "effect/Duration"

/** For a start that may download the program, where the entry does not say how long it may take. */
export const DOWNLOAD = Duration.minutes(3)

/** These fetch what they start, which takes its time when it is the first. */
const DOWNLOADERS: ReadonlySet<string> = new Set(["bunx", "docker", "npx", "pipx", "pnpx", "uvx"])

/** The command of a server that fetches its program at its first start; null for other servers. */
export const downloader = ({ transport }: ServerConfig): string | null => {
  if (transport._tag !== "stdio") return null
  const command = (transport.command.split(/[/\\]/).at(-1) ?? "").replace(/\.(cmd|exe)$/i, "")
  return DOWNLOADERS.has(command) ? command : null
}

/** Whether its first start has longer than later ones. An entry that says how long it may take is obeyed to the letter. */
export const isPatient = (config: ServerConfig): boolean =>
  // The very default: an equal time that the entry names is another object.
  config.startupTimeout === DEFAULTS.startupTimeout && downloader(config) !== null
