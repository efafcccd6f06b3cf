import * as NodeSandbox from "@boocode/mcp-node/NodeSandbox"
import { Sandbox } from "@boocode/toolkit/code"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { execFile } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { homedir, tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"
import { promisify } from "node:util"
import * as ModelServer from "./servers/ModelServer.ts"
import { untilSeen } from "./support/CliFolder.ts"
import * as CodeExamples from "./support/CodeExamples.ts"
import * as Command from "./support/Command.ts"
import * as Deadline from "./support/Deadline.ts"
import * as Pdf from "./support/Pdf.ts"
import * as Processes from "./support/Processes.ts"

const root = Command.CHECKOUT
const wanted = [
  "tool-glob",
  "mcp-config",
  "mcp-client",
  "mcp-registry",
  "mcp-gateway",
  "mcp-fleet",
  "mcp-node",
  "toolkit",
  "language-models",
  "chat"
]

const SERVER = `
import { createInterface } from "node:readline"
const result = (method) => {
  if (method === "tools/call") return { content: [{ type: "text", text: "hello to you" }] }
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

/** What a bundle has to bring along: a program's pipes, HTTP, and a library that it leaves where it is, or is not. */
const BUNDLED = `
import process from "node:process"
import { Environment, McpConfig } from "@boocode/mcp-config"
import { NodeMcp } from "@boocode/mcp-node"
import * as Keychain from "@boocode/mcp-node/Keychain"
import { McpRegistry } from "@boocode/mcp-registry"
import { ToolArguments } from "@boocode/toolkit"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const program = Effect.gen(function*() {
  const registry = yield* McpRegistry
  yield* registry.settled
  const { error } = yield* registry.server("gone")
  const { message } = yield* Effect.flip(Keychain.system.read)
  const args = yield* Effect.fromResult(ToolArguments.parse("tiny_hello", "{}"))
  const { content } = yield* registry.call("tiny_hello", args)
  yield* Console.log(JSON.stringify({ gone: error?._tag, message, content }))
})

const Registry = McpRegistry.layer().pipe(
  Layer.provide(McpConfig.layerFile("mcp.json")),
  Layer.provide(NodeMcp.layer),
  Layer.provide(Environment.layer(process.env))
)

program.pipe(Effect.provide(Registry), NodeRuntime.runMain)
`

/** Of the version in the catalog; no manifest names it. */
const ESBUILD = `esbuild@${/^ {2}esbuild: (\S+)$/m.exec(readFileSync(join(root, "pnpm-workspace.yaml"), "utf8"))?.[1]}`

/** For libraries that are no modules, in a bundle that is one. */
const REQUIRE = `import { createRequire } from "node:module"; const require = createRequire(import.meta.url);`

const FORMATS = [["bundle.cjs", ["--format=cjs"]], ["bundle.mjs", ["--format=esm", `--banner:js=${REQUIRE}`]]] as const

/** Which modules an import of the packages for servers loads, and then a first entry. */
const LOADED = `
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
const SELDOM = [
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

/** A program of Effect, where nobody installed the AI SDK. */
const TOOLKIT = `
import { McpRegistry } from "@boocode/mcp-registry"
import { McpToolkit } from "@boocode/toolkit"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { servers } from "./servers.ts"

const program = Effect.gen(function*() {
  yield* McpRegistry.use(({ settled }) => settled)
  const toolkit = yield* McpToolkit.forAgent(undefined)
  const results = yield* toolkit.handle("files_hello", {}).pipe(Stream.unwrap, Stream.runCollect)
  yield* Console.log(JSON.stringify(results.map(({ encodedResult, isFailure }) => [isFailure, encodedResult])))
})

program.pipe(Effect.provide(servers), NodeRuntime.runMain)
`

/** A program of the AI SDK: the example of the README with a model that calls the tool and then says what it read. */
const AI_SDK = `
import { MockLanguageModelV4 } from "ai/test"
import { ask } from "./AiSdk.ts"
import { servers } from "./servers.ts"

const usage = {
  inputTokens: { total: 1, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: undefined, reasoning: undefined }
}
const model = new MockLanguageModelV4({
  doGenerate: async ({ prompt }) => {
    const last = prompt.at(-1)
    return last?.role === "tool"
      ? {
        content: [{ type: "text", text: JSON.stringify(last.content) }],
        finishReason: { unified: "stop", raw: undefined },
        usage,
        warnings: []
      }
      : {
        content: [{ type: "tool-call", toolCallId: "1", toolName: "files_hello", input: "{}" }],
        finishReason: { unified: "tool-calls", raw: undefined },
        usage,
        warnings: []
      }
  }
})
console.log(await ask(model, servers, "say hello"))
`

/** A chat without a model, and what is known of a model before it is asked. */
const CHAT = `
import { Chats, CurrentUser, FIRST, MemoryChatStore } from "@boocode/chat"
import { Agents } from "@boocode/chat/Agents"
import { WorkspaceTools } from "@boocode/chat/WorkspaceTools"
import { LanguageModels } from "@boocode/language-models"
import { UNKNOWN } from "@boocode/language-models/ModelFacts"
import { ResultFiles } from "@boocode/toolkit"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { servers } from "./servers.ts"

const program = Effect.gen(function*() {
  const chats = yield* Chats
  const models = yield* LanguageModels
  const { id } = yield* chats.create({ agent: null, model: null })
  yield* chats.send(id, { text: "/files_hello {}", agent: null, model: null })
  yield* chats.events(id, 0).pipe(Stream.takeUntil(({ type }) => type === "finish"), Stream.runDrain)
  const { text } = yield* chats.export(id, "markdown")
  const { contextTokens, prices } = yield* models.facts("openai/gpt-5")
  yield* Console.log(JSON.stringify({ text, isKnown: contextTokens !== UNKNOWN.contextTokens && prices !== null }))
})

const layer = Chats.layer({ model: null }).pipe(
  Layer.provideMerge(Layer.mergeAll(
    Agents.layerFile("AGENTS.md"),
    WorkspaceTools.layer("."),
    MemoryChatStore.layer,
    Layer.provide(LanguageModels.layer, ConfigProvider.layer(ConfigProvider.fromEnv({ env: { OPENAI_API_KEY: "k" } }))),
    servers
  )),
  Layer.provideMerge(ResultFiles.layer("results")),
  Layer.provide(NodeServices.layer)
)
program.pipe(Effect.provideService(CurrentUser, FIRST), Effect.provide(layer), NodeRuntime.runMain)
`

/** The block of the toolkit's README that says how servers are had on Node. */
const serversOfReadme = (): string => {
  const readme = readFileSync(join(root, "packages", "toolkit", "README.md"), "utf8")
  return /```ts\n(\/\/ servers\.ts\n[^]*?)```/.exec(readme)?.[1] ?? assert.fail("the README shows no servers.ts")
}

/** The program that runs one of a model. */
const sandboxOfReadme = (): string => {
  const readme = readFileSync(join(root, "packages", "mcp-node", "README.md"), "utf8")
  return /```ts\n([^`]*NodeSandbox[^]*?)^```/m.exec(readme)?.[1] ?? assert.fail("the README runs no program")
}

const tsconfig = (files: ReadonlyArray<string>) =>
  JSON.stringify({
    compilerOptions: {
      target: "ES2024",
      lib: ["ES2024", "ESNext.Disposable"],
      module: "NodeNext",
      strict: true,
      exactOptionalPropertyTypes: true,
      allowImportingTsExtensions: true,
      noEmit: true,
      skipLibCheck: true,
      types: ["node"]
    },
    files
  })

const made = () => mkdtempSync(join(tmpdir(), "boocode-pack-"))
const gone = (folder: string) => rmSync(folder, { recursive: true, force: true })

const temporaryFolder = Effect.acquireRelease(Effect.sync(made), (folder) => Effect.sync(() => gone(folder)))

class CommandFailed extends Schema.TaggedError<CommandFailed>()("CommandFailed", {
  message: Schema.String,
  cause: Schema.Defect()
}) {}

const run = (command: string, args: ReadonlyArray<string>, cwd: string, env: NodeJS.ProcessEnv = process.env) =>
  Effect.tryPromise({
    try: (signal) => promisify(execFile)(command, [...args], { cwd, env, signal, maxBuffer: 10_000_000 }),
    // What a compiler or npm says about a failure stands on its standard output.
    catch: (cause) => new CommandFailed({ message: `${Object(cause).stdout}${Object(cause).stderr}`, cause })
  }).pipe(Effect.map(({ stdout }) => stdout))

const versionOf = (name: string): string =>
  `${name}@${JSON.parse(readFileSync(join(root, "test", "node_modules", name, "package.json"), "utf8")).version}`

const TSC = join(root, "node_modules", "typescript", "bin", "tsc")

const compile = (project: string, programs: ReadonlyArray<string>) => {
  writeFileSync(join(project, "tsconfig.json"), tsconfig(programs))
  return run(process.execPath, [TSC, "-p", "."], project)
}

/** Runs a program, and gives the last line that it prints. */
const lastLine = (project: string, program: string) =>
  Effect.map(run(process.execPath, [program], project), (output) => output.trim().split("\n").at(-1) ?? "")

const writeProject = (folder: string) => {
  mkdirSync(folder)
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "outside", private: true, type: "module" }))
  writeFileSync(join(folder, "server.mjs"), SERVER)
  writeFileSync(join(folder, "program.ts"), PROGRAM)
  writeFileSync(join(folder, "bundled.ts"), BUNDLED)
  writeFileSync(join(folder, "loaded.mjs"), LOADED)
  writeFileSync(join(folder, "toolkit.ts"), TOOLKIT)
  writeFileSync(join(folder, "chat.ts"), CHAT)
  writeFileSync(join(folder, "servers.ts"), serversOfReadme())
  writeFileSync(join(folder, "sandbox.ts"), sandboxOfReadme())
  writeFileSync(join(folder, "ai-sdk.ts"), AI_SDK)
  writeFileSync(
    join(folder, "AiSdk.ts"),
    readFileSync(join(root, "packages", "toolkit", "examples", "AiSdk.ts"), "utf8")
  )
  const files = { command: process.execPath, args: [join(folder, "server.mjs")] }
  writeFileSync(join(folder, "mcp.json"), JSON.stringify({ mcpServers: { files } }))
}

/** Writes all examples for people who install the packages, and gives their names, which tell where they stand. */
const writeExamples = (project: string): ReadonlyArray<string> =>
  [...CodeExamples.documented, ...CodeExamples.commented].map(({ code, place }) => {
    const name = `${place.replaceAll(/[^\w-]+/g, "-")}.ts`
    writeFileSync(join(project, name), code)
    return name
  })

/** Bundles the program and runs what came of it in a folder without any library. */
const bundled = Effect.fnUntraced(function*(project: string, file: string, flags: ReadonlyArray<string>) {
  const place = join(project, "..", "bundled")
  mkdirSync(place, { recursive: true })
  const servers = {
    tiny: { command: process.execPath, args: ["server.mjs"] },
    gone: { url: "http://127.0.0.1:1/mcp" }
  }
  writeFileSync(join(place, "server.mjs"), SERVER)
  writeFileSync(join(place, "mcp.json"), JSON.stringify({ mcpServers: servers }))
  const esbuild = join(project, "node_modules", "esbuild", "bin", "esbuild")
  const into = ["--bundle", "--platform=node", `--outfile=${join(place, file)}`, "--log-level=warning"]
  yield* run(process.execPath, [esbuild, "bundled.ts", ...into, ...flags], project)
  return JSON.parse(yield* run(process.execPath, [file], place))
})

/** What a published manifest asks of the people who install it. */
const asked = (project: string, name: string) => {
  const manifest = JSON.parse(
    readFileSync(join(project, "node_modules", "@boocode", name, "package.json"), "utf8")
  )
  return { effect: manifest.peerDependencies?.effect, node: manifest.engines?.node }
}

const INSTALL = ["install", "--ignore-scripts", "--no-audit", "--no-fund"]

/** The packages, built once for all tests of this file. */
let packed = ""
beforeAll(async () => {
  packed = made()
  await Effect.runPromise(run(process.execPath, [join(root, "scripts", "Build.mjs"), "--pack", packed], root))
  return () => gone(packed)
}, 600_000)

describe("packed packages", () => {
  it.live(
    "install with npm outside the workspace, compile, are bundled by esbuild, load nothing that is seldom needed, and list and call the tools of a server, also by the AI SDK and in a chat",
    () =>
      Effect.gen(function*() {
        const folder = yield* temporaryFolder
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
        yield* run("npm", [...INSTALL, ...tarballs, ...others, ESBUILD], project)
        assert.deepStrictEqual(asked(project, "mcp-registry"), { effect: "^4.1.0", node: ">=22.19.0" })
        assert.deepStrictEqual(asked(project, "mcp-node"), { effect: "^4.1.0", node: ">=22.19.0" })
        yield* compile(project, ["program.ts", "toolkit.ts", "chat.ts"])
        assert.strictEqual(yield* lastLine(project, "program.ts"), "[\"tiny_hello\"]")
        for (const [file, flags] of FORMATS) {
          const { content, gone, message } = yield* bundled(project, file, flags)
          assert.deepStrictEqual([content, gone], [[{ type: "text", text: "hello to you" }], "ConnectionLost"], file)
          assert.match(message, /^the keychain of the system cannot be used: .*@napi-rs\/keyring/, file)
        }
        const loaded: ReadonlyArray<string> = JSON.parse(yield* run(process.execPath, ["loaded.mjs"], project))
        assert.isAbove(loaded.filter((url) => url.includes("/effect/dist/")).length, 50)
        assert.deepStrictEqual(loaded.filter((url) => SELDOM.some((name) => url.includes(name))), [])
        assert.isFalse(existsSync(join(project, "node_modules", "ai")))
        assert.include(yield* lastLine(project, "toolkit.ts"), "hello to you")
        assert.strictEqual(yield* lastLine(project, "sandbox.ts"), "{\"sum\":3}")

        const { isKnown, text } = JSON.parse(yield* lastLine(project, "chat.ts"))
        assert.isTrue(isKnown)
        assert.include(text, "hello to you")

        yield* run("npm", [...INSTALL, versionOf("ai"), versionOf("zod")], project)
        yield* compile(project, ["ai-sdk.ts", ...writeExamples(project)])
        assert.include(yield* lastLine(project, "ai-sdk.ts"), "hello to you")
      }),
    600_000
  )
})

const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))

const MOST_BYTES = 60_000_000

/** The bytes of all files in a folder. */
const bytesOf = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    .reduce((sum, { name, parentPath }) => sum + statSync(join(parentPath, name)).size, 0)

/** What the package has in it: nothing of tests, no sources. */
const EXPECTED =
  /^package\/((bin|commands|dist|page)\/(?!.*\.(ts|map)$).*|LICENSE|(README|THIRD_PARTY)\.md|package\.json)?$/

/** Installs the command as people do, at a home where nobody has ever run npm or BooCode. */
const installed = Effect.fnUntraced(function*(folder: string) {
  const home = join(folder, "home")
  mkdirSync(home)
  const env = {
    HOME: home,
    BOOCODE_STATE_DIR: join(home, "state"),
    PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`
  }
  const npm = {
    ...process.env,
    ...env,
    NPM_CONFIG_USERCONFIG: join(homedir(), ".npmrc"),
    NPM_CONFIG_CACHE: join(home, "npm")
  }
  yield* run("npm", [...INSTALL, join(packed, `boocode-${version}.tgz`)], folder, npm)
  gone(join(home, "npm"))
  const bin = join(folder, "node_modules", ".bin", "boocode")
  return { home, env, bin, call: (...args: ReadonlyArray<string>) => run(bin, args, home, env) }
})

