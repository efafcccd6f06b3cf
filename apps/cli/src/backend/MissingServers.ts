/** Servers that this command would have started itself, and that the running server does not have. */
import { type ConfiguredServer, McpConfig } from "@boocode/mcp-config"
import * as Effect from "effect/Effect"
import type { Place } from "../options/Place.ts"
import { oneLine, Output } from "../terminal/Output.ts"
import * as ApprovalStatus from "./ApprovalStatus.ts"
import { Backend } from "./Backend.ts"
import { Servers } from "./Servers.ts"

/**
 * Names them in one line on standard error: a server reads its data file alone, a person at a terminal has files for a
 * project and of their own. What is wrong with those files is not the point here.
 */
export const told = (where: Place) =>
  Effect.gen(function*() {
    const { config } = yield* Backend
    const { servers } = yield* Effect.provide(Effect.flatMap(McpConfig, ({ current }) => current), config(where))
    const there = new Set((yield* (yield* Servers).all).map(({ name }) => name))
    const absent = servers.filter((server) => server.enabled && !there.has(server.name))
    const names = (yield* Effect.forEach(absent, (server) => named(where, server))).flat()
    if (names.length === 0) return
    yield* Output.use(({ notes }) =>
      notes([`the running server does not have ${names.join(", ")}; with --local this command does`])
    )
  }).pipe(Effect.ignore)

/** Nobody misses what was rejected. */
const named = Effect.fnUntraced(function*(where: Place, server: ConfiguredServer) {
  const standing = yield* ApprovalStatus.kept(where, server)
  if (standing?.decision === "rejected") return []
  const waits = server.needsApproval && standing?.decision !== "approved" ? ", needs approval" : ""
  return [`${oneLine(server.name)} (${oneLine(server.source)}${waits})`]
})
