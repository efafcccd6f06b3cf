/**
 * Compiles every package that can be published into its `dist`; with `--pack FOLDER` also packs them there.
 */
import { spawnSync } from "node:child_process"
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import process from "node:process"
import { fileURLToPath } from "node:url"
import { pnpm } from "./Pnpm.mjs"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const output = join(root, "dist")

const packages = readdirSync(join(root, "packages")).filter((name) =>
  JSON.parse(readFileSync(join(root, "packages", name, "package.json"), "utf8")).private !== true
)

/** One program for all: their imports of each other lead to sources, which must not be emitted twice. */
const compile = () => {
  rmSync(output, { recursive: true, force: true })
  const tsc = join(root, "node_modules", ".bin", "tsc")
  const { status } = spawnSync(tsc, ["-p", "tsconfig.build.json"], {
    cwd: root,
    stdio: "inherit",
    shell: process.platform === "win32"
  })
  return status === 0
}

const distribute = (name) => {
  const target = join(root, "packages", name, "dist")
  rmSync(target, { recursive: true, force: true })
  cpSync(join(output, name, "src"), target, { recursive: true })
}

const pack = (name, folder) => pnpm(["pack", "--pack-destination", folder], join(root, "packages", name)).status === 0

const [flag, folder] = process.argv.slice(2)
if (flag !== undefined && (flag !== "--pack" || folder === undefined)) {
  process.stderr.write("usage: node scripts/Build.mjs [--pack FOLDER]\n")
  process.exit(2)
}

const build = () => {
  if (!compile()) return false
  packages.forEach(distribute)
  rmSync(output, { recursive: true, force: true })
  if (folder === undefined) return true
  mkdirSync(folder, { recursive: true })
  return packages.every((name) => pack(name, resolve(folder)))
}

process.exitCode = build() ? 0 : 1
