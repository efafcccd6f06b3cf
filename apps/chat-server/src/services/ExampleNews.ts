/** News about the examples of permissions, in the log: they are run at the start and after each change of a file. */
import { PermissionReport, type WorkspaceTools } from "@boocode/chat"
import { McpRegistries, McpRegistry } from "@boocode/mcp-registry"
import { type PermissionContent, Permissions } from "@boocode/toolkit"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"

/**
 * Logs each example that comes out in another way, or that nobody can run, when that is first so and again when it has
 * become so again. Waits for the servers before, as the tools of the examples are theirs.
 */
export const layer: Layer.Layer<never, never, McpRegistries | Permissions | WorkspaceTools> = Layer.effectDiscard(
  Effect.gen(function*() {
    const permissions = yield* Permissions
    const { shared: registry } = yield* McpRegistries
    let told: ReadonlySet<string> = new Set()
    const tell = Effect.fnUntraced(function*(contents: ReadonlyArray<PermissionContent>) {
      if (contents.some(({ examples }) => examples.length > 0)) yield* registry.settled
      const { failed } = yield* Effect.provideService(PermissionReport.examples(contents), McpRegistry, registry)
      const lines = failed.map(inWords)
      const news = lines.filter((line) => !told.has(line))
      told = new Set(lines)
      for (const line of news) yield* Effect.logWarning(line)
    })
    yield* Effect.forkScoped(Stream.runForEach(permissions.changes, tell))
  })
)

const inWords = ({ expect, outcome, source, tool, why }: PermissionReport.ExampleReport["failed"][number]): string =>
  outcome === null
    ? `${source}: the example of ${tool} cannot be run: ${why}`
    : `${source}: the example of ${tool} expects ${expect} and comes out as ${outcome}, because ${why}`
