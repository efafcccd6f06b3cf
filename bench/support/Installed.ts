/** The packages as their users have them: built, packed, and installed by npm outside of the workspace. */
import { execFile } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

const ROOT = fileURLToPath(new URL("../../", import.meta.url))
const PROGRAMS = fileURLToPath(new URL("../programs/first/", import.meta.url))
const PACKAGES = ["tool-glob", "mcp-config", "mcp-client", "mcp-registry", "mcp-node"]
const OTHERS = ["effect", "@effect/platform-node", "@modelcontextprotocol/client"]

const run = (command: string, args: ReadonlyArray<string>, cwd: string) =>
  promisify(execFile)(command, [...args], { cwd, maxBuffer: 10_000_000 })

/** As the workspace has it. */
const versionOf = (name: string): string => {
  const manifest = readFileSync(join(ROOT, "bench/node_modules", name, "package.json"), "utf8")
  return `${name}@${JSON.parse(manifest).version}`
}

/** A folder of its own, gone when the process ends. */
export const folder = mkdtempSync(join(tmpdir(), "boocode-bench-"))
process.on("exit", () => rmSync(folder, { recursive: true, force: true }))

const install = async (): Promise<void> => {
  const packed = join(folder, "packed")
  await run(process.execPath, [join(ROOT, "scripts/Build.mjs"), "--pack", packed], ROOT)
  const tarballs = readdirSync(packed).filter((file) => PACKAGES.some((name) => file.startsWith(`boocode-${name}-`)))
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "installed", private: true, type: "module" }))
  const options = ["--ignore-scripts", "--no-audit", "--no-fund"]
  await run(
    "npm",
    ["install", ...options, ...tarballs.map((file) => join(packed, file)), ...OTHERS.map(versionOf)],
    folder
  )
  cpSync(PROGRAMS, folder, { recursive: true })
}

let installed: Promise<void> | null = null

/** Once, however many rows need it; fails with what stood in the way. */
export const prepare = (): Promise<void> => {
  installed ??= install().catch((error: Error & { readonly stdout?: string; readonly stderr?: string }) => {
    const said = `${error.stdout ?? ""}\n${error.stderr ?? ""}\n${error.message}`.trim().split("\n")[0]
    throw new Error(`the packages could not be installed: ${said}`)
  })
  return installed
}
