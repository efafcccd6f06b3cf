import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/testing/TestClock"
import { UndoStore } from "../../src/store/UndoStore.ts"
import type { WorkspaceTools } from "../../src/tools/WorkspaceTools.ts"
import type { WorkspaceWrites } from "../../src/workspace/WorkspaceWrites.ts"
import { call, done, type Files, inside, layer, STATE, textAt, undo, WORKSPACE } from "../support/Writing.ts"

const kept = (files: Files) => Object.keys(files).filter((path) => path.startsWith(`${STATE}/undo-`))

/** One run of a program after the other over the same disk. */
const run = <A, E>(
  files: Files,
  body: Effect.Effect<A, E, FileSystem.FileSystem | Path.Path | UndoStore | WorkspaceTools | WorkspaceWrites>,
  hooks = {}
) => Effect.provide(body, layer(files, hooks), { local: true })

const refusal = (id: string) => Effect.map(Effect.flip(undo(id)), ({ _tag, message }) => `${_tag}: ${message}`)

const Paths = Schema.Literals(["a", "d", "d/b", "d/e", "d/e/c", "n", "n/m", "d/n", "a/x"])
const Texts = Schema.Literals(["", "one", "two", "one two"])

/** One call of a writing tool, which may fail. */
const Steps = Arbitrary.schema(Schema.Union([
  Schema.Tuple([Schema.Literal("write_file"), Schema.Struct({ path: Paths, content: Texts })]),
  Schema.Tuple([
    Schema.Literal("edit_file"),
    Schema.Struct({ path: Paths, oldText: Schema.Literals(["one", "t"]), newText: Texts })
  ]),
  Schema.Tuple([Schema.Literal("make_dir"), Schema.Struct({ path: Paths })]),
  Schema.Tuple([Schema.Literal("move"), Schema.Struct({ from: Paths, to: Paths })]),
  Schema.Tuple([Schema.Literal("delete"), Schema.Struct({ path: Paths })])
]))

/** All that the workspace holds. */
const contents = (files: Files) => inside(files).map((path) => [path, textAt(files, path)])

