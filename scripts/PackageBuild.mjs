/**
 * Builds `boocode`, the package that people install: the command, the page and the programs that they start, each with the
 * libraries that it needs. Only what is native code stays a dependency.
 */
import { spawnSync } from "node:child_process"
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import * as Built from "./Built.mjs"
import * as CommandBuild from "./CommandBuild.mjs"
import * as WebBuild from "./WebBuild.mjs"

const server = join(Built.root, "apps", "chat-server")
const sandbox = join(Built.root, "packages", "mcp-node")

/** The oldest Node that runs it. */
const OLDEST = [22, 19]

/** Replaces `Installation.ts`. Every file of the bundle lies in `dist`. */
const INSTALLATION = `
import { fileURLToPath } from "node:url"
const at = (path) => fileURLToPath(new URL(path, import.meta.url))
export const checkout = null
export const page = at("../page")
export const commands = [at("../commands")]
export const entry = at("../bin/boocode.cjs")
export const pdfPages = new URL("./PdfPages.mjs", import.meta.url)
export const sandbox = {
  program: new URL("./SandboxThread.mjs", import.meta.url),
  engine: new URL("./quickjs.wasm", import.meta.url)
}
`

/** Puts the places of the package into the bundle, and fails where a source seeks something from its own place. */
const installed = () => {
  let isFound = false
  return {
    name: "installed",
    transform: {
      filter: { id: /\/(apps|packages)\/[^/]+\/src\//, code: "import.meta.url" },
      handler: (_, id) => {
        if (!id.endsWith("/settings/Installation.ts")) {
          throw new Error(
            `${id} seeks files from its own place, which the package has not got: let Installation.ts name them`
          )
        }
        isFound = true
        return { code: INSTALLATION, moduleType: "js" }
      }
    },
    buildEnd: (error) => {
      if (error === undefined && !isFound) {
        throw new Error("no source is Installation.ts any more: correct PackageBuild.mjs")
      }
    }
  }
}

/** In words that every Node understands. */
const BIN = `#!/usr/bin/env node
"use strict"
var version = process.versions.node.split(".")
if (version[0] > ${OLDEST[0]} || (version[0] == ${OLDEST[0]} && version[1] >= ${OLDEST[1]})) {
  require("../dist/start.cjs")
} else {
  console.error("boocode needs Node ${
  OLDEST.join(".")
} or newer, and this is " + process.versions.node + " (" + process.execPath + "): install a newer one from https://nodejs.org")
  process.exitCode = 1
}
`

/**
 * Node takes the size for new objects only at its start (docs/operation.md, Memory), and npx passes no flag to it. So a
 * server starts again in the same process.
 */
const START = `"use strict"
const { enableCompileCache } = require("node:module")
const { join } = require("node:path")
const [first = "serve", ...others] = process.argv.slice(2)
const serves = first.startsWith("-") || [first, ...others].includes("serve")
const FLAG = "--max-semi-space-size"
const isSet = [...process.execArgv, process.env.NODE_OPTIONS ?? ""].some((text) => text.includes(FLAG))
if (serves && !isSet && process.execve !== undefined && process.platform !== "win32") {
  process.execve(process.execPath, [process.execPath, FLAG + "=16", ...process.execArgv, ...process.argv.slice(1)], process.env)
}
// Node 22 says of its SQLite that it may change.
const { emitWarning } = process
process.emitWarning = (warning, ...more) => /^SQLite /.test(warning) || emitWarning(warning, ...more)
enableCompileCache(join(__dirname, "..", ".cache"))
// A short command loads much that stays, which V8 would copy each time that it makes room.
if (!serves) require("node:v8").setFlagsFromString("--semi-space-growth-factor=16")
import("./main.mjs")
`

const read = (...names) => readFileSync(join(Built.root, ...names), "utf8")

/** The version that the catalog has. */
const versionOf = (name) => new RegExp(`^  "?${name}"?: (\\S+)$`, "m").exec(read("pnpm-workspace.yaml"))[1]

const manifest = () => {
  const { license, repository, version } = JSON.parse(read("package.json"))
  const native = ["sharp", ...CommandBuild.LATE]
  return {
    name: "boocode",
    version,
    description: "A chat server for your own machine, whose agents use the tools of many MCP servers.",
    license,
    repository,
    keywords: ["mcp", "chat", "agents", "effect"],
    type: "module",
    bin: { boocode: "bin/boocode.cjs" },
    engines: { node: `>=${OLDEST.join(".")}.0` },
    optionalDependencies: Object.fromEntries(native.map((name) => [name, versionOf(name)]))
  }
}

/** The package that a file of `node_modules` belongs to. */
const packageOf = (file) => /^.*[/\\]node_modules[/\\](?:@[^/\\]+[/\\])?[^/\\]+/.exec(file)?.[0]

const licenseOf = (folder) => {
  const { license, name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file))
  if (license === undefined && files.length === 0) throw new Error(`${name} has no license, so it cannot be passed on`)
  return {
    name,
    version,
    identifier: license,
    text: files.map((file) => readFileSync(join(folder, file), "utf8")).join("\n")
  }
}

