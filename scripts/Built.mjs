/**
 * What is built from sources and kept beside them until they change. Keeps to what Node 20 knows and imports no package.
 *
 * A build goes to a folder beside and takes the place of the old one whole, so that nobody ever uses half of it.
 */
import { createHash } from "node:crypto"
import {
  accessSync,
  constants,
  existsSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { dirname, join } from "node:path"
import process from "node:process"
import { fileURLToPath } from "node:url"
import * as Shell from "./Shell.mjs"

export const root = dirname(dirname(fileURLToPath(import.meta.url)))

export const filesOf = (folder) =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort()

const fingerprint = (files) => {
  const hash = createHash("sha256")
  for (const file of files) hash.update(file.slice(root.length)).update("\0").update(readFileSync(file)).update("\0")
  return hash.digest("hex")
}

/** Removes what nobody should use any more. */
export const discard = (folder) => {
  try {
    rmSync(folder, { recursive: true, force: true })
  } catch {
    // Files of somebody else, who can.
  }
}

export const canWrite = (folder) => {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** How often somebody else may put theirs there between the two steps of putting ours. */
const TRIES = 100

/** Others may do the same at the same time, so that what is there goes or comes between two lines. */
const replace = (folder, next) => {
  for (let tries = 1;; tries++) {
    const old = `${folder}.${process.pid}.old`
    try {
      if (existsSync(folder)) renameSync(folder, old)
      return renameSync(next, folder)
    } catch (error) {
      if (tries === TRIES) throw error
    } finally {
      discard(old)
    }
  }
}

/**
 * Something that `script` builds into `folder`. `sources` gives the files that it is made of, the versions of what they
 * import included; `build` makes it in another folder.
 */
export const make = ({ build, folder, script, sources, what }) => {
  const record = join(folder, ".sources")
  const isCurrent = () => existsSync(record) && readFileSync(record, "utf8") === fingerprint(sources())

  /** Builds it unless it is current. Gives false when it is not current then, having said why on standard error. */
  const ensure = () => {
    if (isCurrent()) return true
    if (!canWrite(dirname(folder))) {
      process.stderr.write(`The ${what} is not as its sources are, and nothing can be written to ${dirname(folder)}.\n`)
      return false
    }
    process.stderr.write(`Building the ${what}\n`)
    // The Node of the install: the one that runs this script may be too old for the bundler.
    const own = join(root, "node_modules", ".bin", process.platform === "win32" ? "node.CMD" : "node")
    const node = existsSync(own) ? own : process.execPath
    const { error, status } = Shell.run(node, [script], { stdio: ["ignore", 2, 2] })
    if (status === 0) return true
    process.stderr.write(`The ${what} could not be built${error === undefined ? "" : ` (${error.message})`}.\n`)
    return false
  }

  const now = async () => {
    const made = fingerprint(sources())
    const next = `${folder}.${process.pid}`
    try {
      await build(next)
      writeFileSync(join(next, ".sources"), made)
      replace(folder, next)
    } finally {
      discard(next)
    }
  }

  /** Builds it at once when its script is the program that runs. */
  const whenRun = async () => {
    if (process.argv[1] === undefined || realpathSync(process.argv[1]) !== script) return
    try {
      await now()
    } catch (error) {
      process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
      process.exitCode = 1
    }
  }

  return { ensure, isCurrent, whenRun }
}
