/** Ignores the end of its input, and with `--deaf-to-signals` SIGTERM, SIGINT and SIGHUP too. Starts nothing. */
import { serveTools, stay } from "./ZooServer.ts"

stay()
if (process.argv.includes("--deaf-to-signals")) {
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => {})
}
serveTools("ignores-end", {}, { ended: () => {} })