/** What of others is in the package, with the licenses that ask to be passed on. */
const thirdParty = (files) => {
  const folders = new Set(files.map(packageOf).filter((folder) => folder !== undefined))
  const ofPage = JSON.parse(read("apps", "web", "dist", WebBuild.LICENSES))
  const all = new Map([...ofPage, ...[...folders].map(licenseOf)].map((one) => [`${one.name} ${one.version}`, one]))
  const parts = [...all].sort(([one], [other]) => one < other ? -1 : 1).map(([title, { identifier, text }]) =>
    `## ${title} (${identifier ?? "see its license"})\n\n${text.trim()}\n`
  )
  return `# Software of others in this package\n\n${parts.join("\n")}`
}

const SERVER = "mcp-server-filesystem"

const programs = {
  main: CommandBuild.MAIN,
  SandboxThread: join(sandbox, "src", "code", "SandboxThread.ts"),
  PdfPages: join(server, "src", "services", "PdfPages.ts"),
  [SERVER]: join(Built.root, "node_modules", "@modelcontextprotocol", "server-filesystem", "dist", "index.js")
}

const write = (file, text, mode = 0o644) => {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text, { mode })
}

const fill = async (folder) => {
  const plugins = [CommandBuild.late((name) => JSON.stringify(name)), installed()]
  const files = await CommandBuild.bundle(join(folder, "dist"), programs, plugins, { external: ["sharp"] })
  cpSync(join(sandbox, "node_modules", "quickjs-wasi", "quickjs.wasm"), join(folder, "dist", "quickjs.wasm"))
  write(join(folder, "dist", "start.cjs"), START)
  write(join(folder, "bin", "boocode.cjs"), BIN, 0o755)
  // The server of the first mcp.json, found behind the person's own commands.
  write(join(folder, "commands", SERVER), `#!/usr/bin/env node\nimport "../dist/${SERVER}.mjs"\n`, 0o755)
  write(join(folder, "commands", `${SERVER}.cmd`), `@node "%~dp0${SERVER}" %*\r\n`)
  cpSync(join(Built.root, "apps", "web", "dist", WebBuild.PAGE), join(folder, "page", WebBuild.PAGE))
  write(join(folder, "package.json"), `${JSON.stringify(manifest(), null, 2)}\n`)
  write(join(folder, "README.md"), read("apps", "cli", "README.md"))
  write(join(folder, "LICENSE"), read("LICENSE"))
  write(join(folder, "THIRD_PARTY.md"), thirdParty(files))
}

/** Writes `boocode-VERSION.tgz` into a folder that exists. Gives false when it could not, having said why. */
export const pack = async (target) => {
  if (!WebBuild.ensure()) return false
  const folder = join(target, "package")
  rmSync(folder, { recursive: true, force: true })
  try {
    await fill(folder)
    const file = join(target, `boocode-${manifest().version}.tgz`)
    return spawnSync("tar", ["-czf", file, "-C", target, "package"], { stdio: ["ignore", 2, 2] }).status === 0
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
