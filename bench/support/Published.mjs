/**
 * Loads the packages as they are published, compiled and in few files: `node --import support/Published.mjs`. Peers are
 * measured so, too. A package that is not published is loaded from its sources.
 */
import { existsSync } from "node:fs"
import { registerHooks } from "node:module"
import { fileURLToPath } from "node:url"

const SOURCE = /^(file:.*\/packages\/[^/]+)\/src\/(.+)\.ts$/

registerHooks({
  resolve: (specifier, context, next) => {
    const found = next(specifier, context)
    if (!specifier.startsWith("@boocode/")) return found
    const url = found.url.replace(SOURCE, "$1/dist/$2.js")
    return url !== found.url && existsSync(fileURLToPath(url)) ? { ...found, url, format: "module" } : found
  }
})
