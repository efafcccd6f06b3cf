/** The servers of this person's files that a running server does not have. */
import { McpConfig } from "@boocode/mcp-config"
import * as Effect from "effect/Effect"
import type { DataLocation } from "../options/DataLocation.ts"
import { oneLine, Output } from "../terminal/Output.ts"
import * as ApprovalStatus from "./ApprovalStatus.ts"
import { Backend } from "./Backend.ts"
import { Servers } from "./Servers.ts"

/**
 * Names them in one line on standard error: a server reads only its data file, a person at a terminal also has files of a
 * project and of their own. Leaves out rejected servers. Files that cannot be read are not reported here.
 */
export const tell = (where: DataLocation) =>
  Effect.gen(function*() {
    const { config } = yield* Backend
    const { servers } = yield* Effect.provide(Effect.flatMap(McpConfig, ({ current }) => current), config(where))
    const present = new Set((yield* (yield* Servers).all).map(({ name }) => name))
    const missing = servers.filter((server) => server.enabled && !present.has(server.name))
    const names = yield* Effect.forEach(
      missing,
      Effect.fnUntraced(function*(server) {
        const status = yield* ApprovalStatus.kept(where, server)
        if (status?.decision === "rejected") return []
        const waits = server.needsApproval && status?.decision !== "approved" ? ", needs approval" : ""
        return [`${oneLine(server.name)} (${oneLine(server.source)}${waits})`]
      })
    )
    if (names.flat().length === 0) return
    yield* Output.use(({ notes }) =>
      notes([`the running server does not have ${names.flat().join(", ")}; with --local this command does`])
    )
  }).pipe(Effect.ignore)
