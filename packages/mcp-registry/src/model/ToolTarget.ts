/** How to see what a call of a writing tool would replace. */
import type { ServerConfig, Stdio, WriteTarget } from "@boocode/mcp-config"
import * as Redacted from "effect/Redacted"

/** The target of a tool, and where its server is at home. */
export type ToolTarget = WriteTarget & {
  /**
   * The folders at which a relative path may begin, for a server on this machine: the folder that it runs in, then its
   * arguments and the `roots` of its entry, relative to that folder; some of them are no folders. Left out for a server
   * elsewhere.
   */
  readonly folders?: ReadonlyArray<Redacted.Redacted<string>>
}

/** Gives the target of each tool of a server: what `targets` of its entry says, and what is known of published servers. */
export const of = (config: ServerConfig): (tool: string) => ToolTarget | null => {
  const { targets, transport } = config
  const known = isFilesystem(transport) ? { ...FILESYSTEM, ...targets } : targets
  // Most servers have none, and there may be very many tools.
  if (Object.keys(known).length === 0) return () => null
  const home = transport._tag === "stdio" ? { folders: foldersOf(transport, config.roots) } : {}
  return (tool) => {
    const target = Object.hasOwn(known, tool) ? known[tool] : undefined
    return target === undefined ? null : { ...target, ...home }
  }
}

const foldersOf = ({ args, cwd }: Stdio, roots: ServerConfig["roots"]) => [
  Redacted.make(cwd),
  ...args.filter((argument) => !Redacted.value(argument).startsWith("-")),
  ...(Array.isArray(roots) ? roots.map((root) => Redacted.make(root)) : [])
]

const FILESYSTEM: ServerConfig["targets"] = {
  write_file: { path: "path", read: "read_text_file", write: "write_file", content: "content", file: true },
  edit_file: { path: "path", read: "read_text_file", write: "write_file" }
}

/** The published `@modelcontextprotocol/server-filesystem`, however it is started. */
const isFilesystem = (transport: ServerConfig["transport"]): boolean =>
  transport._tag === "stdio" &&
  [transport.command, ...transport.args.map(Redacted.value)].some((word) => FILESYSTEM_NAME.test(word))

const FILESYSTEM_NAME = /(^|[\\/])(mcp-)?server-filesystem(@[^\\/]*|\.[cm]?js|\.cmd|[\\/]dist[\\/]index\.js)?$/
