/**
 * Runs a command and waits for it. Keeps to what Node 20 knows and imports no package.
 *
 * On Windows npm, pnpm and all in `node_modules/.bin` are batch files, which Node starts only by way of a shell.
 */
import { spawnSync } from "node:child_process"
import process from "node:process"

export const run = (file, args, options = {}) => {
  const { command, shell, words } = onPlatform(process.platform, file, args)
  return spawnSync(command, words, { ...options, shell })
}

/** What Node is given: the shell of Windows reads one line, in which what is quoted stays whole. */
export const onPlatform = (platform, file, args) =>
  platform === "win32"
    ? { command: [file, ...args].map(quoted).join(" "), words: [], shell: true }
    : { command: file, words: args, shell: false }

const quoted = (word) => /^[\w.:\\/@=-]+$/.test(word) ? word : `"${word.replaceAll("\"", "\"\"")}"`
