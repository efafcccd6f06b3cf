/** Which servers a program names, as it is written. Pure. */
import { ToolName } from "@boocode/mcp-registry"

/** `files` of `files.read(…)` and of `files["read"](…)`. */
const MEMBERS = /(?<![\w$.])([A-Za-z_$][\w$]*)\s*(?:\?\.)?\s*[.[]/g
/** `files_read` of `tools["files_read"](…)` and of `tools.files_read(…)`. */
const NAMED = /(?<![\w$.])tools\s*(?:\[\s*["'`]([^"'`]+)["'`]\s*\]|\.\s*([A-Za-z_$][\w$]*))/g
/** `tools[name](…)`, `Object.keys(tools)` and the like may reach any of them. */
const ANY = /(?<![\w$.])tools\b(?!\s*(?:\[\s*["'`][^"'`]+["'`]\s*\]|\.\s*[A-Za-z_$]))/

/**
 * Null where the program may call any server. `identifiers` has the name of each server in a program, or null where its tools
 * are in `tools` alone.
 */
export const namedServers = (
  source: string,
  identifiers: ReadonlyMap<string, string | null>
): ReadonlyArray<string> | null => {
  if (ANY.test(source)) return null
  const members = new Set([...source.matchAll(MEMBERS)].map(([, name = ""]) => name))
  const tools = [...source.matchAll(NAMED)].map(([, quoted, plain]) => quoted ?? plain ?? "")
  const isCalled = (server: string) => tools.some((tool) => ToolName.owner(tool, [server]) !== null)
  return [...identifiers].flatMap(([name, written]) =>
    written !== null && members.has(written) || isCalled(name) ? [name] : []
  )
}