/** Looks at the folder, and says what it found and what a PDF told. */
const script: ModelServer.Script = ({ results }) =>
  results.length === 0
    ? [ModelServer.call("files_list_directory", { path: "." })]
    : [ModelServer.text(`It has ${results[0]?.text}.`)]

describe("boocode, packed", () => {
  it.live(
    "installs into an empty home and serves, lists, calls and chats there: page, first data folder, server of its files, thread for PDFs",
    () =>
      Effect.gen(function*() {
        const folder = yield* temporaryFolder
        const names = (yield* run("tar", ["-tzf", join(packed, `boocode-${version}.tgz`)], root)).trim().split("\n")
        assert.deepStrictEqual(names.filter((name) => !EXPECTED.test(name)), [])
        const { bin, call, env, home } = yield* installed(folder)
        assert.isBelow(bytesOf(join(folder, "node_modules")), MOST_BYTES)
        const dist = join(folder, "node_modules", "boocode", "dist")
        for (const native of ["sharp", "@napi-rs/keyring"]) createRequire(join(dist, "main.mjs")).resolve(native)
        const files = {
          program: pathToFileURL(join(dist, "SandboxThread.mjs")),
          engine: pathToFileURL(join(dist, "quickjs.wasm"))
        }
        const sandbox = {
          source: "return await calc.one()",
          functions: [{ server: "calc", tool: "one", name: "calc_one" }]
        }
        const { value } = yield* Sandbox.use((at) =>
          at.run({ ...sandbox, describe: Effect.succeed, call: () => Effect.succeed({ value: 1 }) })
        ).pipe(Effect.provide(NodeSandbox.layer(files)))
        assert.strictEqual(value, 1)
        const licenses = readFileSync(join(dist, "..", "THIRD_PARTY.md"), "utf8")
        for (const name of ["effect", "preact", "unpdf", "quickjs-wasi", "@modelcontextprotocol/server-filesystem"]) {
          assert.include(licenses, `\n## ${name} `)
        }

        const models = yield* ModelServer.make(script)
        const model = { OPENAI_BASE_URL: `${models.url}/v1`, OPENAI_API_KEY: "k", BOOCODE_MODEL: "openai/scripted" }
        const server = yield* Command.start(["--port", "0"], { program: bin, cwd: home, env: { ...env, ...model } })
        yield* untilSeen(() => server.seen.stdout.includes("files     ready, 10 tools, 4 rejected"))
        const data = join(home, ".local", "share", "boocode")
        assert.include(server.seen.stdout, `  the data folder is ${data}\n`)
        const [address = ""] = /http:\/\/\S+/.exec(server.seen.stdout) ?? []
        const page = yield* Effect.promise(() => fetch(address).then((answer) => answer.text()))
        const [, program = ""] = /<script[^>]* src="([^"]+)"/.exec(page) ?? []
        assert.isTrue((yield* Effect.promise(() => fetch(new URL(program, address)))).ok)

        assert.match(yield* call("mcp", "list"), /files +ready +10 tools/)
        const read = yield* call("mcp", "call", "files_read_text_file", "--args", `{"path":"README.md"}`)
        assert.include(read, "# The workspace")
        writeFileSync(join(home, "told.pdf"), Pdf.of([Pdf.lines("The boat is red")]))
        const told = yield* call("chat", "--file", "told.pdf", "what is there?")
        assert.match(told, /It has .*\[FILE\] README\.md/s)
        assert.include(JSON.stringify(models.requests.map(({ body }) => body)), "The boat is red")

        server.child.kill("SIGTERM")
        const { code, stderr } = yield* Effect.promise(() => server.ended)
        assert.deepStrictEqual([code, stderr], [0, ""])
        assert.deepStrictEqual(yield* Processes.leftAfter("HOME", home, Deadline.GONE_MILLIS), [])
      }),
    600_000
  )

  it.live("says on an older Node which one it needs, and ends with exit 1", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      yield* run("tar", ["-xzf", join(packed, `boocode-${version}.tgz`), "-C", folder, "package/bin"], root)
      const older = `Object.defineProperty(process.versions, "node", { value: "20.19.0" })`
      writeFileSync(join(folder, "older.cjs"), `${older}; require("./package/bin/boocode.cjs")`)
      const failed = yield* Effect.flip(run(process.execPath, ["older.cjs"], folder))
      assert.match(failed.message, /^boocode needs Node 22\.19 or newer, and this is 20\.19\.0 \(.*\): install .*\n$/)
      assert.strictEqual(Object(failed.cause).code, 1)
    }))
})
