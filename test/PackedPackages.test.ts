/** The libraries as they are published: packed, installed by npm outside the workspace, compiled, bundled and run. */
import { assert, beforeAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import process from "node:process"
import * as CodeExamples from "./support/CodeExamples.ts"
import * as Command from "./support/Command.ts"
import { gone, INSTALL, LOADED, made, run, SELDOM, temporaryFolder } from "./support/Packing.ts"

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

/** The program that runs one of a model. */
const sandboxOfReadme = (): string => {
  const readme = readFileSync(join(root, "packages", "mcp-node", "README.md"), "utf8")
  return /```ts\n([^`]*NodeSandbox[^]*?)^```/m.exec(readme)?.[1] ?? assert.fail("the README runs no program")
}

const versionOf = (name: string): string =>
  `${name}@${JSON.parse(readFileSync(join(root, "test", "node_modules", name, "package.json"), "utf8")).version}`

const TSC = join(root, "node_modules", "typescript", "bin", "tsc")

const compile = (project: string, programs: ReadonlyArray<string>) => {
  const tsconfig = { compilerOptions: CodeExamples.COMPILER_OPTIONS, files: programs }
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify(tsconfig))
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
  writeFileSync(join(folder, "servers.ts"), CodeExamples.servers())
  writeFileSync(join(folder, "sandbox.ts"), sandboxOfReadme())
  writeFileSync(join(folder, "ai-sdk.ts"), AI_SDK)
  writeFileSync(
    join(folder, "AiSdk.ts"),
    readFileSync(join(root, "packages", "toolkit", "examples", "AiSdk.ts"), "utf8")
  )
  const files = { command: process.execPath, args: [join(folder, "server.mjs")] }
  writeFileSync(join(folder, "mcp.json"), JSON.stringify({ mcpServers: { files } }))
}

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
        yield* compile(project, ["ai-sdk.ts", ...CodeExamples.write(project)])
        assert.include(yield* lastLine(project, "ai-sdk.ts"), "hello to you")
      }),
    600_000
  )
})
