/**
 * The floors of the house: which may use which. Run as a program it checks the manifests, the imports of declared
 * dependencies, the folders inside each part (`Folders.mjs`), and that every suppression of a lint rule says why. The lint
 * rule `house/floors` uses the same table.
 */
import { readdirSync, readFileSync, realpathSync } from "node:fs"
import { isBuiltin } from "node:module"
import { dirname, join } from "node:path"
import process from "node:process"
import { fileURLToPath } from "node:url"
import * as Folders from "./Folders.mjs"

const packages = ["tool-glob", "mcp-config", "mcp-client", "mcp-registry", "toolkit", "chat"]
const libraries = [...packages, "language-models", "mcp-gateway", "mcp-fleet"]

/** What each part may import of the house, by the name after `@boocode/`. */
export const floors = {
  "packages/tool-glob": [],
  "packages/mcp-config": packages.slice(0, 1),
  "packages/mcp-client": packages.slice(0, 2),
  "packages/mcp-registry": packages.slice(0, 3),
  "packages/mcp-fleet": packages.slice(0, 4),
  "packages/mcp-node": packages.slice(0, 5),
  "packages/toolkit": packages.slice(0, 4),
  "packages/mcp-gateway": packages.slice(0, 5),
  "packages/language-models": [],
  "packages/chat": [...packages.slice(0, 5), "language-models"],
  "apps/web": [],
  "apps/chat-server": [...libraries, "mcp-node", "web"],
  "apps/cli": [...libraries, "mcp-node", "chat-server"],
  test: [...libraries, "mcp-node", "chat-server", "cli", "web"],
  bench: [...libraries, "mcp-node", "chat-server", "cli"]
}

/** What a part may import types of as well. None of it runs there, so it is a development dependency. */
const typesOnly = { "apps/web": ["mcp-registry", "chat", "chat-server"] }

/** The parts that may use Node itself. */
const onNode = ["packages/mcp-node", "apps/chat-server", "apps/cli", "test", "bench", "scripts"]

/** The part of the house that a file belongs to, from its path below the root. */
export const partOf = (file) => {
  const [first = "", second = ""] = file.split("/")
  return first === "packages" || first === "apps" ? `${first}/${second}` : first
}

/** Why a file must not import this, or undefined when it may. `isType` says that the import is erased. */
export const refusal = (file, specifier, isType = false) => {
  const part = partOf(file)
  const house = /^@boocode\/([^/]+)/.exec(specifier)?.[1]
  const isErased = isType && typesOnly[part]?.includes(house) === true
  if (house !== undefined && !isErased && !part.endsWith(`/${house}`) && floors[part]?.includes(house) === false) {
    return `${part} may not use ${house}: it stands on another floor`
  }
  const isPlatform = isBuiltin(specifier) || specifier.startsWith("@effect/platform-node")
  const isSource = part.startsWith("packages/") && !/\/test\//.test(file) || part.startsWith("apps/")
  if (isPlatform && isSource && !onNode.includes(part)) {
    return `${part} may not use ${specifier}: it asks for a service instead`
  }
  return undefined
}

const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** The bench installs it when it measures. It has a manifest and a lockfile of its own. */
const OUTSIDE = "bench/peers"

const sourceFiles = (folder) =>
  readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => !["node_modules", "dist", "fixtures"].includes(entry.name))
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`
      if (entry.isDirectory()) return path === OUTSIDE ? [] : sourceFiles(path)
      return /\.(tsx?|mjs)$/.test(entry.name) ? [path] : []
    })

const importsOf = (text) =>
  [...text.matchAll(
    /^\s*(?:import|export)\s[^"'`]*?from\s+"([^"]+)"|\bimport\(\s*"([^"]+)"\s*\)|^import\s+"([^"]+)"/gm
  )]
    .map((match) => match[1] ?? match[2] ?? match[3] ?? "")

