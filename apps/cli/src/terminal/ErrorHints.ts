/** Errors of the services, with hints for a person at a terminal. */
import { Agents } from "@boocode/chat/Agents"
import type { UnknownAgent } from "@boocode/chat/ChatError"
import { CurrentUser, FIRST } from "@boocode/chat/CurrentUser"
import { Nearest } from "@boocode/mcp-config"
import { McpError, McpErrors, McpRegistry, type ServerStatus } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import { Failed, failed, withHint } from "./Failure.ts"

/** A server that is not ready has its own hint. `timeout` says whether the verb has `--timeout`, and whether it was given. */
export const mcpError = Effect.fnUntraced(function*(error: McpError, timeout: "given" | "takable" | "none" = "none") {
  const told = failed(error)
  const hint = error.reason._tag === "NotReady"
    ? yield* ownHint(error.server)
    : error.reason._tag === "CallTimeout" && error.reason.limit === "timeout" && timeout !== "none"
    ? timeoutHint(error.hint, timeout === "given")
    : null
  return yield* hint === null ? told : withHint(told, hint)
})

/** The hint for a tool that was silent for too long. */
export const timeoutHint = (hint: string, isGiven: boolean): string =>
  isGiven ? "give a longer --timeout" : `${hint}, or give --timeout`

const ownHint = Effect.fnUntraced(function*(name: string | null) {
  const servers = yield* McpRegistry.use((registry) => registry.servers)
  return serverHint(servers.find((one) => one.name === name))
})

/** The hint for a server that is not ready. */
export const serverHint = (server: ServerStatus | undefined): string => {
  if (server?.error) return server.error.hint
  if (server?.state === "disabled") return `enable it in ${server.source}`
  return server?.state === "stopped"
    ? `boocode mcp start ${server.name} starts it`
    : "boocode mcp list shows the state of every server"
}

/** A verb was asked about one server, which is not ready. */
export const notReady = (server: ServerStatus): Failed => {
  const reason = new McpErrors.NotReady({ state: server.state, why: server.error?.message ?? null })
  const { message } = new McpError({ server: server.name, reason })
  return new Failed({ tag: reason._tag, message, hint: serverHint(server), where: { server: server.name } })
}

/** No server has this name; tells the nearest. */
export const unknownServer = (name: string, names: ReadonlyArray<string>): Failed =>
  failed(new McpErrors.UnknownServer({ name, nearest: Nearest.nearest(name, names) }))

/** No agent has this name; tells the agents there are, unless one is near. */
export const unknownAgent = Effect.fnUntraced(function*(error: UnknownAgent) {
  const told = failed(error)
  if (error.problem !== null || error.nearest.length > 0) return yield* told
  return yield* noAgent(told, (yield* Effect.provideService(Agents.use(({ list }) => list), CurrentUser, FIRST)).agents)
})

export const noAgent = (told: Failed, agents: ReadonlyArray<{ readonly name: string }>): Failed =>
  withHint(told, `there are ${agents.map(({ name }) => name).join(", ")}`)
