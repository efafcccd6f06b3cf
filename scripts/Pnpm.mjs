/**
 * Which pnpm to run. Keeps to what Node 20 knows and imports no package.
 */
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { basename } from "node:path"
import process from "node:process"

/** The pnpm that runs this script, else the one on the path, else one from the registry. */
const command = () => {
  const own = process.env.npm_execpath ?? ""
  if (basename(own).startsWith("pnpm")) return /\.[cm]?js$/.test(own) ? [process.execPath, own] : [own]
  const shell = process.platform === "win32"
  return spawnSync("pnpm", ["--version"], { shell, stdio: "ignore" }).status === 0 ? ["pnpm"] : ["npx", "-y", "pnpm@12"]
}

/** Runs pnpm and waits for it; everything it says goes to standard error. */
export const pnpm = (args, cwd) => {
  const [name, ...before] = command()
  const shell = process.platform === "win32" && !existsSync(name)
  return spawnSync(name, [...before, ...args], { cwd, shell, stdio: ["ignore", 2, 2] })
}
