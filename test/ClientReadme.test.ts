/** The examples in the README of mcp-client, run as they stand there, but for the address of the server. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { execFile } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { CHECKOUT } from "./support/Command.ts"
import * as Compiled from "./support/Compiled.ts"
import * as HttpWays from "./support/HttpWays.ts"

const EXAMPLES = [
  ...readFileSync(join(CHECKOUT, "packages/mcp-client/README.md"), "utf8").matchAll(/^```ts\n([^]*?)^```$/gm)
]
  .map(([, code = ""]) => code)

const EVERYTHING = join(CHECKOUT, "test/node_modules/@modelcontextprotocol/server-everything/dist/index.js")

/** What the example prints that holds this text, with another one in its place. */
const printed = (text: string, instead: string) =>
  Effect.acquireUseRelease(
    // It imports packages, so it stands where they are installed.
    Effect.sync(() => mkdtempSync(join(CHECKOUT, "test/.readme-"))),
    (folder) =>
      Effect.promise(async () => {
        const [example, ...others] = EXAMPLES.filter((code) => code.includes(text))
        assert.deepStrictEqual(others, [])
        writeFileSync(join(folder, "Example.mjs"), example?.replace(text, instead) ?? "")
        const { stdout } = await promisify(execFile)(process.execPath, [...Compiled.FLAGS, join(folder, "Example.mjs")])
        return stdout
      }),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
  )

describe("The README of mcp-client", () => {
  it.live("shows how to connect to a program", () =>
    Effect.gen(function*() {
      const stdout = yield* printed(
        `command: "npx", args: ["-y", "@modelcontextprotocol/server-everything"]`,
        `command: ${JSON.stringify(process.execPath)}, args: [${JSON.stringify(EVERYTHING)}]`
      )
      assert.include(stdout, "'get-sum'")
      assert.include(stdout, "Echo: Hello")
    }))

  it.live("shows how to connect to a URL", () =>
    Effect.gen(function*() {
      const { port } = yield* HttpWays.serve("modern")
      const stdout = yield* printed("http://127.0.0.1:3000/mcp", `http://127.0.0.1:${port}/mcp`)
      assert.include(stdout, "2026-07-28")
      assert.include(stdout, "'echo'")
    }))

  it("shows one example for each transport", () => {
    assert.lengthOf(EXAMPLES, 2)
  })
})
