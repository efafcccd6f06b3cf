import { Undo, UndoStore, WorkspaceTools, WorkspaceWrites } from "@boocode/chat"
import { ResultFiles, type WriteUndo } from "@boocode/toolkit"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import { existsSync } from "node:fs"

/** A folder in memory is another disk than the one of temporary files. */
const OTHER_DISK = "/dev/shm"

/** A workspace with links, beside a secret, and a state folder in this folder. */
const made = Effect.fnUntraced(function*(stateIn?: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const root = yield* fs.realPath(yield* fs.makeTempDirectoryScoped())
  const state = yield* fs.makeTempDirectoryScoped(stateIn === undefined ? {} : { directory: stateIn })
  const at = (...names: ReadonlyArray<string>) => path.join(root, "workspace", ...names)
  yield* fs.makeDirectory(at("docs"), { recursive: true })
  yield* fs.writeFileString(at("docs", "a.md"), "one\n")
  yield* fs.writeFileString(path.join(root, "secret"), "secret")
  yield* fs.symlink("..", at("up"))
  yield* fs.symlink("docs", at("inner"))
  yield* fs.symlink("../../secret", at("docs", "config"))
  return { root, state, at, workspace: at() }
})

/** One run of a program over a workspace and a state folder. */
const run = ({ state, workspace }: { readonly state: string; readonly workspace: string }) =>
  Effect.gen(function*() {
    const context = yield* Layer.build(
      WorkspaceTools.layerWriting(workspace).pipe(
        Layer.provideMerge(WorkspaceWrites.layer(workspace)),
        Layer.provideMerge(UndoStore.layer(`${state}/undo`)),
        Layer.provide(ResultFiles.layer(`${state}/results`))
      )
    )
    const { writers } = yield* Effect.provideContext(WorkspaceTools, context)
    const call = Effect.fnUntraced(function*(name: string, args: unknown) {
      const told: Array<WriteUndo> = []
      const onWrite = (undo: WriteUndo) => Effect.sync(() => void told.push(undo))
      const tool = writers.find((one) => one.name === name)
      const { isError, text } = yield* tool?.run(args, { onWrite }) ?? Effect.die(`no tool ${name}`)
      return { isError, text, id: told[0]?.id ?? "" }
    })
    const undo = (id: string) =>
      Effect.provideContext(Undo.undo(id, () => () => Effect.die("no server"), "first"), context)
    return { call, undo }
  })