describe("UndoStore", () => {
  it.effect("brings back what a write replaced, after a restart as well, and once", () =>
    Effect.gen(function*() {
      const files: Files = { [`${WORKSPACE}/a.md`]: "one" }
      const id = yield* run(files, done("write_file", { path: "a.md", content: "two" }))
      assert.strictEqual(textAt(files, "a.md"), "two")
      assert.strictEqual(yield* run(files, undo(id)), "a.md is as it was before")
      assert.strictEqual(textAt(files, "a.md"), "one")
      assert.match(yield* run(files, refusal(id)), /^AlreadyUndone: this was undone already, at 1970-/)
    }))

  it.effect("undoes nothing that something else changed since, and the newest before the others", () =>
    Effect.gen(function*() {
      const files: Files = { [`${WORKSPACE}/a.md`]: "one", [`${WORKSPACE}/b`]: "b" }
      yield* Effect.gen(function*() {
        const first = yield* done("write_file", { path: "a.md", content: "two" })
        const second = yield* done("edit_file", { path: "a.md", oldText: "two", newText: "three" })
        assert.strictEqual(yield* refusal(first), "ChangedSince: this was not undone: a.md was changed since")
        assert.strictEqual(textAt(files, "a.md"), "three")
        yield* undo(second)
        yield* undo(first)
        assert.strictEqual(textAt(files, "a.md"), "one")
        const third = yield* done("write_file", { path: "a.md", content: "four" })
        delete files[`${WORKSPACE}/a.md`]
        assert.match(yield* refusal(third), /^ChangedSince: .*is not there any more$/)
        files[`${WORKSPACE}/a.md`] = "four"
        assert.strictEqual(yield* undo(third), "a.md is as it was before", "a refusal is no undo")
      }).pipe(Effect.provide(layer(files)))
    }))

  it.effect("moves into the bin what a write made, with the folders that it made and nobody used", () =>
    Effect.gen(function*() {
      const files: Files = { [`${WORKSPACE}/b`]: "b" }
      yield* Effect.gen(function*() {
        const file = yield* done("write_file", { path: "x/y/a.md", content: "new" })
        assert.match(yield* undo(file), /x\/y\/a\.md, which was made, is in the bin/)
        assert.deepStrictEqual(inside(files), ["b"])
        assert.isTrue(Object.keys(files).some((path) => path.startsWith(`${STATE}/bin/`)))
        const used = yield* done("write_file", { path: "x/a.md", content: "new" })
        files[`${WORKSPACE}/x/mine.md`] = "mine"
        yield* undo(used)
        assert.deepStrictEqual(inside(files), ["b", "x/mine.md"])
        const folder = yield* done("make_dir", { path: "n/m" })
        assert.match(yield* undo(folder), /the folder n\/m, which was made, is in the bin/)
        assert.deepStrictEqual(inside(files), ["b", "x/mine.md"])
        const full = yield* done("make_dir", { path: "n/m" })
        files[`${WORKSPACE}/n/m/c`] = "c"
        assert.match(yield* refusal(full), /^ChangedSince: .*n\/m is not there any more, or is not empty/)
        assert.strictEqual(textAt(files, "n/m/c"), "c")
      }).pipe(Effect.provide(layer(files)))
    }))

  it.effect("moves back what was moved, where its old path is still free", () =>
    Effect.gen(function*() {
      const files: Files = { [`${WORKSPACE}/a`]: "a", [`${WORKSPACE}/docs/b`]: "b" }
      yield* Effect.gen(function*() {
        const file = yield* done("move", { from: "a", to: "new/a" })
        const folder = yield* done("move", { from: "docs", to: "old" })
        assert.deepStrictEqual(inside(files), ["new/a", "old/b"])
        assert.strictEqual(yield* undo(folder), "old is docs again")
        files[`${WORKSPACE}/a`] = "another"
        assert.match(yield* refusal(file), /^ChangedSince: .*a is there again$/)
        delete files[`${WORKSPACE}/a`]
        files[`${WORKSPACE}/new/a`] = "changed"
        assert.match(yield* refusal(file), /^ChangedSince: .*new\/a was changed since$/)
        files[`${WORKSPACE}/new/a`] = "a"
        yield* undo(file)
        assert.deepStrictEqual(inside(files), ["a", "docs/b"])
      }).pipe(Effect.provide(layer(files)))
    }))

  it.effect("brings back what was deleted, from another disk too, where nothing took its place", () =>
    Effect.gen(function*() {
      for (const disk of [() => "one", (path: string) => path.startsWith("/state") ? "one" : "other"]) {
        const files: Files = { [`${WORKSPACE}/docs/a`]: "a", [`${WORKSPACE}/docs/deep/b`]: "b" }
        const id = yield* run(files, done("delete", { path: "docs" }), { disk })
        assert.deepStrictEqual(inside(files), [])
        files[`${WORKSPACE}/docs/a`] = "another"
        assert.match(yield* run(files, refusal(id), { disk }), /^ChangedSince: .*docs is there again$/)
        delete files[`${WORKSPACE}/docs/a`]
        assert.strictEqual(yield* run(files, undo(id), { disk }), "docs is back")
        assert.deepStrictEqual(inside(files), ["docs/a", "docs/deep/b"])
        assert.match(yield* run(files, refusal(id), { disk }), /^AlreadyUndone/)
      }
    }))

  it.effect("keeps no file of more than 10 MB, and says so", () =>
    Effect.gen(function*() {
      const files: Files = { [`${WORKSPACE}/large`]: new Uint8Array(10_000_001) }
      const result = yield* run(files, call("write_file", { path: "large", content: "small" }))
      assert.isFalse(result.isError)
      assert.match(
        result.text,
        /This cannot be undone: what it replaced has 10000001 bytes; at most 10000000 are kept$/
      )
      assert.deepStrictEqual(result.undo?.possible, false)
      assert.deepStrictEqual(kept(files), [])
    }))

  it.effect("makes the write all the same when nothing can be kept, and says so", () =>
    Effect.gen(function*() {
      const files: Files = { [`${WORKSPACE}/a`]: "old" }
      const refuses = (path: string) => path.startsWith("/state")
      const result = yield* run(files, call("write_file", { path: "a", content: "new" }), { refuses })
      assert.strictEqual(textAt(files, "a"), "new")
      assert.match(result.text, /This cannot be undone: what it replaced could not be kept on the disk/)
      const deleted = yield* run(files, call("delete", { path: "a" }), { refuses })
      assert.strictEqual(deleted.text, "delete: a was not deleted: the bin cannot be used; the log says why")
      assert.strictEqual(textAt(files, "a"), "new")
    }))

  it.effect("lets go of what is older than 30 days, and of the oldest when it is more than 100 MB", () =>
    Effect.gen(function*() {
      const files: Files = {}
      const large = new Uint8Array(9_000_000)
      yield* Effect.gen(function*() {
        const ids: Array<string> = []
        for (let index = 0; index < 13; index++) {
          files[`${WORKSPACE}/${index}`] = large
          ids.push(yield* done("write_file", { path: `${index}`, content: "" }))
          yield* TestClock.adjust("1 second")
        }
        assert.deepStrictEqual(kept(files).length, 11)
        assert.match(yield* refusal(ids[0] ?? ""), /^NothingToUndo: .*nothing is kept of it any more$/)
        yield* undo(ids[12] ?? "")
        const gone = yield* done("delete", { path: "0" })
        yield* TestClock.adjust("29 days")
        assert.strictEqual(kept(files).length, 11)
        yield* TestClock.adjust("2 days")
        assert.deepStrictEqual(
          Object.keys(files).filter((path) => path.startsWith(`${STATE}/`) && path !== `${STATE}/bin`),
          []
        )
        assert.match(yield* refusal(gone), /^NothingToUndo/)
      }).pipe(Effect.provide(layer(files)))
    }))

  it.effect("reads nothing but what it kept, whatever the id", () =>
    Effect.gen(function*() {
      const files: Files = { "/state/token": "secret", [`${STATE}/undo-1-1-000000000000`]: "damaged" }
      yield* Effect.gen(function*() {
        for (const id of ["../token", "", "undo-1-1-0", "/state/token", "bin"]) {
          assert.match(yield* refusal(id), /^NothingToUndo: .*nothing is kept under this id$/)
        }
        assert.match(yield* refusal("undo-2-1-000000000000"), /^NothingToUndo: .*nothing is kept of it any more$/)
        assert.match(yield* refusal("undo-1-1-000000000000"), /^NothingToUndo: .*damaged$/)
      }).pipe(Effect.provide(layer(files)))
    }))

  it.effect("undoes a change in the workspace where it was made, and in no other", () =>
    Effect.gen(function*() {
      const files: Files = { [`${WORKSPACE}/a`]: "same" }
      const id = yield* run(
        files,
        UndoStore.use(({ hash, keep }) =>
          Effect.flatMap(hash(new TextEncoder().encode("same")), (left) =>
            keep(
              { kind: "file", root: "/other/workspace", path: "a", isNew: true, left, folders: [] },
              new Uint8Array()
            ))
        )
      )
      assert.match(yield* run(files, refusal(id.id ?? "")), /^NothingToUndo: .*another workspace, \/other\/workspace$/)
      assert.strictEqual(textAt(files, "a"), "same")
    }))

  it.effect.prop(
    "leads back to where it began, whatever was written, moved and deleted, over restarts",
    [Arbitrary.array(Steps, { minLength: 1, maxLength: 12 })],
    ([steps]) =>
      Effect.gen(function*() {
        const files: Files = {
          [`${WORKSPACE}/a`]: "one",
          [`${WORKSPACE}/d/b`]: "two",
          [`${WORKSPACE}/d/e/c`]: "three",
          [`${WORKSPACE}/keep`]: ""
        }
        const before = contents(files)
        const ids: Array<string> = []
        for (const [name, args] of steps) {
          const { isError, text, undo } = yield* run(files, call(name, args))
          // What failed or changed nothing is nothing to undo.
          assert.strictEqual(undo === null, isError || text.endsWith(" already"), text)
          if (undo?.id !== null && undo?.id !== undefined) ids.push(undo.id)
        }
        for (const id of ids.toReversed()) yield* run(files, undo(id))
        assert.deepStrictEqual(contents(files), before)
      }),
    { arbitrary: { runs: 20 } }
  )
})