const typeImportsOf = (text) => [...text.matchAll(/^import type [^"]*?from\s+"([^"]+)"/gm)].map((match) => match[1])

const packageOf = (specifier) => specifier.split("/").slice(0, specifier.startsWith("@") ? 2 : 1).join("/")

const checkManifest = (part, manifest) =>
  ["dependencies", "optionalDependencies", "peerDependencies", "devDependencies"].flatMap((kind) =>
    Object.entries(manifest[kind] ?? {}).map(([name, version]) => [name, version, kind === "devDependencies"])
  )
    .flatMap(([name, version, isDev]) => [
      ...[refusal(`${part}/package.json`, name, isDev)].filter((why) => why !== undefined),
      ...(/^(catalog|workspace):/.test(version) ? [] : [`${name} is ${version}, not "catalog:" or "workspace:*"`])
    ])
    .map((why) => `${part}/package.json: ${why}`)

/** What is imported in the checkout from `src` is imported from `dist` once it is published. */
const checkExports = (part, manifest) => {
  if (manifest.private === true) return []
  const published = Object.entries(manifest.exports).map(([name, source]) => {
    const built = source.replace("./src/", "./dist/").replace(/\.ts$/, "")
    return [name, { types: `${built}.d.ts`, default: `${built}.js` }]
  })
  const isSame = JSON.stringify(manifest.publishConfig?.exports) === JSON.stringify(Object.fromEntries(published))
  return isSame ? [] : [`${part}/package.json: publishConfig.exports is not exports with "dist" for "src"`]
}

const checkImports = (file, part, manifest) => {
  const shipped = { ...manifest.dependencies, ...manifest.optionalDependencies, ...manifest.peerDependencies }
  const isShipped = /^(packages|apps)\/[^/]+\/src\//.test(file)
  const known = isShipped ? shipped : { ...shipped, ...manifest.devDependencies }
  const text = readFileSync(join(root, file), "utf8")
  // Declarations of a published package keep its types; a part that nobody installs needs them here only.
  const erased = manifest.private === true ? new Set(typeImportsOf(text)) : new Set()
  return importsOf(text)
    .filter((specifier) => !/^[./#]/.test(specifier) && !isBuiltin(specifier))
    .filter((specifier) => !erased.has(specifier) || manifest.devDependencies?.[packageOf(specifier)] === undefined)
    .map(packageOf)
    .filter((name) => known[name] === undefined && name !== manifest.name)
    .map((name) => `${file}: ${name} is not among the ${isShipped ? "" : "dev"}dependencies of ${part}/package.json`)
}

const checkSuppressions = (file) =>
  readFileSync(join(root, file), "utf8").split("\n").flatMap((line, index) =>
    /(oxlint|eslint)-disable(?!.* -- \S)|@ts-(ignore|nocheck)|@ts-expect-error(?! \S)/.test(line)
      ? [`${file}:${index + 1}: a suppression says why on its line, after " -- "`]
      : []
  )

const checkPart = (part) => {
  const manifest = JSON.parse(readFileSync(join(root, part, "package.json"), "utf8"))
  return [
    ...checkManifest(part, manifest),
    ...checkExports(part, manifest),
    ...sourceFiles(part).flatMap((file) => [...checkImports(file, part, manifest), ...checkSuppressions(file)])
  ]
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const importsIn = (file) => importsOf(readFileSync(join(root, file), "utf8"))
  const found = [
    ...["packages", "apps"].flatMap((folder) => readdirSync(join(root, folder)).map((name) => `${folder}/${name}`))
      .filter((part) => floors[part] === undefined)
      .map((part) => `${part}: not in the table of scripts/Floors.mjs`),
    ...Object.keys(floors).flatMap(checkPart),
    ...Folders.check(Object.keys(floors).flatMap(sourceFiles), importsIn)
  ]
  found.forEach((line) => process.stderr.write(`${line}\n`))
  process.exitCode = found.length === 0 ? 0 : 1
}
