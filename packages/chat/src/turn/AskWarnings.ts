/** Patterns that were meant to make calls ask, and can be about none. */
import { McpRegistry } from "@boocode/mcp-registry"
import { ToolGlob } from "@boocode/tool-glob"
import * as Effect from "effect/Effect"
import * as ServerContext from "./ServerContext.ts"

/**
 * Warnings about patterns over the names that models see: a name that nobody has, with the nearest, unless a server
 * that is not ready may bring it; a pattern that fits no tool of any server there is, whatever its tools are called.
 * `own` are the names of built-in tools. Answers at once.
 */
export const of = Effect.fnUntraced(function*(
  patterns: ReadonlyArray<string>,
  own: ReadonlyArray<string>
): Effect.fn.Return<ReadonlyArray<string>, never, McpRegistry> {
  const asking = patterns.filter((pattern) => !ToolGlob.isDenial(pattern))
  if (asking.length === 0) return []
  const registry = yield* McpRegistry
  const servers = yield* registry.servers
  const coming = servers.filter(({ state }) => state !== "ready")
  const names = asking.filter((pattern) => ToolGlob.isExact(pattern) && !mayBring(coming, pattern))
  const { warnings } = yield* registry.view(names, own)
  const wide = asking.filter((pattern) =>
    !ToolGlob.isExact(pattern) && !mayBring(servers, pattern) && !own.some((name) => ToolGlob.matches(pattern, name))
  )
  return [
    ...warnings,
    ...wide.map((pattern) => `${pattern} fits no tool of any server; names of tools begin with that of their server`)
  ]
})

const mayBring = (servers: ReadonlyArray<{ readonly name: string }>, pattern: string): boolean =>
  servers.some(({ name }) => ServerContext.mayUse([pattern], name))
