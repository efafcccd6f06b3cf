/** The examples in TypeScript: those of the documents, and those in the comments of the packages' sources. */
import { globSync, readFileSync } from "node:fs"
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
