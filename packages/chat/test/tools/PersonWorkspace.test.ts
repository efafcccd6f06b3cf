import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { UndoStore } from "../../src/store/UndoStore.ts"
import { WorkspaceTools } from "../../src/tools/WorkspaceTools.ts"
import { byId, People } from "../../src/users/CurrentUser.ts"
import { WorkspaceWrites } from "../../src/workspace/WorkspaceWrites.ts"
import * as MemoryFiles from "../support/MemoryFiles.ts"
import { type Files, inside, layer, textAt, WORKSPACE } from "../support/Writing.ts"

const CANARY = "CANARY-4711"

const several = { get: (id: string) => Effect.succeed({ ...byId(id), name: "Ann" }) }

/** What the first person and two others have, with links from each to others. */
const shared = (): Files => ({
  [`${WORKSPACE}/a.txt`]: "of the first",
  [`${WORKSPACE}/users/ann/mine.txt`]: `${CANARY} of Ann`,
  [`${WORKSPACE}/users/ann/link`]: MemoryFiles.link(`${WORKSPACE}/users/bob`),
  [`${WORKSPACE}/users/ann/up`]: MemoryFiles.link(WORKSPACE),
  [`${WORKSPACE}/users/bob/mine.txt`]: `${CANARY} of Bob`,
  [`${WORKSPACE}/users/eve`]: MemoryFiles.link(`${WORKSPACE}/users/bob`),
  [`${WORKSPACE}/link`]: MemoryFiles.link(`${WORKSPACE}/users/bob`),
  [`${WORKSPACE}/USERS`]: MemoryFiles.link(`${WORKSPACE}/users`)
})

const call = Effect.fnUntraced(function*(person: string, name: string, args: object) {
  const { tools, writers } = yield* (yield* WorkspaceTools).of(person)
  const found = [...tools, ...writers].find((tool) => tool.name === name)
  if (found === undefined) return assert.fail(`no tool ${name}`)
  const told: Array<string> = []
  const result = yield* found.run(args, { onWrite: ({ id }) => Effect.sync(() => void told.push(id ?? "")) })
  return { ...result, id: told[0] ?? "" }
})

const withPeople = <A, E, R>(files: Files, effect: Effect.Effect<A, E, R>) =>
  effect.pipe(Effect.provide(layer(files)), Effect.provideService(People, several))

describe("The workspace of a person", () => {
  it.effect("is a folder of their own, which is made when they first use it", () => {
    const files = shared()
    return withPeople(
      files,
      Effect.gen(function*() {
        assert.strictEqual((yield* call("ann", "view_file", { path: "mine.txt" })).text, `${CANARY} of Ann`)
        assert.strictEqual((yield* call("new-1", "list_dir", {})).text, "(the folder is empty)")
        yield* call("new-1", "write_file", { path: "docs/b.md", content: "new" })
        assert.strictEqual(textAt(files, "users/new-1/docs/b.md"), "new")
        const { id } = yield* call("ann", "write_file", { path: "mine.txt", content: "changed" })
        assert.strictEqual(textAt(files, "users/ann/mine.txt"), "changed")
        assert.strictEqual(textAt(files, "a.txt"), "of the first")
        assert.notStrictEqual(id, "")
      })
    )
  })

  it.effect("shows and changes nothing of others, by no path and no link", () => {
    const files = shared()
    const before = inside(files)
    const paths = {
      ann: [
        "../bob/mine.txt",
        "link/mine.txt",
        "link",
        "up/a.txt",
        "up/users/bob/mine.txt",
        `${WORKSPACE}/a.txt`,
        ".."
      ],
      // The folder of this person became a link to that of another.
      eve: ["mine.txt", "."],
      "../users/bob": ["mine.txt", "."],
      first: ["users/bob/mine.txt", "users", "users/new.txt", "link/mine.txt", "USERS/bob/mine.txt", "./users/ann"]
    }
    return withPeople(
      files,
      Effect.gen(function*() {
        for (const [person, all] of Object.entries(paths)) {
          for (const path of all) {
            for (
              const [name, args] of [
                ["view_file", { path }],
                ["list_dir", { path }],
                ["grep", { pattern: CANARY, path }],
                ["write_file", { path, content: "x" }],
                ["edit_file", { path, oldText: CANARY, newText: "x" }],
                ["make_dir", { path: `${path}/new` }],
                ["move", { from: path, to: "stolen" }],
                ["delete", { path }]
              ] as const
            ) {
              // A link itself can be named, and is left alone.
              const { isError, text } = yield* call(person, name, args)
              assert.isTrue(isError, `${person} ${name} ${path}: ${text}`)
              assert.notInclude(text, CANARY)
            }
          }
        }
        assert.match((yield* call("first", "grep", { pattern: CANARY })).text, /^no match in 1 file$/)
        assert.deepStrictEqual(inside(files), before)
      })
    )
  })

  it.effect("undoes what was written there, for this person alone", () => {
    const files = shared()
    return withPeople(
      files,
      Effect.gen(function*() {
        const { id } = yield* call("ann", "write_file", { path: "mine.txt", content: "changed" })
        const undo = (person: string) =>
          Effect.flatMap(WorkspaceWrites, ({ of }) => of(person)).pipe(
            Effect.flatMap((writes) =>
              Effect.flatMap(UndoStore, (store) => store.get(id)).pipe(
                Effect.flatMap(({ before, change }) =>
                  change.kind === "server" || change.kind === "made"
                    ? Effect.die("no write of the workspace")
                    : writes.undo(id, change, before)
                )
              )
            )
          )
        assert.match((yield* Effect.flip(undo("bob"))).message, /another workspace/)
        assert.match(yield* undo("ann"), /mine\.txt is as it was before/)
        assert.strictEqual(textAt(files, "users/ann/mine.txt"), `${CANARY} of Ann`)
      })
    )
  })

  it.effect("is all of it on a server of one person, a folder called users included", () => {
    const files = shared()
    return Effect.gen(function*() {
      assert.strictEqual((yield* call("first", "view_file", { path: "users/bob/mine.txt" })).text, `${CANARY} of Bob`)
      assert.match((yield* call("first", "list_dir", { path: "users" })).text, /ann\/\nbob\//)
    }).pipe(Effect.provide(layer(files)))
  })
})
