/**
 * `pnpm boocode`: runs the command as it was built. What serves or chats, and what could not be built, runs from the
 * sources.
 */
import { enableCompileCache } from "node:module"
import { dirname, join } from "node:path"
import process from "node:process"
import { fileURLToPath } from "node:url"

const root = dirname(dirname(fileURLToPath(import.meta.url)))

// Before anything is imported; where nobody else can write.
enableCompileCache(join(root, "node_modules", ".cache", "boocode"))

const { isUsable } = await import("./CommandBuild.mjs")
const runsLong = process.argv.some((argument) => ["serve", "chat", "chats"].includes(argument))
await import(runsLong || !isUsable() ? "../apps/cli/src/main.ts" : "../apps/cli/dist/main.mjs")
