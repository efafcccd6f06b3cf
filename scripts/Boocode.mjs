/**
 * `pnpm boocode`: runs the command as it was built, from its sources where it could not be built.
 */
import { enableCompileCache } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

const root = dirname(dirname(fileURLToPath(import.meta.url)))

// Before anything is imported; where nobody else can write.
enableCompileCache(join(root, "node_modules", ".cache", "boocode"))

const { entry } = await import("./CommandBuild.mjs")
await import(pathToFileURL(entry()))
