/** A call as a line for a shell. */
import type { Json } from "../api/Types.ts"
import { ownCommand } from "../ui/code/ShownCommand.ts"

/** Nothing in a single-quoted word means anything to a POSIX shell but the quote itself. */
const quoted = (word: string): string => /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`

export const commandLine = (tool: string, args: Json | undefined): string =>
  [
    ownCommand.value,
    "mcp",
    "call",
    quoted(tool),
    ...(args === undefined ? [] : ["--args", quoted(JSON.stringify(args))])
  ]
    .join(" ")
