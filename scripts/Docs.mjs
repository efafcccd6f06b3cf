/**
 * Builds the site of `docs/`, its reference included, into `docs/.vitepress/dist`; with `reference` only the pages of the
 * reference, into `docs/reference`. Its tools have a lockfile of their own and are installed here, for nobody else.
 */
import { spawnSync } from "node:child_process"
import { rmSync } from "node:fs"
import { dirname, join } from "node:path"
import process from "node:process"
import { fileURLToPath } from "node:url"
import { pnpm } from "./Pnpm.mjs"

const docs = join(dirname(dirname(fileURLToPath(import.meta.url))), "docs")

const run = (command, ...args) =>
  spawnSync(join(docs, "node_modules", ".bin", command), args, {
    cwd: docs,
    stdio: "inherit",
    shell: process.platform === "win32"
  }).status === 0

const reference = () => {
  rmSync(join(docs, "reference"), { recursive: true, force: true })
  return run("typedoc", "--options", "Reference.mjs")
}

// The committed lockfile holds the hashes; to ask for the age of each release would take longer than the install.
const isInstalled = pnpm(["install", "--frozen-lockfile", "--config.minimumReleaseAge=0"], docs).status === 0
const isDone = isInstalled && reference() && (process.argv[2] === "reference" || run("vitepress", "build"))
process.exitCode = isDone ? 0 : 1
