/** The examples in TypeScript: those of the documents and those in the comments of the packages' sources. */
import { globSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { CHECKOUT } from "./Command.ts"

export interface CodeExample {
  /** The file and the line where it stands. */
  readonly place: string
  readonly code: string
}

const examplesIn = (files: ReadonlyArray<string>, block: RegExp): ReadonlyArray<CodeExample> =>
  globSync(files, { cwd: CHECKOUT }).toSorted().flatMap((file) => {
    const text = readFileSync(join(CHECKOUT, file), "utf8")
    return [...text.matchAll(block)].map(({ 1: code = "", index }) => ({
      place: `${file}:${text.slice(0, index).split("\n").length}`,
      code: code.replaceAll(/^ *\* ?/gm, "")
    }))
  })

/** Those for people who install the packages. */
export const documented = examplesIn(
  ["README.md", "docs/*.md", "docs/recipes/*.md", "packages/*/README.md"],
  /^```ts\n([^]*?)^```$/gm
)

/** Those that the reference shows. */
export const commented = examplesIn(["packages/*/src/**/*.ts"], /^ *\* ```ts\n((?: *\*.*\n)*?) *\* ```$/gm)

/** The block of the toolkit's README that says how servers are had on Node. Others import it. */
export const servers = (): string => {
  const readme = readFileSync(join(CHECKOUT, "packages", "toolkit", "README.md"), "utf8")
  const [, block] = /```ts\n(\/\/ servers\.ts\n[^]*?)```/.exec(readme) ?? []
  if (block === undefined) throw new Error("the README of the toolkit shows no servers.ts")
  return block
}

/** Writes all examples as people who install the packages would, and gives their names, which tell where they stand. */
export const write = (project: string): ReadonlyArray<string> =>
  [...documented, ...commented].map(({ code, place }) => {
    const name = `${place.replaceAll(/[^\w-]+/g, "-")}.ts`
    writeFileSync(join(project, name), code)
    return name
  })

/** How people who install the packages compile. */
export const COMPILER_OPTIONS = {
  target: "ES2024",
  lib: ["ES2024", "ESNext.Disposable"],
  module: "NodeNext",
  strict: true,
  exactOptionalPropertyTypes: true,
  allowImportingTsExtensions: true,
  noEmit: true,
  skipLibCheck: true,
  types: ["node"]
}
