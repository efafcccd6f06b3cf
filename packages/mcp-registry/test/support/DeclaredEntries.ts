/** Entries of files as the tests of trust need them. */
import { type ConfiguredServer, type DeclaredEntry, Environment, McpConfig } from "@boocode/mcp-config"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as MemoryDisk from "../../../mcp-client/test/support/MemoryDisk.ts"

type Disk = ReturnType<typeof MemoryDisk.make>

/** The entries of `/repo/.mcp.json`, or of another file of a project, or of `/data/mcp.json`, as they are read. */
export const configured = (disk: Disk, scopes: { readonly project?: string; readonly data?: string }) =>
  McpConfig.use(({ current }) => current).pipe(
    Effect.map(({ servers }) => servers),
    Effect.provide(
      McpConfig.layerScopes({ dataFile: scopes.data ?? null, projectFrom: scopes.project ?? null, home: null }).pipe(
        Layer.provide(disk.layer),
        Layer.provide(Environment.layer({ HOST_SECRET: "canary-of-the-host" }))
      )
    )
  )

/** One server of a project in `folder` with this entry. */
export const inProject = Effect.fnUntraced(function*(
  disk: Disk,
  entry: object,
  folder = "/repo",
  name = "it"
): Effect.fn.Return<ConfiguredServer> {
  disk.files.set(`${folder}/.mcp.json`, JSON.stringify({ mcpServers: { [name]: entry } }))
  const [server] = yield* configured(disk, { project: folder })
  return server ?? (yield* Effect.die("there is no server"))
})

/** One server of one's own data file with this entry. */
export const ofOwn = Effect.fnUntraced(function*(disk: Disk, entry: object): Effect.fn.Return<ConfiguredServer> {
  disk.files.set("/data/mcp.json", JSON.stringify({ mcpServers: { it: entry } }))
  const [server] = yield* configured(disk, { data: "/data/mcp.json" })
  return server ?? (yield* Effect.die("there is no server"))
})

/** What the file says of a server. */
export const declaredOf = ({ declared }: ConfiguredServer): Effect.Effect<DeclaredEntry> =>
  declared === undefined ? Effect.die("nothing is declared") : Effect.succeed(declared)
