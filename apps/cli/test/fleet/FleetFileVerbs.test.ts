import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { boocode, json } from "../support/Scripted.ts"

describe("The configuration of a fleet on the command line", () => {
  it.effect("tells which files were brought in and which were the same", () =>
    Effect.gen(function*() {
      const { stdout } = yield* boocode(["fleet", "import"])
      assert.strictEqual(stdout, "written  mcp.json\n1 file written, 1 the same as before\n")
    }))

  it.effect("tells which files were written into the folder", () =>
    Effect.gen(function*() {
      const { stdout } = yield* boocode(["fleet", "export", "/out"])
      assert.strictEqual(stdout, "written  /out/mcp.json\n1 file in /out\n")
    }))

  it.effect("tells which version is the newest one after an older one was restored", () =>
    Effect.gen(function*() {
      const { stdout } = yield* boocode(["fleet", "restore", "mcp.json", "3"])
      assert.strictEqual(stdout, "mcp.json is as it was in version 3, which is version 5 now\n")
      const told = yield* boocode(["fleet", "restore", "mcp.json", "3", "--json"])
      assert.deepInclude(json(told.stdout), { name: "mcp.json", restored: 3, version: 5 })
    }))

  it.effect("lists versions with who made them, for people and for programs", () =>
    Effect.gen(function*() {
      const { stdout } = yield* boocode(["fleet", "history"])
      assert.match(stdout, /^ *agents\/old\.md 2 .*, removed by 10\.0\.0\.7:4267\n$/)
      const told = yield* boocode(["fleet", "history", "mcp.json", "--json"])
      assert.deepInclude(json(told.stdout), {
        versions: [{ name: "mcp.json", version: 2, removed: false, by: "10.0.0.7:4267", at: "2026-11-24T10:00:00Z" }]
      })
    }))
})
