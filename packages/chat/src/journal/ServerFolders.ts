/** Where on this machine the server of a tool may be at home. */
import type { McpTool } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Redacted from "effect/Redacted"

/** The target of a tool: where it writes, as the entry and the server say. */
export type Target = NonNullable<McpTool["target"]>

/** The real folders at which a relative path of the tool may begin, its own folder first; none for a server elsewhere. */
export const of = Effect.fnUntraced(function*(
  { folders = [] }: Target
): Effect.fn.Return<ReadonlyArray<string>, never, FileSystem.FileSystem | Path.Path> {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const [home, ...others] = folders.map(Redacted.value)
  if (home === undefined) return []
  const real = (folder: string) =>
    Effect.gen(function*() {
      const at = yield* fs.realPath(folder)
      return (yield* fs.stat(at)).type === "Directory" ? [at] : []
    }).pipe(Effect.orElseSucceed(() => []))
  const found = yield* Effect.forEach([home, ...others.map((other) => path.resolve(home, other))], real)
  return [...new Set(found.flat())]
})
