/** Whether the peers are there: they are no dependencies of the project, and are installed when they are measured. */
import { existsSync, readFileSync } from "node:fs"

const read = (name: string): string => {
  const file = new URL(`../peers/${name}`, import.meta.url)
  return existsSync(file) ? readFileSync(file, "utf8") : ""
}

/** What is installed is what the lockfile says. */
export const isInstalled = (): boolean => {
  const installed = read("node_modules/.pnpm/lock.yaml")
  return installed !== "" && installed === read("pnpm-lock.yaml")
}
