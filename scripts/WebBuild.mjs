/**
 * Builds the page (`apps/web/dist`) when it is missing or older than its sources; says nothing when it is not. Other
 * scripts import `ensure`; run as a program this builds at once.
 */
import { Buffer } from "node:buffer"
import { createHash } from "node:crypto"
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join, relative } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { brotliCompressSync, constants, gzipSync } from "node:zlib"
import * as Built from "./Built.mjs"

const web = join(Built.root, "apps", "web")
const script = fileURLToPath(import.meta.url)

/** Each file also as a browser takes it over the wire, when that is smaller. */
const compress = (file) => {
  const content = readFileSync(file)
  const quality = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: content.length }
  const packed = { br: brotliCompressSync(content, { params: quality }), gz: gzipSync(content, { level: 9 }) }
  for (const [kind, bytes] of Object.entries(packed)) {
    if (bytes.length < content.length) writeFileSync(`${file}.${kind}`, bytes)
  }
}

/** What a server sends of the page; `PageFiles.ts` knows their types. Names that begin with a dot are left out. */
const SENT = /^(?!(?:.*\/)?\.).*\.(bcmap|css|html|js|png|svg|txt|webmanifest|woff2)$/

/** The page in one file. To read hundreds takes a server a tenth of what its start costs. */
export const PAGE = "page.pack"

const pack = (folder) => {
  const read = (name, ending = "") => {
    const file = join(folder, name + ending)
    return existsSync(file) ? readFileSync(file) : null
  }
  const names = Built.filesOf(folder).map((file) => relative(folder, file).replaceAll("\\", "/"))
  const files = names.filter((name) => SENT.test(name)).map((name) => ({
    name,
    plain: read(name),
    packed: [["br", read(name, ".br")], ["gzip", read(name, ".gz")]].filter(([, bytes]) => bytes !== null)
  }))
  const index = files.map(({ name, packed, plain }) => ({
    path: `/${name}`,
    etag: `"${createHash("sha256").update(plain).digest("base64url").slice(0, 22)}"`,
    plain: plain.length,
    packed: packed.map(([encoding, { length }]) => ({ encoding, length }))
  }))
  const contents = files.flatMap(({ packed, plain }) => [plain, ...packed.map(([, bytes]) => bytes)])
  writeFileSync(join(folder, PAGE), Buffer.concat([Buffer.from(`${JSON.stringify(index)}\n`), ...contents]))
}

/** The licenses of what the page has from others. */
export const LICENSES = "licenses.json"

/**
 * What a PDF asks for when it needs it: how Chinese, Japanese and Korean ones name their characters, and what reads pictures
 * in JPEG 2000 and JBIG2, as scripts, because the policy of the page allows no WebAssembly.
 */
const copyForPdfs = (folder, resolve) => {
  const from = dirname(resolve("pdfjs-dist/package.json"))
  cpSync(join(from, "cmaps"), join(folder, "cmaps"), { recursive: true })
  renameSync(join(folder, "cmaps", "LICENSE"), join(folder, "cmaps", "LICENSE.txt"))
  for (const name of readdirSync(join(from, "wasm")).filter((name) => CODEC.test(name))) {
    cpSync(join(from, "wasm", name), join(folder, "codecs", name.startsWith("LICENSE") ? `${name}.txt` : name))
  }
}

const CODEC = /^(?:(?:openjpeg|jbig2)_nowasm_fallback\.js|LICENSE_(?:PDFJS_)?(?:OPENJPEG|JBIG2))$/

const build = async (folder) => {
  const { resolve } = createRequire(join(web, "package.json"))
  const vite = resolve("vite")
  const { build: bundle } = await import(pathToFileURL(vite))
  await bundle({
    configFile: join(web, "vite.config.ts"),
    configLoader: "native",
    build: { outDir: folder, license: { fileName: LICENSES } }
  })
  copyForPdfs(folder, resolve)
  Built.filesOf(folder).filter((file) => /\.(js|css|html|svg)$/.test(file)).forEach(compress)
  pack(folder)
}

export const { ensure, whenRun } = Built.make({
  what: "page",
  folder: join(web, "dist"),
  script,
  sources: () => [
    ...["index.html", "vite.config.ts", "package.json"].map((name) => join(web, name)),
    ...["src", "public", "languages"].flatMap((name) => Built.filesOf(join(web, name))),
    join(Built.root, "pnpm-lock.yaml"),
    script
  ],
  build
})

await whenRun()
