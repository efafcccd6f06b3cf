import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { data, untilSeen } from "./support/CliFolder.ts"
import * as Command from "./support/Command.ts"
import * as Deadline from "./support/Deadline.ts"

/** What must not differ: what a command says, and how it ends. Times do. */
const told = ({ code, stderr, stdout }: Command.Ended) => ({
  code,
  stdout: stdout.replace(/\d+ ms/g, "N ms"),
  // A command that waits for long says so.
  stderr: stderr.replace(/^waiting for .*\n/gm, "").replace(/^\[[\d:.]+\]|\d+ ms/gm, "N")
})

describe("The command as `pnpm boocode` runs it", Deadline.TEST, () => {
  it.live("refuses and helps as its sources do", () =>
    Effect.gen(function*() {
      // A run of tests has built it.
      const place = yield* data()
      const where = ["--data", place.data]
      const lines = [
        ["mcp", "call", "files_read_txt_file", ...where],
        ["mcp", "--help"]
      ]
      for (const line of lines) {
        const [quick, slow] = yield* Effect.all([
          Command.run(line, { program: "scripts/Boocode.mjs" }),
          Command.run(line, { program: "apps/cli/src/main.ts" })
        ], { concurrency: 2 })
        assert.deepStrictEqual(told(quick), told(slow), line.join(" "))
      }
      assert.strictEqual(yield* place.left, 0)
    }))

  it("leads to the library of the keychain, which only another package names", () => {
    const folder = join(Command.CHECKOUT, "apps/cli/dist")
    const texts = readdirSync(folder).filter((name) => name.endsWith(".mjs")).map((name) =>
      readFileSync(join(folder, name), "utf8")
    )
    const libraries = texts.flatMap((text) => [...text.matchAll(/\bloaded\("([^"]+)"\)/g)]).map(([, library = ""]) =>
      library
    )
    const library = libraries.find((one) => one.includes("keyring")) ?? assert.fail(`only ${libraries.join(", ")}`)
    assert.isTrue(existsSync(join(folder, library)), library)
  })

  it.live("prints an answer before its servers are gone, and still leaves none", () =>
    Effect.gen(function*() {
      const ignores = { command: process.execPath, args: [join(Command.CHECKOUT, "test/servers/IgnoresEnd.ts")] }
      const place = yield* data({}, { stays: ignores })
      const running = yield* Command.start(["mcp", "call", "stays_echo", "--data", place.data])
      yield* untilSeen(() => running.seen.stdout !== "")
      assert.strictEqual(running.child.exitCode, null)
      assert.isAtLeast(yield* place.count, 1)
      const { code } = yield* Effect.promise(() => running.ended)
      assert.strictEqual(code, 0)
      assert.strictEqual(yield* place.left, 0)
    }))
})
