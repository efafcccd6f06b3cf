import type { AgentTool } from "@boocode/toolkit"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Redacted from "effect/Redacted"
import type * as Schema from "effect/Schema"
import * as ServerPaths from "../../src/permissions/ServerPaths.ts"
import * as MemoryFiles from "../support/MemoryFiles.ts"
import { mcpTool, tool } from "../support/Scripted.ts"

const files = MemoryFiles.layer({
  "/etc": MemoryFiles.FOLDER,
  "/home/a": "a",
  "/home/notes": MemoryFiles.link("/etc"),
  "/home/docs/near": MemoryFiles.link("/home/docs/deep"),
  "/home/docs/deep": MemoryFiles.FOLDER,
  "/home/docs/far": MemoryFiles.link("/etc")
})

/** It runs in `/home` and was started with `docs`; `far` is elsewhere. */
const writes = (server: string): AgentTool => {
  const home = server === "far" ? {} : { folders: ["/home", "docs", "a"].map((one) => Redacted.make(one)) }
  return {
    ...tool(`${server}_write`),
    listed: { ...mcpTool(server, "write"), target: { path: "path", read: "read", ...home } }
  }
}

const real = (one: AgentTool, args: Schema.JsonObject) =>
  Effect.flatMap(ServerPaths.make, (realOf) => realOf(one, args)).pipe(
    Effect.provide(Layer.mergeAll(files, Path.layer))
  )

describe("The real paths of calls", () => {
  it.effect("follow the links of an absolute path without steps up, also where the file is not there yet", () =>
    Effect.gen(function*() {
      const one = writes("files")
      assert.deepStrictEqual(yield* real(one, { path: "/home/a" }), { path: "/home/a" })
      assert.deepStrictEqual(yield* real(one, { path: "/home/notes/new/b" }), { path: "/etc/new/b" })
      assert.deepStrictEqual(yield* real(one, { path: "/home/a/../notes/b" }), { path: null })
    }))

  it.effect("follow the links of a relative path in every folder of the server, and stay relative where they stay there", () =>
    Effect.gen(function*() {
      const paths = ["a", "./x/y/", "docs/near/b", "near/b", "far/b", "notes", "notes/b", "docs/far/b", "../etc/a"]
      const found = yield* Effect.forEach(paths, (path) => real(writes("files"), { path }))
      assert.deepStrictEqual(
        found.map((each) => each?.["path"]),
        ["a", "x/y", "docs/deep/b", "deep/b", "/etc/b", "/etc", "/etc/b", "/etc/b", null]
      )
    }))

  it.effect("are not known of servers elsewhere, and of tools without a target", () =>
    Effect.gen(function*() {
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
