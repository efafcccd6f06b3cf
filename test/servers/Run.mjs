/**
 * Runs a server of this folder: `Run.mjs FILE ARGS`. It keeps what Node makes of the TypeScript, so that the next start takes
 * 35 ms of the processor and not 90. The tests start many hundreds.
 *
 * It imports no `process`: such an import opens standard input and output before the server does.
 */
import { enableCompileCache, flushCompileCache } from "node:module"
import { fileURLToPath, pathToFileURL } from "node:url"

enableCompileCache(fileURLToPath(new URL("../../node_modules/.cache/boocode-test-servers", import.meta.url)))
process.argv.splice(1, 1)
await import(pathToFileURL(process.argv[1]).href)
// Many of them are killed before their end.
flushCompileCache()
