/**
 * The workspace, as servers are told of it: the folder to work in where their entries name none.
 */
import type { ServerRequests } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import * as Stream from "effect/Stream"
import { DataFolder } from "./DataFolder.ts"

/** It is another one only in another run of the program. */
export const roots = Effect.gen(function*() {
  const { workspace } = yield* DataFolder
  const path = yield* Path.Path
  const uri = yield* Effect.orDie(path.toFileUrl(path.resolve(workspace)))
  const roots: typeof ServerRequests.Service["roots"] = {
    current: Effect.succeed([{ uri: uri.href, name: "workspace" }]),
    changes: Stream.empty
  }
  return roots
})
