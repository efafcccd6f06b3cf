/** The server of `@playwright/mcp`: all of its code is in `playwright-core`, which the tests have already. */
import { createRequire } from "node:module"

const require = createRequire(import.meta.url)
const { tools } = require("playwright-core/lib/coreBundle")
const { program } = require("playwright-core/lib/utilsBundle")

tools.decorateMCPCommand(program, "0")
program.parse(process.argv)
