/** Installs the peers in this folder, which is no part of the workspace; ends with the status of pnpm. */
import { dirname } from "node:path"
import process from "node:process"
import { fileURLToPath } from "node:url"
import { pnpm } from "../../scripts/Pnpm.mjs"

// The committed lockfile holds the hashes; to ask for the age of each release would take longer than the install.
const ARGUMENTS = [
  "install",
  "--ignore-workspace",
  "--frozen-lockfile",
  "--ignore-scripts",
  "--config.minimumReleaseAge=0"
]

process.exitCode = pnpm(ARGUMENTS, dirname(fileURLToPath(import.meta.url))).status ?? 1
