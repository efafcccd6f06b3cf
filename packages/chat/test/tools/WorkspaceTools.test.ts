import { ResultFiles } from "@boocode/toolkit"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import { WorkspaceTools } from "../../src/tools/WorkspaceTools.ts"
import * as MemoryFiles from "../support/MemoryFiles.ts"

const CANARY = "CANARY-4711"
const HANDLE = "result-00000000-0000-4000-8000-000000000000"

const call = (
  files: Parameters<typeof MemoryFiles.layer>[0],
  name: string,
  args: unknown,
  hooks: Parameters<typeof MemoryFiles.layer>[1] = {}
) =>
  Effect.gen(function*() {
    const { tools } = yield* WorkspaceTools
    const tool = tools.find((candidate) => candidate.name === name)
    if (tool === undefined) return assert.fail(`no tool ${name}`)
    return yield* tool.run(args)
  }).pipe(
    Effect.provide(
      WorkspaceTools.layer("/data/workspace").pipe(Layer.provide(Layer.mergeAll(
        MemoryFiles.layer(files, hooks),
        Path.layer,
        Layer.succeed(ResultFiles, {
          write: () => Effect.succeed(null),
          keep: () => Effect.succeed(null),
          read: (handle) => Effect.succeed(handle === HANDLE ? "kept one\nkept two" : null),
          bytes: () => Effect.succeed(null)
        })
      )))
    )
  )

const secretBeside = {
  "/data/mcp.json": `{"key":"${CANARY}"}`,
  "/data/state/token": CANARY,
  "/data/workspace/a.txt": "alpha\nbeta\n",
  "/data/workspace/docs/b.md": "Alpha again",
  "/data/workspace/config": MemoryFiles.link("/data/mcp.json"),
  "/data/workspace/up": MemoryFiles.link("/data"),
  "/data/workspace/docs/parent": MemoryFiles.link("/data/workspace/up"),
  "/data/workspace/inner": MemoryFiles.link("/data/workspace/docs"),
  "/data/workspace-other/secret": CANARY
}

