/**
 * Builds every package that can be published into its `dist`; with `--pack FOLDER` also packs them there, and beside
 * them the command with its page (`PackageBuild.mjs`). Declarations
 * are a file a module, as the compiler writes them. What runs is in few files, because each file costs a program that imports
 * the package about a third of a millisecond.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import process from "node:process"
import { fileURLToPath } from "node:url"
import { bundler } from "./Bundler.mjs"
import * as PackageBuild from "./PackageBuild.mjs"
import { pnpm } from "./Pnpm.mjs"
import * as Shell from "./Shell.mjs"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const output = join(root, "dist")

const manifest = (name) => JSON.parse(readFileSync(join(root, "packages", name, "package.json"), "utf8"))

const packages = readdirSync(join(root, "packages")).filter((name) => manifest(name).private !== true)

/** One program for all: their imports of each other lead to sources, which must not be described twice. */
const describe = () => {
  rmSync(output, { recursive: true, force: true })
  const tsc = join(root, "node_modules", ".bin", "tsc")
  const { status } = Shell.run(tsc, ["-p", join("scripts", "tsconfig.build.json")], { cwd: root, stdio: "inherit" })
  return status === 0
}

/** Whether a module is loaded as soon as another one is. */
const isLoadedWith = (other, id, infoOf, seen = new Set()) => {
  if (id === other) return true
  seen.add(id)
  const importers = infoOf(id)?.importers ?? []
  return importers.some((importer) => !seen.has(importer) && isLoadedWith(other, importer, infoOf, seen))
}

/** One file has the modules that the main entry loads at once, another one those that it shares with other entries. */
const atOnce = ([main, ...others]) => {
  const group = (name, priority, has) => ({
    debugName: name,
    priority,
    name: (id, bundling) => has((entry) => isLoadedWith(entry, id, (id) => bundling.getModuleInfo(id))) ? name : null
  })
  return [
    group("shared", 2, (isWith) => isWith(main) && others.some(isWith)),
    group("main", 1, (isWith) => isWith(main))
  ]
}

/** Bundlers cannot follow how the CommonJS build of this package finds its files, so its modules are bundled in. */
const INSIDE = "jsonc-parser"

const distribute = async (name) => {
  const home = join(root, "packages", name)
  const target = join(home, "dist")
  rmSync(target, { recursive: true, force: true })
  cpSync(join(output, name, "src"), target, { recursive: true })
  const entries = Object.values(manifest(name).publishConfig.exports).map(({ default: file }) =>
    file.replace(/^\.\/dist\/|\.js$/g, "")
  )
  const sources = entries.map((entry) => join(home, "src", `${entry}.ts`))
  const { rolldown } = await bundler()
  const bundle = await rolldown({
    input: Object.fromEntries(entries.map((entry, at) => [entry, sources[at]])),
    platform: "node",
    // What is not of this package is imported as it was.
    external: (id) => /^[^./]/.test(id) && id !== INSIDE,
    resolve: { mainFields: ["module", "main"] }
  })
  await bundle.write({
    dir: target,
    chunkFileNames: "chunks/[name].js",
    codeSplitting: { groups: atOnce(sources) },
    minify: "dce-only",
    comments: false,
    sourcemap: true
  })
  const { dependencies = {} } = manifest(name)
  if (dependencies[INSIDE] === undefined) return
  cpSync(join(home, "node_modules", INSIDE, "LICENSE.md"), join(target, `${INSIDE}.LICENSE.md`))
}

/** All by one pnpm, which takes longer to start than to pack. */
const pack = (folder) => {
  const all = packages.flatMap((name) => ["--filter", `./packages/${name}`])
  return pnpm([...all, "pack", "--pack-destination", folder], root).status === 0
}

const [flag, folder] = process.argv.slice(2)
if (flag !== undefined && (flag !== "--pack" || folder === undefined)) {
  process.stderr.write("usage: node scripts/Build.mjs [--pack FOLDER]\n")
  process.exit(2)
}

const build = async () => {
  if (!describe()) return false
  for (const name of packages) await distribute(name)
  rmSync(output, { recursive: true, force: true })
  if (folder === undefined) return true
  mkdirSync(folder, { recursive: true })
  return pack(resolve(folder)) && PackageBuild.pack(resolve(folder))
}

process.exitCode = await build() ? 0 : 1
