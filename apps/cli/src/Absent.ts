/** Servers that this command would have started itself, and that the running server does not have. */
import { McpConfig } from "@boocode/mcp-config"
import * as Effect from "effect/Effect"
import { Backend } from "./Backend.ts"
import { Output } from "./Output.ts"
import type { Place } from "./Place.ts"
import { oneLine } from "./PlainText.ts"
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
    const absent = servers.filter((server) => server.enabled && !server.needsApproval && !there.has(server.name))
    if (absent.length === 0) return
    const names = absent.map(({ name, source }) => `${oneLine(name)} (${oneLine(source)})`).join(", ")
    yield* Output.use(({ notes }) =>
      notes([`the running server does not have ${names}; with --local this command does`])
    )
  }).pipe(Effect.ignore)
