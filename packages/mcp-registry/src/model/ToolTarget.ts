/** How to see what a call of a writing tool would replace. */
import type { ServerConfig, WriteTarget } from "@boocode/mcp-config"
import * as Redacted from "effect/Redacted"

/** Gives the target of each tool of a server: what `targets` of its entry says, and what is known of published servers. */
export const of = (config: ServerConfig): (tool: string) => WriteTarget | null => {
  const { targets, transport } = config
  const known = isFilesystem(transport) ? { ...FILESYSTEM, ...targets } : targets
  // Most servers have none, and there may be very many tools.
  if (Object.keys(known).length === 0) return () => null
  return (tool) => Object.hasOwn(known, tool) ? known[tool] ?? null : null
}

const FILESYSTEM: ServerConfig["targets"] = {
  write_file: { path: "path", read: "read_text_file", write: "write_file", content: "content" },
  edit_file: { path: "path", read: "read_text_file", write: "write_file" }
}

/** The published `@modelcontextprotocol/server-filesystem`, however it is started. */
const isFilesystem = (transport: ServerConfig["transport"]): boolean =>
  transport._tag === "stdio" &&
  [transport.command, ...transport.args.map(Redacted.value)].some((word) => FILESYSTEM_NAME.test(word))

const FILESYSTEM_NAME = /(^|[\\/])(mcp-)?server-filesystem(@[^\\/]*|\.[cm]?js|\.cmd|[\\/]dist[\\/]index\.js)?$/
