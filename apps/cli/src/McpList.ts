/** `mcp list`: the servers and their state. A server that failed, or a broken entry, is part of the answer. */
import { McpRegistry } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import { connected, settled } from "./Connected.ts"
import type { Options } from "./Options.ts"
import { Output } from "./Output.ts"
import { serverLines } from "./ServerLines.ts"

export const list = Effect.fnUntraced(function*(options: Options) {
  yield* connected(options, (backend, where) => backend.registry(where, options.serverLog), shown(options))
})

const shown = Effect.fnUntraced(function*(options: Options) {
  const output = yield* Output
  const registry = yield* McpRegistry
  yield* settled
  const servers = yield* registry.servers
  yield* options.json ? output.document({ servers }) : output.lines(serverLines(servers, output.paint))
})
