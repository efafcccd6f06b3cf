import { McpErrors } from "@boocode/mcp-client"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { execFile } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
// Makes the compiler check the examples without running them here.
import type {} from "../packages/mcp-node/examples/ListFiles.ts"
import type {} from "../packages/mcp-node/examples/News.ts"
import type {} from "../packages/mcp-node/examples/OneServer.ts"
import type {} from "../packages/mcp-node/examples/Questions.ts"
import type {} from "../packages/mcp-node/examples/SignIn.ts"
import type {} from "../packages/mcp-node/examples/Testing.ts"
import { CHECKOUT, folder } from "./support/Command.ts"

const EXAMPLES = join(CHECKOUT, "packages/mcp-node/examples")
const EXAMPLE = join(EXAMPLES, "ListFiles.ts")

/** An example without its first comment. */
const codeOf = (file: string) => readFileSync(file, "utf8").replace(/^\/\*\*.*?\*\/\n/s, "")

const read = (file: string) => readFileSync(join(CHECKOUT, file), "utf8")

describe("the example of the READMEs", () => {
  it("is the same everywhere", () => {
    const code = codeOf(EXAMPLE)
    for (const file of ["README.md", "packages/mcp-registry/README.md"]) {
      assert.include(read(file), `\`\`\`ts\n${code}\`\`\``, file)
    }
  })

  it.live("runs as it stands, logs to standard error, and ends by itself", () =>
    Effect.gen(function*() {
      const files = { command: join(CHECKOUT, "node_modules/.bin/mcp-server-filesystem"), args: ["workspace"] }
      const place = yield* folder({
        "mcp.json": JSON.stringify({ mcpServers: { files } }),
        "workspace/hello.txt": "hello"
      })
      for (const example of [EXAMPLE, join(EXAMPLES, "OneServer.ts")]) {
        const { stderr, stdout } = yield* Effect.promise(() =>
          promisify(execFile)(process.execPath, [example], { cwd: place })
        )
        assert.include(stdout, "[FILE] hello.txt")
        assert.notInclude(stdout, "files: ready")
        assert.include(stderr, "files: ready")
      }
    }))
})

describe("the READMEs of the packages", () => {
  it("of mcp-registry shows code that is in the examples, word for word", () => {
    const codes = readdirSync(EXAMPLES).map((name) => codeOf(join(EXAMPLES, name)))
    const blocks = [...read("packages/mcp-registry/README.md").matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, code]) =>
      code
    )
    assert.deepStrictEqual(new Set(blocks), new Set(codes))
  })

  it("of mcp-registry names every member of the registry and every reason of an error", () => {
    const text = read("packages/mcp-registry/README.md")
    const named = new Set([...text.matchAll(/^\| `(\w+)/gm)].map(([, name]) => name))
    const registry = read("packages/mcp-registry/src/McpRegistry.ts")
    const service = registry.slice(
      registry.indexOf("class McpRegistry"),
      registry.indexOf(`("mcp-registry/McpRegistry")`)
    )
    const members = [...service.matchAll(/^ {2}readonly (\w+): /gm)].map(([, name]) => name)
    const reasons = Object.keys(McpErrors.REASONS)
    assert.isAbove(members.length, 10)
    assert.isAbove(reasons.length, 20)
    assert.deepStrictEqual([...members, ...reasons].filter((name) => !named.has(name)), [])
  })
})
