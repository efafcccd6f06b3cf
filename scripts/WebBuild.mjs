/**
 * Builds the page (`apps/web/dist`) when it is missing or older than its sources; says nothing when it is not.
 *
 * Other scripts import `ensure`, which keeps to what Node 20 knows; run as a program this builds at once. The build goes
 * to a folder beside and takes the place of the old one whole, so that nobody ever serves half a page.
 */
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { dirname, join } from "node:path"
import process from "node:process"
import { fileURLToPath } from "node:url"
import { brotliCompressSync, constants, gzipSync } from "node:zlib"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const web = join(root, "apps", "web")
const dist = join(web, "dist")
const record = join(dist, ".sources")

const filesOf = (folder) =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort()

/** What the page is made of: its sources, and the versions of what they import. */
const fingerprint = () => {
  const hash = createHash("sha256")
  const files = [
    ...["index.html", "vite.config.ts", "package.json"].map((name) => join(web, name)),
    ...["src", "public"].flatMap((name) => filesOf(join(web, name))),
    join(root, "pnpm-lock.yaml"),
    fileURLToPath(import.meta.url)
  ]
  for (const file of files) hash.update(file.slice(root.length)).update("\0").update(readFileSync(file)).update("\0")
  return hash.digest("hex")
}

const isCurrent = () => existsSync(record) && readFileSync(record, "utf8") === fingerprint()

/** Builds the page unless it is current. Gives false when the build failed, which has said why on standard error. */
export const ensure = () => {
  if (isCurrent()) return true
  process.stderr.write("Building the page\n")
  // The Node of the install: the one that runs this script may be too old for Vite.
  const own = join(root, "node_modules", ".bin", process.platform === "win32" ? "node.CMD" : "node")
  const node = existsSync(own) ? own : process.execPath
  const { error, status } = spawnSync(node, [fileURLToPath(import.meta.url)], {
    stdio: ["ignore", 2, 2],
    shell: process.platform === "win32"
  })
  if (status === 0) return true
  process.stderr.write(`The page could not be built${error === undefined ? "" : ` (${error.message})`}.\n`)
  return false
}

/** Each file also as a browser takes it over the wire, when that is smaller. */
const compress = (file) => {
  const content = readFileSync(file)
  const quality = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: content.length }
  const packed = { br: brotliCompressSync(content, { params: quality }), gz: gzipSync(content, { level: 9 }) }
  for (const [kind, bytes] of Object.entries(packed)) {
    if (bytes.length < content.length) writeFileSync(`${file}.${kind}`, bytes)
  }
}

const build = async () => {
  const made = fingerprint()
  const next = join(web, `dist.${process.pid}`)
  const { createRequire } = await import("node:module")
  const { pathToFileURL } = await import("node:url")
  const vite = createRequire(join(web, "package.json")).resolve("vite")
  const { build: bundle } = await import(pathToFileURL(vite))
  try {
    await bundle({ configFile: join(web, "vite.config.ts"), configLoader: "native", build: { outDir: next } })
    filesOf(next).filter((file) => /\.(js|css|html|svg)$/.test(file)).forEach(compress)
    writeFileSync(join(next, ".sources"), made)
    replace(next)
  } finally {
    rmSync(next, { recursive: true, force: true })
  }
}

/** Somebody else may have put one there in the meantime; theirs is as good. */
const replace = (next) => {
  const old = join(web, `dist.${process.pid}.old`)
  mkdirSync(dist, { recursive: true })
  renameSync(dist, old)
  try {
    renameSync(next, dist)
  } catch (error) {
    if (!existsSync(record)) throw error
  } finally {
    rmSync(old, { recursive: true, force: true })
  }
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  try {
    await build()
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exitCode = 1
  }
}
