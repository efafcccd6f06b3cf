/**
 * Which pnpm to run. Keeps to what Node 20 knows and imports no package.
 */
import { basename } from "node:path"
import process from "node:process"
import * as Shell from "./Shell.mjs"

/** The pnpm that runs this script, else the one on the path, else one from the registry. */
const command = () => {
  const own = process.env.npm_execpath ?? ""
  if (basename(own).startsWith("pnpm")) return /\.[cm]?js$/.test(own) ? [process.execPath, own] : [own]
  return Shell.run("pnpm", ["--version"], { stdio: "ignore" }).status === 0 ? ["pnpm"] : ["npx", "-y", "pnpm@12"]
}

/** Runs pnpm and waits for it; everything it says goes to standard error. */
export const pnpm = (args, cwd) => {
  const [name, ...before] = command()
  return Shell.run(name, [...before, ...args], { cwd, stdio: ["ignore", 2, 2] })
}
