/** The command as it is published: packed, and installed by npm into an empty home. */
import * as NodeSandbox from "@boocode/mcp-node/NodeSandbox"
import { Sandbox } from "@boocode/toolkit/code"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { homedir } from "node:os"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"
import * as ModelServer from "./servers/ModelServer.ts"
import { untilSeen } from "./support/CliFolder.ts"
import * as Command from "./support/Command.ts"
import * as Deadline from "./support/Deadline.ts"
import { gone, INSTALL, LOADED, made, run, SELDOM, temporaryFolder } from "./support/Packing.ts"
import * as Pdf from "./support/Pdf.ts"
import * as Processes from "./support/Processes.ts"

const root = Command.CHECKOUT

/** The package of the command, built once for all tests of this file. */
let packed = ""
beforeAll(async () => {
  packed = made()
  const { pack } = await import(new URL("../scripts/PackageBuild.mjs", import.meta.url).href)
  assert.isTrue(await pack(packed))
  return () => gone(packed)
}, 600_000)

describe("The packages for servers", () => {
  it.live("load nothing that is seldom needed when they are imported, nor for a first entry", () =>
    Effect.gen(function*() {
      const printed = yield* run(process.execPath, ["--input-type=module", "--eval", LOADED], join(root, "test"))
      const loaded: ReadonlyArray<string> = JSON.parse(printed)
      assert.isAbove(loaded.filter((url) => url.includes("/effect/dist/")).length, 50)
      assert.deepStrictEqual(loaded.filter((url) => SELDOM.some((name) => url.includes(name))), [])
    }))
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
