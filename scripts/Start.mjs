/**
 * `pnpm start`: serves the data folder of this checkout, wherever in it the person stands. Arguments go to `serve`; a
 * `--data` among them names another folder, and so does `MCP_CONFIG_PATH`.
 */
import { dirname, join } from "node:path"
import process from "node:process"
import { fileURLToPath } from "node:url"

const root = dirname(dirname(fileURLToPath(import.meta.url)))

// People who are used to npm put -- before them.
const given = process.argv.slice(process.argv[2] === "--" ? 3 : 2)
const isNamed = given.some((argument) => argument === "--data" || argument.startsWith("--data="))
const data = isNamed || process.env.MCP_CONFIG_PATH ? [] : ["--data", join(root, "data")]

// In this process, so that signals and the exit code are the server's own.
process.argv.splice(2, Infinity, "serve", ...data, ...given)
await import("./Boocode.mjs")
