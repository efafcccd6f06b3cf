/**
 * The examples of the documents and of the packages' sources: all compile, and those that print something run as they stand but
 * for the addresses of servers.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { execFile } from "node:child_process"
import { symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import * as CodeExamples from "./support/CodeExamples.ts"
import { CHECKOUT, folder } from "./support/Command.ts"
import * as Compiled from "./support/Compiled.ts"
import * as Deadline from "./support/Deadline.ts"
import * as HttpWays from "./support/HttpWays.ts"
import { run } from "./support/Packing.ts"

const { commented, documented } = CodeExamples

const EVERYTHING = join(CHECKOUT, "test/node_modules/@modelcontextprotocol/server-everything/dist/index.js")

/** Servers of this machine in place of those that an example names. */
const onThisMachine = (code: string, port: number) =>
  code.replace("http://127.0.0.1:3000", `http://127.0.0.1:${port}`).replace(
    `command: "npx", args: ["-y", "@modelcontextprotocol/server-everything"]`,
    `command: ${JSON.stringify(process.execPath)}, args: [${JSON.stringify(EVERYTHING)}]`
  )

const TSC = join(CHECKOUT, "node_modules", "typescript", "bin", "tsc")

/** What each of them prints, in one Node, whose working directory has an `mcp.json`. */
const printed = Effect.fnUntraced(function*(examples: ReadonlyArray<CodeExamples.CodeExample>) {
  const { port } = yield* HttpWays.serve("modern")
  const place = yield* folder({
    "mcp.json": `{ "mcpServers": { "files": { "command": "x" } } }`,
    "main.mjs": examples.map((_, at) => `console.log("== ${at}")\nawait import("./Example${at}.ts")\n`).join(""),
    ...Object.fromEntries(examples.map(({ code }, at) => [`Example${at}.ts`, onThisMachine(code, port)]))
  })
  symlinkSync(join(CHECKOUT, "test/node_modules"), join(place, "node_modules"))
  const { stdout } = yield* Effect.promise(() =>
    promisify(execFile)(process.execPath, [...Compiled.FLAGS, "main.mjs"], { cwd: place })
  )
  return stdout.split(/^== \d+\n/m).slice(1)
})

describe("The examples in TypeScript", Deadline.TEST, () => {
  it.live("print what their comments say, and those of mcp-client what its README is about", () =>
    Effect.gen(function*() {
      const readme = documented.filter(({ place }) => place.startsWith("packages/mcp-client/"))
      const outputs = yield* printed([...commented, ...readme])
      for (const [at, { code, place }] of commented.entries()) {
        const said = [...code.matchAll(/^ *console\.log\(.*\) \/\/ (.*)$/gm)].map(([, line]) => `${line}\n`)
        assert.include(outputs[at], said.join(""), place)
        assert.isNotEmpty(said, place)
      }
      const [overPipes, overHttp, ...others] = outputs.slice(commented.length)
      assert.include(overPipes, "'get-sum'")
      assert.include(overPipes, "Echo: Hello")
      assert.include(overHttp, "2026-07-28")
      assert.include(overHttp, "'echo'")
      assert.deepStrictEqual(others, [])
    }))

  it.live("compile outside, and beside them the declarations with which the libraries are packed", () =>
    Effect.gen(function*() {
      // `PackedPackages.test.ts` compiles them with the packages as they are installed.
      const project = yield* folder({ "package.json": `{ "type": "module" }`, "servers.ts": CodeExamples.servers() })
      symlinkSync(join(CHECKOUT, "test/node_modules"), join(project, "node_modules"))
      const tsconfig = {
        compilerOptions: { ...CodeExamples.COMPILER_OPTIONS, declaration: true },
        files: CodeExamples.write(project),
        include: [join(CHECKOUT, "packages/*/src")]
      }
      writeFileSync(join(project, "tsconfig.json"), JSON.stringify(tsconfig))
      yield* run(process.execPath, [TSC, "-p", ".", "--singleThreaded"], project)
    }))

  it("show patterns, a configuration, a connection and the registry in the reference", () => {
    const modules = commented.map(({ place }) => /(\w+)\.ts/.exec(place)?.[1])
    assert.includeMembers(modules, ["ToolGlob", "McpConfig", "McpClient", "McpRegistry"])
  })
})
