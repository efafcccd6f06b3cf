import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { execFile } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

const root = fileURLToPath(new URL("..", import.meta.url))
const wanted = ["tool-glob", "mcp-config", "mcp-registry", "mcp-node"]

const SERVER = `
import { createInterface } from "node:readline"
const result = (method) => {
  if (method === "tools/list") return { tools: [{ name: "hello", inputSchema: { type: "object" } }] }
  if (method === "initialize") {
    return { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "tiny", version: "1" } }
  }
}
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line)
  if (id === undefined) return
  const answer = result(method)
  const outcome = answer === undefined ? { error: { code: -32601, message: "no such method" } } : { result: answer }
  console.log(JSON.stringify({ jsonrpc: "2.0", id, ...outcome }))
})
`

const PROGRAM = `
import process from "node:process"
import { Environment, McpConfig } from "@boocode/mcp-config"
import { NodeMcp } from "@boocode/mcp-node"
import { McpRegistry } from "@boocode/mcp-registry"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Layer from "effect/Layer"

const program = Effect.gen(function*() {
  const registry = yield* McpRegistry
  yield* registry.settled
  const { tools } = yield* registry.view(["tiny_*"])
  yield* Console.log(JSON.stringify(tools.map((tool) => tool.name)))
})

const Registry = McpRegistry.layer().pipe(
  Layer.provide(McpConfig.layerEntries({ tiny: { command: process.execPath, args: ["server.mjs"] } })),
  Layer.provide(NodeMcp.layer),
  Layer.provide(Environment.layer(process.env))
)

program.pipe(Effect.provide(Registry), NodeRuntime.runMain)
`

const TSCONFIG = {
  compilerOptions: {
    target: "ES2024",
    lib: ["ES2024", "ESNext.Disposable"],
    module: "NodeNext",
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    skipLibCheck: true,
    types: ["node"]
  },
  files: ["program.ts"]
}

const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "boocode-pack-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

class CommandFailed extends Schema.TaggedError<CommandFailed>()("CommandFailed", {
  message: Schema.String,
  cause: Schema.Defect()
}) {}

const run = (command: string, args: ReadonlyArray<string>, cwd: string) =>
  Effect.tryPromise({
    try: (signal) => promisify(execFile)(command, [...args], { cwd, signal, maxBuffer: 10_000_000 }),
    // What a compiler or npm says about a failure stands on its standard output.
    catch: (cause) => new CommandFailed({ message: `${Object(cause).stdout}${Object(cause).stderr}`, cause })
  }).pipe(Effect.map(({ stdout }) => stdout))

const versionOf = (name: string): string =>
  `${name}@${JSON.parse(readFileSync(join(root, "test", "node_modules", name, "package.json"), "utf8")).version}`

const writeProject = (folder: string) => {
  mkdirSync(folder)
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "outside", private: true, type: "module" }))
  writeFileSync(join(folder, "server.mjs"), SERVER)
  writeFileSync(join(folder, "program.ts"), PROGRAM)
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(TSCONFIG))
}

describe("packed packages", () => {
  it.live(
    "install with npm outside the workspace, compile, and list the tools of a server",
    () =>
      Effect.gen(function*() {
        const folder = yield* temporaryFolder
        const packed = join(folder, "packed")
        yield* run(process.execPath, [join(root, "scripts", "Build.mjs"), "--pack", packed], root)
        for (const file of readdirSync(packed)) {
          assert.include(yield* run("tar", ["-tzf", join(packed, file)], root), "package/README.md\n", file)
        }
        const tarballs = readdirSync(packed).filter((file) =>
          wanted.some((name) => file.startsWith(`boocode-${name}-`))
        ).map((file) => join(packed, file))
        assert.strictEqual(tarballs.length, wanted.length)

        const project = join(folder, "project")
        writeProject(project)
        const others = ["effect", "@effect/platform-node", "@types/node"].map(versionOf)
        yield* run("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", ...tarballs, ...others], project)
        yield* run(process.execPath, [join(root, "node_modules", "typescript", "bin", "tsc"), "-p", "."], project)
        const output = yield* run(process.execPath, ["program.ts"], project)
        assert.strictEqual(output.trim().split("\n").at(-1), "[\"tiny_hello\"]")
      }),
    300_000
  )
})