describe("The writing tools on a real disk", () => {
  it.live("make the workspace folder with the first file or folder in it, where there is none", () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const folders = yield* made()
      for (
        const [name, args] of [["write_file", { path: "a/b.txt", content: "one" }], ["make_dir", {
          path: "a/b"
        }]] as const
      ) {
        yield* fs.remove(folders.workspace, { recursive: true })
        const { call, undo } = yield* run(folders)
        const { id, isError, text } = yield* call(name, args)
        assert.isFalse(isError, text)
        assert.isTrue(existsSync(folders.at(args.path)))
        yield* undo(id)
        assert.deepStrictEqual(yield* fs.readDirectory(folders.workspace), [])
      }
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer)))

  it.live("change nothing outside the workspace, whatever links there are (Decision 15)", () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const folders = yield* made()
      const { call } = yield* run(folders)
      for (
        const path of ["../secret", "up/secret", "docs/config", "inner/config", `${folders.root}/secret`, "up/new"]
      ) {
        for (
          const [name, args] of [
            ["write_file", { path, content: "x" }],
            ["edit_file", { path, oldText: "secret", newText: "x" }],
            ["move", { from: path, to: "stolen" }],
            ["move", { from: "docs/a.md", to: path }],
            ["delete", { path }]
          ] as const
        ) {
          assert.isTrue((yield* call(name, args)).isError, `${name} ${path}`)
        }
      }
      assert.deepStrictEqual((yield* fs.readDirectory(folders.root)).toSorted(), ["secret", "workspace"])
      assert.strictEqual(yield* fs.readFileString(`${folders.root}/secret`), "secret")
      assert.strictEqual(yield* fs.readFileString(folders.at("docs", "a.md")), "one\n")
    }).pipe(Effect.provide(NodeServices.layer)))

  it.live("keep the mode of a file, leave what a hard link outside holds, and keep old contents for their owner alone", () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const folders = yield* made()
      const { call } = yield* run(folders)
      yield* fs.chmod(folders.at("docs", "a.md"), 0o766)
      yield* fs.link(`${folders.root}/secret`, folders.at("hard"))
      yield* call("edit_file", { path: "inner/a.md", oldText: "one", newText: "two" })
      yield* call("write_file", { path: "hard", content: "new" })
      assert.strictEqual(yield* fs.readFileString(folders.at("docs", "a.md")), "two\n")
      assert.strictEqual((yield* fs.stat(folders.at("docs", "a.md"))).mode & 0o777, 0o766)
      assert.strictEqual(yield* fs.readFileString(`${folders.root}/secret`), "secret")
      const kept = yield* fs.readDirectory(`${folders.state}/undo`)
      assert.strictEqual(kept.length, 2)
      for (const name of kept) assert.strictEqual((yield* fs.stat(`${folders.state}/undo/${name}`)).mode & 0o777, 0o600)
      assert.strictEqual((yield* fs.stat(`${folders.state}/undo`)).mode & 0o777, 0o700)
    }).pipe(Effect.provide(NodeServices.layer)))

  it.live("show a reader the old content or the new one, and nothing between", () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const folders = yield* made()
      const { call } = yield* run(folders)
      const contents = ["a", "b"].map((letter) => letter.repeat(1_000_000))
      yield* call("write_file", { path: "big", content: contents[0] })
      const seen = new Set<string>()
      const read = Effect.forEach(Array.from({ length: 60 }), () =>
        Effect.map(fs.readFileString(folders.at("big")), (text) => seen.add(text)), { discard: true })
      const write = Effect.forEach(Array.from({ length: 20 }), (_, index) =>
        call("write_file", { path: "big", content: contents[(index + 1) % 2] }), { discard: true })
      yield* Effect.all([read, write], { concurrency: 2 })
      assert.deepStrictEqual(
        [...seen].filter((text) =>
          !contents.includes(text)
        ).map((text) =>
          text.length
        ),
        []
      )
      assert.deepStrictEqual(
        (yield* fs.readDirectory(folders.workspace)).filter((name) =>
          name.endsWith(".tmp")
        ),
        []
      )
    }).pipe(Effect.provide(NodeServices.layer)))

  it.live.each([undefined, existsSync(OTHER_DISK) ? OTHER_DISK : undefined])(
    "undo after a restart what was written, moved and deleted, with the state in %s",
    (stateIn) =>
      Effect.gen(function*() {
        const fs = yield* FileSystem.FileSystem
        const folders = yield* made(stateIn)
        const ids = yield* Effect.gen(function*() {
          const { call } = yield* run(folders)
          const edited = yield* call("edit_file", { path: "docs/a.md", oldText: "one", newText: "two" })
          const written = yield* call("write_file", { path: "new/deep/b.md", content: "b" })
          const moved = yield* call("move", { from: "docs", to: "archive/docs" })
          const deleted = yield* call("delete", { path: "archive" })
          return [deleted, moved, written, edited].map(({ id }) => id)
        }).pipe(Effect.scoped)
        assert.deepStrictEqual((yield* fs.readDirectory(folders.workspace)).toSorted(), ["inner", "new", "up"])
        const { undo } = yield* run(folders)
        for (const id of ids) yield* undo(id)
        assert.deepStrictEqual((yield* fs.readDirectory(folders.workspace)).toSorted(), ["docs", "inner", "up"])
        assert.strictEqual(yield* fs.readFileString(folders.at("docs", "a.md")), "one\n")
        assert.strictEqual((yield* fs.lstat(folders.at("docs", "config"))).type, "SymbolicLink")
        assert.strictEqual(yield* fs.readFileString(`${folders.root}/secret`), "secret")
      }).pipe(Effect.provide(NodeServices.layer))
  )
})
