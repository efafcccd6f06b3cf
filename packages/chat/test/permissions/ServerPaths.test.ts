import type { AgentTool } from "@boocode/toolkit"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as PlatformError from "effect/PlatformError"
import type * as Schema from "effect/Schema"
import * as ServerPaths from "../../src/permissions/ServerPaths.ts"
import { mcpTool, registry, status, tool } from "../support/Scripted.ts"

const LINKS: Readonly<Record<string, string>> = {
  "/": "/",
  "/home": "/home",
  "/home/notes": "/etc",
  "/home/a": "/home/a"
}

const files = FileSystem.layerNoop({
  realPath: (path) =>
    LINKS[path] === undefined
      ? Effect.fail(PlatformError.systemError({ _tag: "NotFound", module: "FileSystem", method: "realPath" }))
      : Effect.succeed(LINKS[path])
})

const world = {
  servers: [status("files", "ready"), { ...status("far", "ready"), transport: "streamableHttp" as const }],
  tools: [],
  warnings: [],
  settled: Effect.void,
  call: () => Effect.die("not used")
}

const writes = (server: string): AgentTool => ({
  ...tool(`${server}_write`),
  listed: { ...mcpTool(server, "write"), target: { path: "path", read: "read" } }
})

const real = (one: AgentTool, args: Schema.JsonObject) =>
  Effect.flatMap(ServerPaths.make, (realOf) => realOf(one, args)).pipe(
    Effect.provide(Layer.mergeAll(files, Path.layer, registry(world)))
  )

describe("The real paths of calls", () => {
  it.effect("follow the links of an absolute path without steps up, also where the file is not there yet", () =>
    Effect.gen(function*() {
      const one = writes("files")
      assert.deepStrictEqual(yield* real(one, { path: "/home/a" }), { path: "/home/a" })
      assert.deepStrictEqual(yield* real(one, { path: "/home/notes/new/b" }), { path: "/etc/new/b" })
      assert.deepStrictEqual(yield* real(one, { path: "/home/a/../notes/b" }), { path: null })
    }))

  it.effect("are not known of relative paths, of servers elsewhere, and of tools without a target", () =>
    Effect.gen(function*() {
      assert.isUndefined(yield* real(writes("files"), { path: "home/a" }))
      assert.isUndefined(yield* real(writes("files"), { path: 1 }))
      assert.isUndefined(yield* real(writes("far"), { path: "/home/a" }))
      assert.isUndefined(yield* real(tool("files_read"), { path: "/home/a" }))
    }))

  it.effect("are what the tool tells where it tells them", () =>
    Effect.gen(function*() {
      const one = { ...writes("files"), real: () => Effect.succeed({ path: null }) }
      assert.deepStrictEqual(yield* real(one, { path: "/home/a" }), { path: null })
    }))
})
