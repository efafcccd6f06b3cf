/** The news that a server tells on its own. */
import type { LogLine } from "@boocode/mcp-client"
import * as Context from "effect/Context"

/** A list of a server changed, or it sent a log message: cleaned, cut, and of the level that is wanted of it at least. */
export type ServerNews =
  | { readonly _tag: "ListChanged"; readonly server: string; readonly what: "prompts" | "resources" }
  | ({ readonly _tag: "LogMessage"; readonly server: string } & Pick<LogLine, "level" | "logger" | "text">)

/** Is told at once, and must not wait. Nobody is where none is given. */
export const Listener: Context.Reference<((news: ServerNews) => void) | null> = Context.Reference(
  "mcp-registry/ServerNews",
  { defaultValue: (): ((news: ServerNews) => void) | null => null }
)
