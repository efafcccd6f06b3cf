/**
 * What an agent should know of servers that are not there: only of those whose tools it could use.
 */
import { McpRegistry, type ServerStatus, ToolName } from "@boocode/mcp-registry"
import { ToolGlob } from "@boocode/tool-glob"
import * as Effect from "effect/Effect"
import type { Agent } from "../agents/Agents.ts"

/**
 * Waits at most 3 seconds for servers that still connect, then says of each that is not there why: one warning a server.
 * Does not wait for servers that the agent could not use.
 *
 * @category waiting
 */
export const awaitServers = Effect.fnUntraced(function*(
  agent: Agent
): Effect.fn.Return<ReadonlyArray<string>, never, McpRegistry> {
  const registry = yield* McpRegistry
  const isReachable = ({ name }: ServerStatus) => mayUse(agent.tools, name)
  const connecting = (yield* registry.servers).filter(({ state }) => state === "connecting")
  const isWaitingInVain = connecting.length > 0 && !connecting.some(isReachable)
  if (!isWaitingInVain) yield* Effect.timeoutOption(registry.settled, "3 seconds")
  return (yield* registry.servers).filter(isReachable).flatMap(trouble)
})

const trouble = (server: ServerStatus): ReadonlyArray<string> => {
  const why = server.error === null ? "" : `: ${server.error.message}`
  switch (server.state) {
    case "connecting":
      return [`MCP server ${server.name} is still connecting; its tools can be used in a later message`]
    case "failed":
      return [`MCP server ${server.name} failed${why}`]
    case "needs-auth":
      return [`MCP server ${server.name} needs a login${why}`]
    default:
      return []
  }
}

/**
 * A text that is another after each start of a server; null while it is not ready.
 *
 * @category reading
 */
export const life = (registry: typeof McpRegistry.Service, server: string): Effect.Effect<string | null> =>
  Effect.map(registry.servers, (servers) => {
    const status = servers.find(({ name }) => name === server)
    if (status?.state !== "ready") return null
    return JSON.stringify([status.pid, status.restarts, status.connectMillis, status.steps])
  })

/** Of a name that is too long a hash takes the place of the rest, so only that much is sure. */
const SURE_CHARACTERS = 55

/** Whether patterns could allow a tool of this server, whatever its tools are called. */
export const mayUse = (patterns: ReadonlyArray<string> | null, server: string): boolean => {
  if (patterns === null) return true
  // The beginning of all its names is that of a tool without a name.
  const [name = ""] = ToolName.assign(server, [""], [server]).values()
  const beginning = name.slice(0, SURE_CHARACTERS)
  return patterns.reduce(
    (possible, pattern) =>
      ToolGlob.isDenial(pattern)
        ? possible && !deniesAll(pattern.slice(1), beginning)
        : possible || fits(pattern, beginning),
    false
  )
}

const fits = (pattern: string, beginning: string): boolean => {
  const [literal = ""] = pattern.split("*")
  return literal.startsWith(beginning) || (!ToolGlob.isExact(pattern) && beginning.startsWith(literal))
}

const deniesAll = (pattern: string, beginning: string): boolean => {
  const [literal = "", ...rest] = pattern.split("*")
  return rest.length > 0 && rest.every((piece) => piece === "") && beginning.startsWith(literal)
}
