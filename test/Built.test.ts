import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { execFile } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import * as Deadline from "./support/Deadline.ts"

const BUILT = pathToFileURL(fileURLToPath(new URL("../scripts/Built.mjs", import.meta.url))).href

/** Builds something small again and again; with `ensure` it does so where that is needed. */
const PROGRAM = `
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Built from ${JSON.stringify(BUILT)}

const script = fileURLToPath(import.meta.url)
const thing = Built.make({
  what: "thing",
  folder: join(import.meta.dirname, "place", "thing"),
  script,
  sources: () => [script],
  build: (folder) => {
    mkdirSync(folder)
    writeFileSync(join(folder, "file"), "content")
  }
})
if (process.argv[2] === "ensure") console.log(thing.ensure())
for (let build = 0; build < Number(process.argv[3]) && !process.exitCode; build++) await thing.whenRun()
`

const place = Effect.acquireRelease(
  Effect.sync(() => {
    const folder = mkdtempSync(join(tmpdir(), "boocode-built-"))
    mkdirSync(join(folder, "place"))
    writeFileSync(join(folder, "program.mjs"), PROGRAM)
    return folder
  }),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

const run = (folder: string, ...args: ReadonlyArray<string>) =>
  Effect.callback<{ code: unknown; stderr: string; stdout: string }>((resume) => {
    const child = execFile(
      process.execPath,
      [join(folder, "program.mjs"), ...args],
      { timeout: Deadline.WAIT_MILLIS },
      (error, stdout, stderr) => resume(Effect.succeed({ code: error?.code ?? 0, stdout, stderr }))
    )
    return Effect.sync(() => child.kill())
  })

describe("What is built from sources", Deadline.TEST, () => {
  it.live(
    "is whole and leaves nothing beside it, however many build it at the same time",
    () =>
      Effect.gen(function*() {
        const folder = yield* place
        const four = Array.from({ length: 4 }, () => run(folder, "now", "100"))
        for (const { code, stderr } of yield* Effect.all(four, { concurrency: 4 })) assert.strictEqual(code, 0, stderr)
        assert.deepStrictEqual(readdirSync(join(folder, "place")), ["thing"])
        assert.deepStrictEqual(readdirSync(join(folder, "place", "thing")).sort(), [".sources", "file"])
      })
  )

  it.live("says in a line that it cannot be built where nothing can be written", () =>
    Effect.gen(function*() {
      const folder = yield* place
      rmSync(join(folder, "place"), { recursive: true })
      const { code, stderr, stdout } = yield* run(folder, "ensure")
      assert.deepStrictEqual([code, stdout], [0, "false\n"])
      assert.strictEqual(
        stderr,
        `The thing is not as its sources are, and nothing can be written to ${folder}/place.\n`
      )
    }))

  it.live("is built on Windows by one line for the shell, in which paths with spaces stay whole", () =>
    Effect.gen(function*() {
      const { onPlatform } = yield* Effect.promise(() => import(new URL("../scripts/Shell.mjs", import.meta.url).href))
      const node = "C:\\Program Files\\boocode\\node_modules\\.bin\\node.CMD"
      assert.deepStrictEqual(onPlatform("win32", node, ["-p", "say \"hi\" & go", "pnpm@12"]), {
        command: `"${node}" -p "say ""hi"" & go" pnpm@12`,
        words: [],
        shell: true
      })
      assert.deepStrictEqual(onPlatform("linux", "/a b/node", ["x y"]), {
        command: "/a b/node",
        words: ["x y"],
        shell: false
      })
    }))
})
