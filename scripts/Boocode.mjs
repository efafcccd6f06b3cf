/**
 * `pnpm boocode`: runs the command as it was built, from its sources where it could not be built.
 */
import { accessSync, constants, existsSync } from "node:fs"
import { enableCompileCache } from "node:module"
import { dirname, join } from "node:path"
import process from "node:process"
import { fileURLToPath, pathToFileURL } from "node:url"
import { setFlagsFromString } from "node:v8"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const cli = join(root, "apps", "cli")
const built = join(cli, "dist", "main.mjs")

// Before anything is imported; where nobody else can write.
enableCompileCache(join(root, "node_modules", ".cache", "boocode"))

// A short command loads much that stays: V8 would copy it several times, each time into a space that is twice as large.
const [first = "serve", ...others] = process.argv.slice(2)
const serves = first.startsWith("-") || [first, ...others].includes("serve")
if (!serves) setFlagsFromString("--semi-space-growth-factor=16")

/** Where its folder can be written, the install before this has built it or removed it: to compare it with its sources takes long. */
const isUsable = async () => {
  if (!existsSync(built)) return false
  try {
    accessSync(cli, constants.W_OK)
    return true
  } catch {
    const { isCurrent } = await import("./CommandBuild.mjs")
    return isCurrent()
  }
}

await import(pathToFileURL(await isUsable() ? built : join(cli, "src", "main.ts")))
