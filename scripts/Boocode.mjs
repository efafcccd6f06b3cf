/**
 * `pnpm boocode`: runs the command as it was built. What serves or chats, and what could not be built, runs from the
 * sources.
 */
import { existsSync } from "node:fs"
import { enableCompileCache } from "node:module"
import { dirname, join } from "node:path"
import process from "node:process"
import { fileURLToPath, pathToFileURL } from "node:url"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const built = join(root, "apps", "cli", "dist", "main.mjs")

// Before anything is imported; where nobody else can write.
enableCompileCache(join(root, "node_modules", ".cache", "boocode"))

const runsLong = process.argv.some((argument) => ["serve", "chat", "chats"].includes(argument))
await import(runsLong || !existsSync(built) ? "../apps/cli/src/main.ts" : pathToFileURL(built))
