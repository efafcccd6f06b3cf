/**
 * Whose resources an agent may use: its patterns decide by a name of their own.
 */
import { McpRegistry, type ServerStatus, ToolName } from "@boocode/mcp-registry"
import { ToolGlob } from "@boocode/tool-glob"
import * as Effect from "effect/Effect"

/** Those of an agent; null allows every tool. @category models */
export type Patterns = ReadonlyArray<string> | null

/** A server, and the name under which patterns speak of its resources: `web_resources` of `web`. @category models */
export interface Access {
  readonly status: ServerStatus
  readonly name: string
}

/**
 * The servers whose resources the patterns allow, whatever state they are in, sorted by name. Answers at once.
 *
 * @category reading
 */
export const of = Effect.fnUntraced(function*(
  patterns: Patterns
): Effect.fn.Return<ReadonlyArray<Access>, never, McpRegistry> {
  const glob = ToolGlob.compile(patterns ?? ["*"])
  return (yield* all).filter(({ name }) => glob.allows(name))
})

/** The same of every server. @category reading */
export const all: Effect.Effect<ReadonlyArray<Access>, never, McpRegistry> = Effect.map(
  McpRegistry.use((registry) => registry.servers),
  (statuses) => {
    const names = statuses.map(({ name }) => name)
    return statuses.flatMap((status) =>
      [...ToolName.assign(status.name, ["resources"], names).values()].map((name) => ({ status, name }))
    )
  }
)

/** Whether a server has declared resources, in this connection or an earlier one. @category predicates */
export const hasResources = ({ status: { capabilities } }: Access): boolean => capabilities?.resources === true

/**
 * Whose words an answer of one of the tools holds; null when it holds nobody's.
 *
 * @category reading
 */
export const originOf = (servers: ReadonlyArray<string>, access: ReadonlyArray<Access>, tool: string) => {
  const isTrusted = access.every(({ status }) => status.isTrusted || !servers.includes(status.name))
  return servers.length === 0 ? null : { server: [...new Set(servers)].sort().join(", "), tool, isTrusted }
}
