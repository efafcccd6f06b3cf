import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { WorkspaceTools } from "../../src/tools/WorkspaceTools.ts"
import * as MemoryFiles from "../support/MemoryFiles.ts"
import { call, done, type Files, inside, layer, STATE, textAt, tool, WORKSPACE } from "../support/Writing.ts"

const CANARY = "CANARY-4711"

const secretBeside = (): Files => ({
  "/data/mcp.json": CANARY,
  "/data/state/token": CANARY,
  [`${WORKSPACE}/a.txt`]: "alpha\nbeta\n",
  [`${WORKSPACE}/docs/b.md`]: "Alpha again",
  [`${WORKSPACE}/config`]: MemoryFiles.link("/data/mcp.json"),
  [`${WORKSPACE}/up`]: MemoryFiles.link("/data"),
  [`${WORKSPACE}/docs/parent`]: MemoryFiles.link(`${WORKSPACE}/up`),
  [`${WORKSPACE}/inner`]: MemoryFiles.link(`${WORKSPACE}/docs`),
  [`${WORKSPACE}/gone`]: MemoryFiles.link("/data/not-there"),
  [`${WORKSPACE}/.git/config`]: "[core]",
  [`${WORKSPACE}/.boocode/bin/kept`]: CANARY,
  "/data/workspace-other/secret": CANARY
})

const outside = [
  "../mcp.json",
  "../new.txt",
  "docs/../../mcp.json",
  "/data/mcp.json",
  "/etc/new",
  "config",
  "gone",
  "gone/new.txt",
  "up/mcp.json",
  "up/new.txt",
  "up/new/deep.txt",
  "up/state/token",
  "docs/parent/mcp.json",
  "inner/../../mcp.json",
  "../workspace-other/secret",
  "..",
  "/",
  ".",
  "",
  WORKSPACE,
  "a\0.txt",
  ".git/hooks/pre-commit",
  ".boocode/bin/kept",
  ".BooCode/bin/new",
  "docs/.GIT/config"
]

/** `docs` becomes a link to a folder outside. */
const swap = (files: Files): void => {
  delete files[`${WORKSPACE}/docs/b.md`]
  files[`${WORKSPACE}/docs`] = MemoryFiles.link("/data/state")
}

/** Everything that a disk holds beside the state folder. */
const held = (files: Files) => Object.entries(files).filter(([path]) => !path.startsWith(STATE))

