/** Errors of the services with what a person at a terminal can do about them. */
import { Agents, type UnknownAgent } from "@boocode/chat"
import { type McpError, McpRegistry } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import { Failed, failed } from "./Failure.ts"

/** A server that is not ready is told with its own hint: the command can neither start nor restart it. */
export const mcpError = Effect.fnUntraced(function*(error: McpError, timeout: "given" | "takable" | "none" = "none") {
  const told = failed(error)
  const hint = error.reason._tag === "NotReady"
    ? yield* ownHint(error.server)
    : error.reason._tag === "CallTimeout" && error.reason.limit === "timeout"
    ? timeoutHint(error.hint, timeout)
    : null
  return yield* hint === null ? told : new Failed({ tag: told.tag, message: told.message, hint })
})

const timeoutHint = (hint: string, timeout: "given" | "takable" | "none"): string | null => {
  if (timeout === "none") return null
  return timeout === "given" ? "give a longer --timeout" : `${hint}, or give --timeout`
}

const ownHint = Effect.fnUntraced(function*(name: string | null) {
  const servers = yield* McpRegistry.use((registry) => registry.servers)
  const server = servers.find((one) => one.name === name)
  if (server?.error) return server.error.hint
  return server?.state === "disabled"
    ? `enable it in ${server.source}`
    : "boocode mcp list shows the state of every server"
})

/** No agent of that name: those there are. */
export const unknownAgent = Effect.fnUntraced(function*(error: UnknownAgent) {
  const told = failed(error)
  if (error.problem !== null || error.nearest.length > 0) return yield* told
  const { agents } = yield* Agents.use(({ list }) => list)
  const hint = `there are ${agents.map(({ name }) => name).join(", ")}`
  return yield* new Failed({ tag: told.tag, message: told.message, hint })
})