describe("WorkspaceTools", () => {
  it.effect.each([
    { swapped: "/data/workspace/docs", target: "/data/state", path: "docs/b.md" },
    { swapped: "/data/workspace/docs/b.md", target: "/data/state/b.md", path: "docs/b.md" }
  ])(
    "reads nothing through $swapped when it becomes a link in the moment it is opened (Decision 15)",
    (race) =>
      Effect.gen(function*() {
        const files: Parameters<typeof MemoryFiles.layer>[0] = { ...secretBeside, "/data/state/b.md": CANARY }
        const before = files[race.swapped]
        const hooks = {
          before: () => void (files[race.swapped] = MemoryFiles.link(race.target)),
          after: () => {
            if (before === undefined) delete files[race.swapped]
            else files[race.swapped] = before
          }
        }
        for (const name of ["view_file", "grep"]) {
          const result = yield* call(files, name, { path: race.path, pattern: "C" }, hooks)
          assert.notInclude(JSON.stringify(result), CANARY)
        }
        assert.strictEqual((yield* call(files, "view_file", { path: race.path })).text, "Alpha again")
      })
  )

  it.effect("lists no folder that became a link while it was listed (Decision 15)", () =>
    Effect.gen(function*() {
      const files: Parameters<typeof MemoryFiles.layer>[0] = { ...secretBeside }
      const before = () => void (files["/data/workspace/docs"] = MemoryFiles.link("/data/state"))
      const result = yield* call(files, "list_dir", { path: "docs" }, { before })
      assert.isTrue(result.isError)
      assert.notInclude(result.text, "token")
    }))

  it.effect("never reads what lies beside the workspace, whatever the path (Decision 15)", () =>
    Effect.gen(function*() {
      const paths = [
        "../mcp.json",
        "docs/../../mcp.json",
        "/data/mcp.json",
        "/data/workspace/../mcp.json",
        "config",
        "up/mcp.json",
        "up/state/token",
        "docs/parent/mcp.json",
        "inner/../../mcp.json",
        "../workspace-other/secret",
        "/data/workspace-other/secret",
        "..",
        "/",
        "up",
        "./up/./",
        "config\0.txt",
        "....//mcp.json",
        "%2e%2e/mcp.json",
        "..\\mcp.json",
        "file:///data/mcp.json"
      ]
      for (const path of paths) {
        for (
          const [name, args] of [
            ["view_file", { path }],
            ["list_dir", { path }],
            ["grep", { pattern: "CANARY", path }],
            ["grep", { pattern: ".*", regex: true, path }]
          ] as const
        ) {
          const result = yield* call(secretBeside, name, args)
          assert.isTrue(result.isError, `${name} ${path}: ${result.text}`)
          assert.notInclude(JSON.stringify(result), CANARY)
          assert.notInclude(JSON.stringify(result), "mcp.json (")
        }
      }
      for (const args of [{ pattern: "CANARY" }, { pattern: "C.*1", regex: true }, { pattern: "key", path: "." }]) {
        const result = yield* call(secretBeside, "grep", args)
        assert.match(result.text, /^no match in 2 files$/)
      }
    }))

  it.effect("says nothing about whether a file outside exists", () =>
    Effect.gen(function*() {
      const there = yield* call(secretBeside, "view_file", { path: "../mcp.json" })
      const absent = yield* call(secretBeside, "view_file", { path: "../none.json" })
      assert.strictEqual(there.text.replace("mcp", "x"), absent.text.replace("none", "x"))
    }))

  it.effect("reads files by relative and absolute paths and through links that stay inside", () =>
    Effect.gen(function*() {
      for (const path of ["a.txt", "./a.txt", "/data/workspace/a.txt", "docs/../a.txt"]) {
        assert.strictEqual((yield* call(secretBeside, "view_file", { path })).text, "alpha\nbeta")
      }
      assert.strictEqual((yield* call(secretBeside, "view_file", { path: "inner/b.md" })).text, "Alpha again")
    }))

  it.effect("works when the workspace is itself behind a link", () =>
    Effect.gen(function*() {
      const files = {
        "/data/workspace": MemoryFiles.link("/srv/real"),
        "/srv/real/a.txt": "inside",
        "/srv/secret": CANARY
      }
      assert.strictEqual((yield* call(files, "view_file", { path: "a.txt" })).text, "inside")
      assert.strictEqual((yield* call(files, "view_file", { path: "/srv/real/a.txt" })).text, "inside")
      assert.isTrue((yield* call(files, "view_file", { path: "/srv/secret" })).isError)
    }))

  it.effect("shows a long file in parts that together are the whole", () =>
    Effect.gen(function*() {
      const text = Array.from({ length: 2500 }, (_, index) => `line ${index} ${"é".repeat(20)}`).join("\n") +
        `\n${"😀x".repeat(9000)}`
      let offset: number | undefined = 1
      let whole = ""
      while (offset !== undefined) {
        const result: { readonly text: string } = yield* call({ "/data/workspace/long": text }, "view_file", {
          path: "long",
          offset
        })
        assert.isAtMost(new TextEncoder().encode(result.text).length, 50_200)
        const [, shown, next] =
          /^([^]*?)(?:\n\[lines \d+ to \d+ of \d+; go on with offset (\d+)\])?$/.exec(result.text) ?? []
        whole += `${shown}\n`
        offset = next === undefined ? undefined : Number(next)
      }
      assert.strictEqual(whole.replaceAll("\n", ""), text.replaceAll("\n", ""))
      assert.notInclude(whole, "\uFFFD")
    }))

  it.effect("names binary files, folders and absent files as such", () =>
    Effect.gen(function*() {
      const files = {
        "/data/workspace/image.png": new Uint8Array([137, 80, 78, 71, 0, 1]),
        "/data/workspace/latin1.txt": new Uint8Array([0x63, 0x61, 0x66, 0xe9]),
        "/data/workspace/docs/a": "a",
        "/data/workspace/empty": ""
      }
      const view = (path: string) => Effect.map(call(files, "view_file", { path }), ({ text }) => text)
      assert.strictEqual(yield* view("image.png"), "view_file: image.png is a binary file of 6 bytes")
      assert.match(yield* view("latin1.txt"), /is a binary file of 4 bytes/)
      assert.match(yield* view("docs"), /docs is a folder; list it with list_dir/)
      assert.match(yield* view("none"), /none does not exist in the workspace/)
      assert.strictEqual(yield* view("empty"), "(the file is empty)")
      assert.match((yield* call({}, "list_dir", {})).text, /the workspace folder does not exist/)
    }))

  it.effect("reads the whole of a long result by its handle, and no other handle", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* call({}, "view_file", { path: HANDLE, offset: 2 })).text, "kept two")
      const other = yield* call({}, "view_file", { path: HANDLE.replace("4000", "4001") })
      assert.isTrue(other.isError)
      assert.match(other.text, /nothing is kept as/)
    }))

  it.effect("lists a folder in the order of names and says what leads out", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual((yield* call(secretBeside, "list_dir", {})).text.split("\n"), [
        "a.txt (11 bytes)",
        "config (leads out of the workspace, or cannot be read)",
        "docs/",
        "inner/",
        "up (leads out of the workspace, or cannot be read)"
      ])
      assert.match((yield* call(secretBeside, "list_dir", { path: "a.txt" })).text, /not a folder/)
      const many = Object.fromEntries(Array.from({ length: 1002 }, (_, n) => [`/data/workspace/f${n}`, ""]))
      assert.match((yield* call(many, "list_dir", null)).text, /\[2 of 1002 entries are left out\]$/)
    }))

  it.effect("searches text as it stands, or as a regular expression when asked", () =>
    Effect.gen(function*() {
      const files = {
        "/data/workspace/a.ts": "f(x)\ng.h\nG.H",
        "/data/workspace/b/c.ts": "g_h",
        "/data/workspace/node_modules/d.ts": "g.h",
        "/data/workspace/e.bin": new Uint8Array([0x67, 0x2e, 0x68, 0])
      }
      const grep = (args: object) => Effect.map(call(files, "grep", args), ({ text }) => text)
      assert.strictEqual(yield* grep({ pattern: "g.h" }), "a.ts:2: g.h")
      assert.strictEqual(yield* grep({ pattern: "f(x" }), "a.ts:1: f(x)")
      assert.strictEqual(yield* grep({ pattern: "g.h", ignoreCase: true }), "a.ts:2: g.h\na.ts:3: G.H")
      assert.strictEqual(yield* grep({ pattern: "g.h", regex: true }), "a.ts:2: g.h\nb/c.ts:1: g_h")
      assert.strictEqual(yield* grep({ pattern: "g", path: "b" }), "b/c.ts:1: g_h")
      assert.strictEqual(yield* grep({ pattern: "g.h", path: "node_modules" }), "node_modules/d.ts:1: g.h")
      const wrong = yield* call(files, "grep", { pattern: "f(x", regex: true })
      assert.isTrue(wrong.isError)
      assert.match(wrong.text, /^grep: the regular expression cannot be used: error parsing regexp: .*missing/)
    }))

  it.effect("ends a search whose pattern would hold the server up, and bounds what it shows", () =>
    Effect.gen(function*() {
      const files = { "/data/workspace/a": `${"a".repeat(9000)}\n${"x".repeat(2000)}\n`.repeat(10) }
      const hostile = yield* call(files, "grep", { pattern: "(a+)+$b", regex: true })
      assert.match(hostile.text, /^no match in 1 file$/)
      const long = yield* call(files, "grep", { pattern: "x" })
      assert.isTrue(long.text.split("\n").every((line) => line.length < 450))
      const many = yield* call({ "/data/workspace/a": "y\n".repeat(500) }, "grep", { pattern: "y" })
      assert.strictEqual(many.text.split("\n").length, 201)
      assert.match(many.text, /\[only the first 200 matches are shown\]$/)
      const large = yield* call({ "/data/workspace/a": "y".repeat(2_000_001) }, "grep", { pattern: "y" })
      assert.match(large.text, /files of more than 2000000 bytes were left out/)
    }))

  it.effect("answers wrong arguments with an error result that says what is wrong (R32)", () =>
    Effect.gen(function*() {
      for (
        const [args, words] of [
          [undefined, /wrong arguments: .*path/],
          [{ path: 7 }, /wrong arguments: .*path/],
          [{ path: "a.txt", offset: 0 }, /wrong arguments: .*offset/],
          ["{\"path\": }", /not JSON at line 1, column 10/],
          [[1], /expected a JSON object, got an array/]
        ] as const
      ) {
        const result = yield* call(secretBeside, "view_file", args)
        assert.isTrue(result.isError)
        assert.match(result.text, words)
      }
      assert.strictEqual(
        (yield* call(secretBeside, "view_file", "{\"path\":\"a.txt\",\"limit\":1}")).text.split("\n")[0],
        "alpha"
      )
    }))
})