describe("WritingTools", () => {
  it.effect("are no tools of a program that has nothing to undo them by", () =>
    Effect.gen(function*() {
      const { tools, writers } = yield* WorkspaceTools
      assert.deepStrictEqual(tools.map(({ name }) => name), ["grep", "list_dir", "view_file"])
      assert.deepStrictEqual(tools.map((one) => one.class), ["reads", "reads", "reads"])
      assert.deepStrictEqual(writers.map((one) => `${one.name} ${one.class}`), [
        "delete destroys",
        "edit_file writes",
        "make_dir writes",
        "move writes",
        "write_file writes"
      ])
      const plain = yield* Effect.provide(WorkspaceTools, WorkspaceTools.layer(WORKSPACE))
      assert.deepStrictEqual(plain.writers, [])
    }).pipe(Effect.provide(layer(secretBeside()))))

  it.effect("change nothing beside the workspace, nothing of Git and no link, whatever the path (Decision 15)", () =>
    Effect.gen(function*() {
      const files = secretBeside()
      const before = JSON.stringify(held(files))
      yield* Effect.gen(function*() {
        for (const path of outside) {
          for (
            const [name, args] of [
              ["write_file", { path, content: "x" }],
              ["edit_file", { path, oldText: CANARY, newText: "x" }],
              ["make_dir", { path }],
              ["move", { from: "a.txt", to: path }],
              ["move", { from: path, to: "stolen" }],
              ["delete", { path }]
            ] as const
          ) {
            const result = yield* call(name, args)
            assert.isTrue(result.isError, `${name} ${path}: ${result.text}`)
            assert.isNull(result.undo)
            assert.notInclude(result.text, CANARY)
            assert.strictEqual(JSON.stringify(held(files)), before, `${name} ${path}`)
          }
        }
      }).pipe(Effect.provide(layer(files)))
    }))

  it.effect("say nothing about whether a file outside exists", () =>
    Effect.gen(function*() {
      const there = yield* call("write_file", { path: "../mcp.json", content: "" })
      const absent = yield* call("write_file", { path: "../none.json", content: "" })
      assert.strictEqual(there.text.replace("mcp", "x"), absent.text.replace("none", "x"))
      assert.match(
        there.text,
        /^write_file: \.\.\/mcp\.json is outside the workspace; only files of the workspace can be changed$/
      )
    }).pipe(Effect.provide(layer(secretBeside()))))

  it.effect("write nothing into a folder that becomes a link in the moment the file is made (Decision 15)", () =>
    Effect.gen(function*() {
      const outside: Array<string> = []
      const files: Files = new Proxy<Files>({ [`${WORKSPACE}/docs/b.md`]: "old", "/data/state/b.md": CANARY }, {
        set: (target, path: string, entry: MemoryFiles.Entry) => {
          if (path.startsWith("/data/state/") && entry instanceof Uint8Array && entry.length > 0) outside.push(path)
          return Reflect.set(target, path, entry)
        }
      })
      const before = (path: string) => path.endsWith(".tmp") ? swap(files) : undefined
      const result = yield* Effect.provide(
        call("write_file", { path: "docs/b.md", content: "new" }),
        layer(files, { before })
      )
      assert.isTrue(result.isError)
      assert.deepStrictEqual(outside, [])
      assert.strictEqual(files["/data/state/b.md"], CANARY)
      assert.deepStrictEqual(Object.keys(files).filter((path) => path.startsWith("/data/state/")), ["/data/state/b.md"])
      assert.deepStrictEqual(Object.keys(files).filter((path) => path.startsWith(`${STATE}/undo`)), [])
    }))

  it.effect("move nothing into a folder that becomes a link meanwhile (Decision 15)", () =>
    Effect.gen(function*() {
      const files: Files = { [`${WORKSPACE}/a.md`]: "a", [`${WORKSPACE}/docs/b.md`]: "b", "/data/state/b.md": CANARY }
      const before = (path: string) => path === `${WORKSPACE}/a.md` ? swap(files) : undefined
      const result = yield* Effect.provide(call("move", { from: "a.md", to: "docs/a.md" }), layer(files, { before }))
      assert.isTrue(result.isError)
      assert.strictEqual(textAt(files, "a.md"), "a")
      assert.notProperty(files, "/data/state/a.md")
    }))

  it.effect("write nothing over what another program writes at the same time", () =>
    Effect.gen(function*() {
      const files: Files = { [`${WORKSPACE}/a.md`]: "one" }
      const change = (entry: MemoryFiles.Entry) => ({
        before: (path: string) => path.endsWith(".tmp") ? void (files[`${WORKSPACE}/a.md`] = entry) : undefined
      })
      const write = call("write_file", { path: "a.md", content: "two" })
      const replaced = yield* Effect.provide(write, layer(files, change("another")))
      assert.strictEqual(replaced.text, "write_file: a.md changed while it was written; read it and try again")
      assert.strictEqual(textAt(files, "a.md"), "another")
      delete files[`${WORKSPACE}/a.md`]
      files[`${WORKSPACE}/b.md`] = "b"
      assert.isTrue((yield* Effect.provide(write, layer(files, change("made")))).isError)
      assert.strictEqual(textAt(files, "a.md"), "made")
    }))

  it.effect("write files with the folders on their way, and through links that stay inside", () =>
    Effect.gen(function*() {
      const files = secretBeside()
      yield* Effect.gen(function*() {
        const made = yield* call("write_file", { path: "new/deep/c.md", content: "é" })
        assert.strictEqual(made.text, "made new/deep/c.md (2 bytes)")
        const replaced = yield* call("write_file", { path: "inner/b.md", content: "new" })
        assert.strictEqual(replaced.text, "replaced docs/b.md (3 bytes; it had 11)")
        const same = yield* call("write_file", { path: `${WORKSPACE}/docs/b.md`, content: "new" })
        assert.deepStrictEqual(same, { isError: false, text: "docs/b.md has this content already", undo: null })
        assert.strictEqual(textAt(files, "new/deep/c.md"), "é")
        assert.strictEqual(textAt(files, "docs/b.md"), "new")
        assert.deepStrictEqual(inside(files).filter((path) => path.includes("tmp")), [])
      }).pipe(Effect.provide(layer(files)))
    }))

  it.effect("refuse what is no file, and say what to do", () =>
    Effect.gen(function*() {
      const text = (name: string, args: unknown) => Effect.map(call(name, args), (result) => result.text)
      assert.match(yield* text("write_file", { path: "docs", content: "" }), /docs is a folder$/)
      assert.match(yield* text("write_file", { path: "a.txt/b", content: "" }), /a\.txt is not a folder$/)
      assert.match(yield* text("edit_file", { path: "none", oldText: "a", newText: "b" }), /make it with write_file$/)
      assert.match(yield* text("make_dir", { path: "a.txt" }), /is there already, and is not a folder$/)
      assert.match(yield* text("make_dir", { path: "docs" }), /^docs is there already$/)
      assert.match(yield* text("move", { from: "none", to: "b" }), /none does not exist in the workspace$/)
      assert.match(yield* text("move", { from: "a.txt", to: "docs" }), /exists already; name the new path in full$/)
      assert.match(yield* text("move", { from: "a.txt", to: "docs/b.md" }), /exists already; delete it first$/)
      assert.match(yield* text("move", { from: "docs", to: "docs/in/it" }), /cannot be moved into itself$/)
      assert.match(yield* text("delete", { path: "up" }), /is a link or a device/)
      assert.match(yield* text("write_file", { path: "a.txt" }), /wrong arguments: .*content/)
    }).pipe(Effect.provide(layer(secretBeside()))))

  it.effect("edit a text whose byte order mark and ends of lines stay, and no binary file", () =>
    Effect.gen(function*() {
      const files: Files = {
        [`${WORKSPACE}/bom.txt`]: "\uFEFFone\r\ntwo\r\n",
        [`${WORKSPACE}/latin1.txt`]: new Uint8Array([0x63, 0xe9])
      }
      yield* Effect.gen(function*() {
        const first = yield* call("edit_file", { path: "bom.txt", oldText: "one\ntwo", newText: "1\n2" })
        assert.strictEqual(first.text, "changed bom.txt (1 replacement)")
        assert.strictEqual(textAt(files, "bom.txt"), "\uFEFF1\r\n2\r\n")
        const wrong = yield* call("edit_file", { path: "bom.txt", oldText: "one", newText: "1" })
        assert.match(wrong.text, /^edit_file: bom\.txt was not changed: oldText does not stand in it/)
        assert.match(
          (yield* call("edit_file", { path: "latin1.txt", oldText: "c", newText: "d" })).text,
          /no UTF-8 text$/
        )
      }).pipe(Effect.provide(layer(files)))
    }))

  it.effect("lose no edit of several that come at once", () =>
    Effect.gen(function*() {
      const letters = [..."abcdefgh"]
      const files: Files = { [`${WORKSPACE}/x`]: letters.join("\n") }
      yield* Effect.forEach(
        letters,
        (letter) => done("edit_file", { path: "x", oldText: letter, newText: letter.toUpperCase() }),
        { concurrency: "unbounded" }
      ).pipe(Effect.provide(layer(files)))
      assert.strictEqual(textAt(files, "x"), letters.join("\n").toUpperCase())
    }))

  it.effect("move into the bin what is deleted, on another disk as well, and no more than it takes", () =>
    Effect.gen(function*() {
      for (const disk of [() => "one", (path: string) => path.startsWith("/state") ? "one" : "other"]) {
        const files: Files = { [`${WORKSPACE}/docs/a`]: "a", [`${WORKSPACE}/docs/b`]: "b", [`${WORKSPACE}/c`]: "c" }
        const deleted = yield* Effect.provide(call("delete", { path: "docs" }), layer(files, { disk }))
        assert.strictEqual(deleted.text, "docs (2 files) is in the bin, where it stays for 30 days")
        assert.deepStrictEqual(inside(files), ["c"])
        assert.deepStrictEqual(
          Object.keys(files).filter((path) => path.includes("/bin/") && !path.endsWith(".tmp")).map((path) =>
            path.split("/item")[1]
          )
            .filter((path) => path !== undefined && path !== "").toSorted(),
          ["/a", "/b"]
        )
      }
      const many: Files = Object.fromEntries(Array.from({ length: 10_001 }, (_, n) => [`${WORKSPACE}/many/${n}`, ""]))
      const refused = yield* Effect.provide(call("delete", { path: "many" }), layer(many))
      assert.match(refused.text, /many holds more than 10000 files and folders; .* leave it to the person$/)
      assert.strictEqual(inside(many).length, 10_001)
    }))

  it.effect("leave a file as it was when the disk refuses, and say so", () =>
    Effect.gen(function*() {
      const files: Files = { [`${WORKSPACE}/a`]: "old" }
      const refuses = (path: string) => path.endsWith(".tmp")
      const result = yield* Effect.provide(call("write_file", { path: "a", content: "new" }), layer(files, { refuses }))
      assert.strictEqual(result.text, "write_file: a cannot be changed: the system does not allow it")
      assert.strictEqual(textAt(files, "a"), "old")
      const readOnly = { refuses: (path: string) => path === `${WORKSPACE}/a` }
      assert.isTrue(
        (yield* Effect.provide(call("write_file", { path: "a", content: "new" }), layer(files, readOnly))).isError
      )
      assert.strictEqual(textAt(files, "a"), "old")
      assert.deepStrictEqual(Object.keys(files).filter((path) => path.startsWith(`${STATE}/undo`)), [])
    }))

  it.effect("show what a call would replace, where it is text and not too long", () =>
    Effect.gen(function*() {
      const before = Effect.fnUntraced(function*(name: string, path: string) {
        return yield* (yield* tool(name)).before?.({ path }) ?? Effect.succeed("no preview")
      })
      assert.strictEqual(yield* before("write_file", "a.txt"), "alpha\nbeta\n")
      assert.strictEqual(yield* before("edit_file", "docs/b.md"), "Alpha again")
      for (const path of ["none", "docs", "config", "../mcp.json"]) assert.isNull(yield* before("write_file", path))
      assert.strictEqual(yield* before("delete", "a.txt"), "no preview")
    }).pipe(Effect.provide(layer(secretBeside()))))

  it.effect("tell rules where paths lead, through links and absolute, and null where they lead out", () =>
    Effect.gen(function*() {
      const real = Effect.fnUntraced(function*(name: string, args: Record<string, string>) {
        const all = yield* WorkspaceTools
        const found = [...all.tools, ...all.writers].find((one) => one.name === name)
        return yield* found?.real?.(args) ?? Effect.die("no paths")
      })
      for (const name of ["write_file", "view_file", "grep", "delete"]) {
        const at = (path: string) => real(name, { path, content: "docs" })
        assert.deepStrictEqual(yield* at("inner/b.md"), { path: "docs/b.md" })
        assert.deepStrictEqual(yield* at(`${WORKSPACE}/docs/../a.txt`), { path: "a.txt" })
        assert.deepStrictEqual(yield* at("inner/new/deep.md"), { path: "docs/new/deep.md" })
        for (const path of ["config", "up/mcp.json", "gone", "../mcp.json", "docs/parent/new"]) {
          assert.deepStrictEqual(yield* at(path), { path: null }, path)
        }
      }
      assert.deepStrictEqual(yield* real("move", { from: "inner/b.md", to: "c" }), { from: "docs/b.md", to: "c" })
      const handle = "result-00000000-0000-4000-8000-000000000000"
      assert.deepStrictEqual(yield* real("view_file", { path: handle }), {})
      assert.deepStrictEqual(yield* real("list_dir", {}), {})
    }).pipe(Effect.provide(layer(secretBeside()))))
})
