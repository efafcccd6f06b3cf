/** How the fixture servers are started: by the Node that runs the tests, which is the one that understands TypeScript. */
import { fileURLToPath } from "node:url"
import * as Compiled from "./Compiled.ts"

export type FixtureName =
  | "Catalogue"
  | "Contents"
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

/** The `command` and `args` of an entry for any program of the folder `servers`. */
export const program = (name: string, ...args: ReadonlyArray<string>) => ({
  command: NODE,
  args: [...Compiled.FLAGS, fileURLToPath(new URL(`../servers/${name}.ts`, import.meta.url)), ...args]
})

/** The same for a fixture server. */
export const entry = (name: FixtureName, ...args: ReadonlyArray<string>) => program(name, ...args)
