/**
 * Which server a fiber works for, so that a log for machines can say it of each line. People read it in the message.
 */
import * as Context from "effect/Context"

/**
 * The server's name; null outside of any server.
 *
 * @category references
 */
export const CurrentServer: Context.Reference<string | null> = Context.Reference("mcp-registry/CurrentServer", {
  defaultValue: (): string | null => null
})
