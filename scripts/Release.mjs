/**
 * `pnpm release`: checks what a release needs, packs every package and publishes them in the order of their dependencies.
 * Without `--publish` npm only says what it would publish, which needs no network.
 */
import { spawnSync } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import process from "node:process"
import { root } from "./Built.mjs"
import * as Shell from "./Shell.mjs"

const read = (...names) => readFileSync(join(root, ...names), "utf8")

const manifestIn = (...folder) => JSON.parse(read(...folder, "package.json"))

const own = manifestIn()

const parts = ["packages", "apps"].flatMap((folder) =>
  readdirSync(join(root, folder)).map((name) => manifestIn(folder, name))
)

const libraries = parts.filter((manifest) => manifest.private !== true)

/** What stands between this checkout and a release, in words. */
const problems = () => {
  const { error, stdout } = spawnSync("git", ["status", "--porcelain"], { cwd: root, encoding: "utf8" })
  const [heading] = /^## .*$/m.exec(read("CHANGELOG.md")) ?? [""]
  const said = /VERSION = "(.*)"/.exec(read("packages", "mcp-client", "src", "base", "Version.ts"))?.[1]
  const told = [["packages/mcp-client/src/base/Version.ts", said], ...parts.map(({ name, version }) => [name, version])]
  return [
    ...(error !== undefined || stdout !== "" ? ["the checkout is not clean: commit what is to be released"] : []),
    ...told.filter(([, version]) => version !== own.version)
      .map(([name, version]) => `${name} has the version ${version}, the root ${own.version}: make them equal`),
    ...(heading === `## ${own.version}`
      ? []
      : [`CHANGELOG.md begins with "${heading}": what is new belongs below "## ${own.version}"`]),
    ...libraries.filter(({ repository }) => repository !== own.repository)
      .map(({ name }) =>
        `${name} does not name the repository of the root, which provenance compares: write ${own.repository}`
      )
  ]
}

/** Every package after those that it depends on. */
const inOrder = (rest, done = []) => {
  const waits = ({ dependencies = {} }) => rest.some(({ name }) => name in dependencies)
  const next = rest.filter((manifest) => !waits(manifest))
  if (next.length === 0) return done
  return inOrder(rest.filter((manifest) => !next.includes(manifest)), [...done, ...next])
}

const npm = (args) => Shell.run("npm", args, { stdio: "inherit" }).status === 0

/** npm also asks for the versions that are published; without a network it is to give up at once. */
const DRY = ["--dry-run", "--fetch-retries", "0", "--fetch-timeout", "5000"]

const publish = (folder, isReal) => {
  const build = [join(root, "scripts", "Build.mjs"), "--pack", folder]
  if (spawnSync(process.execPath, build, { stdio: "inherit" }).status !== 0) return false
  const files = [...inOrder(libraries), own].map(({ name }) =>
    `${name.replace("@", "").replace("/", "-")}-${own.version}.tgz`
  )
  const how = ["--access", "public", "--provenance", "--loglevel", "warn", ...(isReal ? [] : DRY)]
  return files.every((file) => npm(["publish", join(folder, file), ...how]))
}

const [flag = "--dry-run", more] = process.argv.slice(2)
if (!["--dry-run", "--publish"].includes(flag) || more !== undefined) {
  process.stderr.write("usage: pnpm release [--dry-run | --publish]\n")
  process.exit(2)
}

const isReal = flag === "--publish"
const found = problems()
for (const problem of found) process.stderr.write(`✗ ${problem}\n`)
const folder = mkdtempSync(join(tmpdir(), "boocode-release-"))
try {
  // A dry run goes on, to find what else is wrong.
  const isDone = (found.length === 0 || !isReal) && publish(folder, isReal)
  process.stdout.write(
    `${isReal ? "published" : "would publish"} ${libraries.length + 1} packages: ${isDone ? "yes" : "no"}\n`
  )
  process.exitCode = isDone && found.length === 0 ? 0 : 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
