/**
 * Installs what running (`run`) or developing (`all`) needs, if it is not there yet; for running also builds the page and
 * the command. Says nothing when all of it is there.
 *
 * Runs before Node 24 is there, so it keeps to what Node 20 knows and imports no package. Everything goes to standard
 * error: the standard output belongs to the program that is started next.
 */
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import process from "node:process"
import { fileURLToPath } from "node:url"
import * as CommandBuild from "./CommandBuild.mjs"
import { pnpm } from "./Pnpm.mjs"
import * as WebBuild from "./WebBuild.mjs"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const modules = join(root, "node_modules")
const record = join(modules, ".boocode-install.json")

const read = (file) => existsSync(file) ? readFileSync(file, "utf8") : ""

const readJson = (file) => {
  try {
    return JSON.parse(read(file))
  } catch {
    return {} // a file that is not there or was cut off counts as no record of an install
  }
}

const lockfile = read(join(root, "pnpm-lock.yaml"))
const hash = createHash("sha256").update(lockfile).digest("hex")

/** What pnpm itself says is installed: nothing, what running needs, or everything. */
const installed = () => {
  const included = readJson(join(modules, ".modules.yaml")).included
  if (included === undefined) return "nothing"
  return included.devDependencies === true ? "all" : "run"
}

/** A full install that somebody made by hand counts as well: pnpm keeps the lockfile it installed. */
const isCurrent = (mode, present) => {
  const done = readJson(record)
  if (present === "nothing" || mode === "all" && present !== "all" || done.unfinished === true) return false
  if (done.mode === present && done.lockfile === hash) return true
  return present === "all" && read(join(modules, ".pnpm", "lock.yaml")) === lockfile
}

const install = (mode) => {
  const args = ["install", "--frozen-lockfile", "--config.confirmModulesPurge=false"]
  // The committed lockfile was checked for too young releases where it was made, and it holds the hashes: to check it
  // again would fetch what the registry knows about every package, 100 MB, before the first start.
  if (mode === "run") args.push("--prod", "--config.minimumReleaseAge=0")
  return pnpm(args, root)
}

const writeRecord = (value) => {
  mkdirSync(modules, { recursive: true })
  writeFileSync(record, `${JSON.stringify(value)}\n`)
}

const wanted = process.argv[2]
if (wanted !== "run" && wanted !== "all") {
  process.stderr.write("usage: node scripts/Install.mjs run|all\n")
  process.exit(2)
}

const present = installed()
if (!isCurrent(wanted, present)) {
  // A developer's full install stays full: it is brought up to date, never pruned.
  const mode = present === "all" ? "all" : wanted
  process.stderr.write(`Installing what ${mode === "all" ? "development" : "running"} needs\n`)
  writeRecord({ mode, unfinished: true })
  const { error, status } = install(mode)
  if (status !== 0) {
    process.stderr.write(
      `The install failed${error === undefined ? "" : ` (${error.message})`}; nothing was started.\n`
    )
    process.exit(status ?? 1)
  }
  writeRecord({ mode, lockfile: hash })
}

// A broken page must not stop the people who check or repair it.
if (wanted === "run" && !WebBuild.ensure()) {
  process.stderr.write("Nothing was started.\n")
  process.exit(1)
}

// It is only quicker than its sources, which run where it could not be built.
if (wanted === "run") CommandBuild.ensure()
