/** A registry of the recorded answers in /registry, unless another one is given; trials go as a test says. */
import { DataFolder } from "@boocode/chat-server/DataFolder"
import { EntryTrial } from "@boocode/chat-server/EntryTrial"
import { PublicRegistry } from "@boocode/chat-server/published/PublicRegistry"
import { Settings } from "@boocode/chat-server/Settings"
import { Environment } from "@boocode/mcp-config"
import { McpFetch } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"

interface Recorded {
  readonly files?: Layer.Layer<FileSystem.FileSystem>
  readonly trial?: typeof EntryTrial.Service.run
  readonly variables?: Readonly<Record<string, string>>
}

export const layer = ({ files, trial, variables = {} }: Recorded, given: string | null) => {
  const unreachable = () => Promise.reject(new TypeError("fetch failed"))
  const folder = Layer.mock(DataFolder, { folder: "/data" } as typeof DataFolder.Service)
  return Layer.mergeAll(
    PublicRegistry.layer(given).pipe(
      Layer.provide(Settings.layerValues({ registry: "file:/registry" })),
      Layer.provide([folder, McpFetch.layer(unreachable), Environment.layer(variables), Path.layer]),
      Layer.provide(files ?? FileSystem.layerNoop({}))
    ),
    Layer.succeed(EntryTrial, { run: trial ?? (() => Effect.die("no test tries an entry")) })
  )
}
