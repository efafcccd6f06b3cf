import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as PlatformError from "effect/PlatformError"
import { boocode, json } from "../support/Scripted.ts"

const NAMES = ["mcp.json", "AGENTS.md", "settings.json", ".env.example", ".gitignore", "workspace/README.md"]

const refused = (_tag: "AlreadyExists" | "PermissionDenied", path: string) =>
  Effect.fail(PlatformError.systemError({ _tag, module: "FileSystem", method: "open", pathOrDescriptor: path }))

/** Files held in memory that can only be made, never written over. */
const disk = (texts: Map<string, string>, isReadOnly = false) =>
  FileSystem.layerNoop({
    makeDirectory: (path) => isReadOnly ? refused("PermissionDenied", path) : Effect.void,
    writeFileString: (path, text, options) =>
      texts.has(path) || options?.flag !== "wx"
        ? refused("AlreadyExists", path)
        : Effect.sync(() => void texts.set(path, text))
  })

describe("init", () => {
  it.effect("writes a data folder where the person stands, and says what to do next", () =>
    Effect.gen(function*() {
      const texts = new Map<string, string>()
      const ended = yield* boocode(["init"], { files: disk(texts), variables: { INIT_CWD: "/here" } })
      assert.strictEqual(ended.code, 0, ended.stderr)
      assert.sameMembers([...texts.keys()], NAMES.map((name) => `/here/data/${name}`))
      assert.deepStrictEqual(ended.stdout.split("\n"), [
        "/here/data",
        ...NAMES.map((name) => `  written  ${name}`),
        "next: boocode serve --data data",
        ""
      ])
    }))

  it.effect("writes it into the folder that is named, or that --data names", () =>
    Effect.gen(function*() {
      for (const args of [["init", "/x"], ["init", "--data", "/x"], ["init", "/x", "--data", "/y"]]) {
        const texts = new Map<string, string>()
        yield* boocode(args, { files: disk(texts) })
        assert.isTrue(texts.has("/x/mcp.json"), args.join(" "))
      }
    }))

  it.effect("leaves every file that is there as it is, and says so", () =>
    Effect.gen(function*() {
      const texts = new Map([["/x/mcp.json", "mine"], ["/x/.env.example", ""]])
      const ended = yield* boocode(["init", "/x", "--json"], { files: disk(texts) })
      assert.strictEqual(texts.get("/x/mcp.json"), "mine")
      assert.strictEqual(texts.get("/x/.env.example"), "")
      assert.deepStrictEqual(json(ended.stdout), {
        folder: "/x",
        written: ["AGENTS.md", "settings.json", ".gitignore", "workspace/README.md"],
        kept: ["mcp.json", ".env.example"]
      })
    }))

  it.effect("keeps .env out of a repository", () =>
    Effect.gen(function*() {
      const texts = new Map<string, string>()
      yield* boocode(["init", "/x"], { files: disk(texts) })
      assert.strictEqual(texts.get("/x/.gitignore"), ".env\n")
      assert.notMatch(texts.get("/x/.env.example") ?? "", /^[^#\n]/m)
    }))

  it.effect("says which folder it cannot write to", () =>
    Effect.gen(function*() {
      const ended = yield* boocode(["init", "/x", "--json"], { files: disk(new Map(), true) })
      assert.strictEqual(ended.code, 1)
      assert.match(Object(json(ended.stdout)).error.message, /^\/x cannot be made a data folder: /)
      assert.include(Object(json(ended.stdout)).error.hint, "boocode init DIR")
    }))

  it.effect("prints a next command that a shell understands", () =>
    Effect.gen(function*() {
      const ended = yield* boocode(["init", "my data"], { files: disk(new Map()) })
      assert.include(ended.stdout, "boocode serve --data 'my data'")
    }))
})
