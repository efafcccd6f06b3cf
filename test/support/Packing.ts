/** What the tests of packed packages do as people who install them. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { execFile } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"

export const made = () => mkdtempSync(join(tmpdir(), "boocode-pack-"))
export const gone = (folder: string) => rmSync(folder, { recursive: true, force: true })

export const temporaryFolder = Effect.acquireRelease(Effect.sync(made), (folder) => Effect.sync(() => gone(folder)))

export class CommandFailed extends Schema.TaggedError<CommandFailed>()("CommandFailed", {
  message: Schema.String,
  cause: Schema.Defect()
}) {}

export const run = (command: string, args: ReadonlyArray<string>, cwd: string, env: NodeJS.ProcessEnv = process.env) =>
  Effect.tryPromise({
    try: (signal) => promisify(execFile)(command, [...args], { cwd, env, signal, maxBuffer: 10_000_000 }),
    // What a compiler or npm says about a failure stands on its standard output.
    catch: (cause) => new CommandFailed({ message: `${Object(cause).stdout}${Object(cause).stderr}`, cause })
  }).pipe(Effect.map(({ stdout }) => stdout))

export const INSTALL = ["install", "--ignore-scripts", "--no-audit", "--no-fund"]

/** Which modules an import of the packages for servers loads, and then a first entry. */
export const LOADED = `
import { registerHooks } from "node:module"
const loaded = []
registerHooks({
  load: (url, context, next) => {
    loaded.push(url)
    return next(url, context)
  }
})
const Effect = await import("effect/Effect")
await import("@boocode/mcp-registry")
const { Environment, McpConfig } = await import("@boocode/mcp-config")
const { NodeMcp } = await import("@boocode/mcp-node")
await McpConfig.use(({ current }) => current).pipe(
  Effect.provide(McpConfig.layerEntries({ it: { command: "x", timeout: "5 seconds", env: { A: "b" } } })),
  Effect.provide(NodeMcp.layer),
  Effect.provide(Environment.layer({})),
  Effect.runPromise
)
console.log(JSON.stringify(loaded))
`

/** What takes long to load, and is loaded by those who need it. */
export const SELDOM = [
  "/effect/dist/Schema",
  "/effect/dist/process/",
  "/effect/dist/Terminal",
  "/undici/",
  "/@modelcontextprotocol/",
  "/@napi-rs/",
  "/quickjs-wasi/",
  "/yaml/",
  "/toml-eslint-parser/",
  "/@decimalturn/toml-patch/"
]
