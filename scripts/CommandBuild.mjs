/**
 * Builds the command (`apps/cli/dist`) when it is missing or older than its sources; says nothing when it is not. Other
 * scripts import `ensure`; run as a program this builds at once.
 *
 * From its sources the command is 900 files, and to find, read and link them takes Node longer than the work of most
 * verbs. Built, it is one file, and some that are loaded when they are needed.
 */
import { readdirSync } from "node:fs"
import { createRequire } from "node:module"
import { join, relative } from "node:path"
import process from "node:process"
import { fileURLToPath } from "node:url"
import * as Built from "./Built.mjs"
import { bundler } from "./Bundler.mjs"
import * as Chunks from "./Chunks.mjs"

const cli = join(Built.root, "apps", "cli")
const folder = join(cli, "dist")
const script = fileURLToPath(import.meta.url)

/** What is not taken in: a library that is native code. */
const outside = {
  name: "outside",
  resolveId: {
    filter: { id: /^sharp$/ },
    handler(id, importer) {
      try {
        return { id: createRequire(importer).resolve(id), external: "relative" }
      } catch {
        return { id, external: true } // this system has not got it
      }
    }
  }
}

const fromFolder = (file) => JSON.stringify(relative(folder, file).replaceAll("\\", "/"))

/** Libraries with binary files that `mcp-node` loads when it needs them, as `loaded("NAME")`. */
export const LATE = ["@napi-rs/keyring", "@koromix/koffi-win32-arm64", "@koromix/koffi-win32-x64"]

const calling = (name) => `loaded(${JSON.stringify(name)})`

/** Bundlers do not follow those: `nameOf` gives what is imported where a file names one. */
export const late = (nameOf) => {
  const found = new Set()
  const placed = (code, name, id) => {
    if (!code.includes(calling(name))) return code
    found.add(name)
    return code.replace(calling(name), `loaded(${nameOf(name, id)})`)
  }
  return {
    name: "late",
    transform: {
      filter: { id: /\/mcp-node\/src\//, code: "loaded(" },
      handler: (code, id) => LATE.reduce((text, name) => placed(text, name, id), code)
    },
    buildEnd: (error) => {
      const lost = LATE.find((name) => !found.has(name))
      if (error === undefined && lost !== undefined) {
        throw new Error(`no source has ${calling(lost)} any more: correct ${script}`)
      }
    }
  }
}

/** Only the package that names the library has it. */
const fileOf = (name, id) => {
  try {
    return fromFolder(createRequire(id).resolve(name))
  } catch {
    return JSON.stringify(name) // an optional dependency that this system has not got
  }
}

/** A source that looks for others from its own place still finds them. */
const places = {
  name: "places",
  transform: {
    filter: { id: /\/(apps|packages)\/[^/]+\/src\//, code: "import.meta.url" },
    handler: (code, id) => code.replaceAll("import.meta.url", `new URL(${fromFolder(id)}, import.meta.url).href`)
  }
}

/** Any name that may be imported; those that nobody imports are dropped. */
const exportsOf = (name) =>
  Object.keys(process.getBuiltinModule(name)).filter((key) => /^[A-Za-z_]\w*$/.test(key) && key !== "default")
    .map((key) => `const $${key} = /* @__PURE__ */ (() => it.${key})()\nexport { $${key} as ${key} }\n`).join("")

/**
 * An import of a module of Node reads every property of it, and some load much when they are read: `stdin` of the process,
 * the browser's sockets of `node:http`, the certificates of `node:tls`. So only what is imported is read.
 */
const builtins = {
  name: "builtins",
  resolveId: {
    filter: { id: /^node:/ },
    handler: (id, _importer, { kind }) => kind === "require-call" ? null : `\0builtin ${id}`
  },
  load: {
    filter: { id: /^\0builtin / },
    handler: (id) => {
      const name = id.slice("\0builtin ".length)
      return {
        code: `const it = process.getBuiltinModule(${JSON.stringify(name)})\nexport default it\n${exportsOf(name)}`,
        moduleSideEffects: false
      }
    }
  }
}

const EMOJI = { pattern: /^const (rgiEmojiRegex) = (\/.*\/v);$/m, method: "test" }
const SEGMENTER = {
  pattern: /^const (\w+) = (?:\/\*#__PURE__\*\/)?(new Intl\.Segmenter\([^)]*\));$/m,
  method: "segment"
}

/** What libraries make as they are loaded, by the end of the file's name. */
const EAGER = {
  "/string-width/index.js": [EMOJI, SEGMENTER],
  "/wrap-ansi/index.js": [SEGMENTER],
  "/CliOutput.js": [SEGMENTER]
}

/** These take up to a tenth of what a short command costs: the first text that needs one makes it. */
const madeLate = {
  name: "made-late",
  transform: {
    filter: { id: /\/(string-width\/index|wrap-ansi\/index|effect\/dist\/cli\/CliOutput)\.js$/ },
    handler: (code, id) => {
      const [, eager] = Object.entries(EAGER).find(([end]) => id.endsWith(end))
      return eager.reduce((text, { method, pattern }) => {
        if (!pattern.test(text)) throw new Error(`${id} has nothing like ${pattern} any more: correct ${script}`)
        return text.replace(
          pattern,
          `let made_$1; const $1 = { ${method}: (text) => (made_$1 ??= $2).${method}(text) };`
        )
      }, code)
    }
  }
}

/** Bundles programs into a folder. Gives the files that they are made of. */
export const bundle = async (dir, input, plugins, options = {}) => {
  const { rolldown } = await bundler()
  const made = await rolldown({
    input,
    platform: "node",
    // ES modules of a package, rather than its CommonJS build.
    resolve: { mainFields: ["module", "main"] },
    logLevel: "silent",
    plugins: [builtins, madeLate, ...plugins],
    ...options
  })
  const shape = { minify: "dce-only", comments: false, entryFileNames: "[name].mjs", chunkFileNames: "[name].mjs" }
  const name = Chunks.together((await made.generate(shape)).output)
  const codeSplitting = { includeDependenciesRecursively: false, groups: [{ name }] }
  const { output } = await made.write({ ...shape, dir, codeSplitting })
  await made.close()
  return output.flatMap(({ moduleIds }) => moduleIds ?? [])
}

export const MAIN = join(cli, "src", "Launch.ts")

const build = (dir) => bundle(dir, { main: MAIN }, [outside, late(fileOf), places])

const built = Built.make({
  what: "command",
  folder,
  script,
  sources: () => [
    ...readdirSync(join(Built.root, "packages")).flatMap((name) =>
      Built.filesOf(join(Built.root, "packages", name, "src"))
    ),
    ...["cli", "chat-server"].flatMap((name) => Built.filesOf(join(Built.root, "apps", name, "src"))),
    join(Built.root, "pnpm-lock.yaml"),
    script
  ],
  build
})

/** Builds it unless it is current, and says whether it is. Where that fails the sources run, never what was built of others. */
export const ensure = () => {
  const isBuilt = built.ensure()
  if (!isBuilt) Built.discard(folder)
  return isBuilt
}

/** Whether what is there was built of the sources as they are: to be asked where `ensure` can write nothing. */
export const { isCurrent } = built

await built.whenRun()
