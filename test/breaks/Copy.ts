/** A copy of the sources in a temporary folder, where they may be broken; what is installed is linked to, not copied. */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Break } from "../requirements/Requirement.ts"
import { CHECKOUT } from "../support/Command.ts"

const COPIED = [
  "packages",
  "apps",
  "test",
  "data",
  "package.json",
  "pnpm-workspace.yaml",
  "tsconfig.json"
]

export class NoSuchLine extends Data.TaggedError("NoSuchLine")<{ readonly count: number }> {}

export interface Copy {
  readonly root: string
  /** Runs with one line broken, and mends it again. A line that is not there once is a mistake of the table. */
  readonly broken: <A, E, R>(line: Break, effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | NoSuchLine, R>
}

/** A copy that is gone when the scope closes. The checkout itself is only read. */
export const make = Effect.acquireRelease(
  Effect.sync(() => copy(mkdtempSync(join(tmpdir(), "boocode-breaks-")))),
  (root) => Effect.sync(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }))
).pipe(
  Effect.map((root): Copy => ({ root, broken: (line, effect) => withBroken(join(root, line.file), line, effect) }))
)

const copy = (root: string): string => {
  for (const name of COPIED.filter((name) => existsSync(join(CHECKOUT, name)))) {
    // Links between the packages are relative, so in the copy they lead to the copies.
    cpSync(join(CHECKOUT, name), join(root, name), { recursive: true, verbatimSymlinks: true })
  }
  mkdirSync(join(root, "node_modules"))
  for (const name of readdirSync(join(CHECKOUT, "node_modules"))) {
    // Whatever a tool caches there belongs to the copy.
    if (name !== ".vite") symlinkSync(join(CHECKOUT, "node_modules", name), join(root, "node_modules", name))
  }
  return root
}

const withBroken = <A, E, R>(
  file: string,
  { find, replace }: Break,
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E | NoSuchLine, R> =>
  Effect.suspend((): Effect.Effect<A, E | NoSuchLine, R> => {
    const source = existsSync(file) ? readFileSync(file, "utf8") : ""
    const count = source.split(find).length - 1
    if (count !== 1) return Effect.fail(new NoSuchLine({ count }))
    return Effect.acquireUseRelease(
      Effect.sync(() => writeFileSync(file, source.replace(find, () => replace))),
      () => effect,
      () => Effect.sync(() => writeFileSync(file, source))
    )
  })
