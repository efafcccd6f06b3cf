/** How the fixture servers are started: by the Node that runs the tests, which is the one that understands TypeScript. */
import { fileURLToPath } from "node:url"

export type FixtureName =
  | "Catalogue"
  | "Curious"
  | "Echo"
  | "Files"
  | "Http"
  | "Ledger"
  | "Meta"
  | "Modern"
  | "ModernOffers"
  | "NonJson"
  | "Patient"
  | "Replay"
  | "Stubborn"
  | "Telltale"

/** The program that runs a fixture server. */
export const NODE = process.execPath

/** Where a fixture server's source is. */
export const file = (name: FixtureName): string => fileURLToPath(new URL(`../servers/${name}.ts`, import.meta.url))

/** The `command` and `args` of an entry for a fixture server. */
export const entry = (name: FixtureName, ...args: ReadonlyArray<string>) => ({
  command: NODE,
  args: [file(name), ...args]
})
