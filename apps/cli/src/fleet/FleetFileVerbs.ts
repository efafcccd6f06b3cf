/** `fleet import`, `export`, `history` and `restore`: the configuration that the nodes of a fleet have together, in its database. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import { Backend } from "../backend/Backend.ts"
import { place } from "../backend/VerbContext.ts"
import { currentFolder } from "../options/DataLocation.ts"
import { verb } from "../options/Options.ts"
import { beside } from "../terminal/Layout.ts"
import { counted, local, Output, plain } from "../terminal/Output.ts"

const importing = Command.make("import", {}, () =>
  verb(Effect.fnUntraced(function*(options) {
    const where = yield* place(options)
    const { same, written } = yield* Backend.use(({ fleet }) => fleet.import(where))
    const { document, lines, paint } = yield* Output
    if (options.json) return yield* document({ written, same })
    yield* lines([
      ...written.map((name) => `${paint.good("written")}  ${plain(name)}`),
      `${counted(written.length, "file")} written, ${same.length} the same as before`
    ])
  }))).pipe(
    Command.withDescription("Bring the configuration of the data folder into the database of the fleet")
  )

const exporting = Command.make(
  "export",
  { folder: Argument.String("DIR").pipe(Argument.withDescription("A folder without a configuration")) },
  ({ folder }) =>
    verb(Effect.fnUntraced(function*(options) {
      const where = yield* place(options)
      const target = (yield* Path.Path).resolve(yield* currentFolder, folder)
      const written = yield* Backend.use(({ fleet }) => fleet.export(where, target))
      const { document, lines, paint } = yield* Output
      if (options.json) return yield* document({ folder: target, written })
      yield* lines([
        ...written.map((name) => `${paint.good("written")}  ${plain(name)}`),
        `${counted(written.length, "file")} in ${plain(target)}`
      ])
    }))
).pipe(Command.withDescription("Write the configuration of the fleet into a folder"))

const history = Command.make(
  "history",
  {
    file: Argument.String("FILE").pipe(
      Argument.withDescription("A file of the configuration, such as mcp.json; all by default"),
      Argument.optional
    )
  },
  ({ file }) =>
    verb(Effect.fnUntraced(function*(options) {
      const where = yield* place(options)
      const versions = yield* Backend.use(({ fleet }) => fleet.history(where, Option.getOrNull(file)))
      const { columns, document, lines, paint } = yield* Output
      if (options.json) return yield* document({ versions: versions.map((version) => ({ ...version })) })
      if (versions.length === 0) return yield* lines(["no version is kept"])
      const named = versions.map(({ at, by, name, removed, version }) => ({
        name: `${plain(name)} ${version}`,
        about: `${local(at, "short")}, ${removed ? "removed" : "written"} by ${plain(by)}`
      }))
      yield* lines(beside(named, yield* columns, { colour: paint.bold }))
    }))
).pipe(Command.withDescription("List the kept versions of the configuration of the fleet, 50 of each file at most"))

const restoring = Command.make(
  "restore",
  {
    file: Argument.String("FILE").pipe(Argument.withDescription("A file of the configuration, such as mcp.json")),
    version: Argument.Int("VERSION").pipe(Argument.withDescription("Its number, as fleet history shows it"))
  },
  ({ file, version }) =>
    verb(Effect.fnUntraced(function*(options) {
      const where = yield* place(options)
      const newest = yield* Backend.use(({ fleet }) => fleet.restore(where, file, version))
      const { document, lines } = yield* Output
      if (options.json) return yield* document({ name: file, restored: version, version: newest })
      yield* lines([`${plain(file)} is as it was in version ${version}, which is version ${newest} now`])
    }))
).pipe(Command.withDescription("Make an older version of a file of the fleet's configuration the newest one"))

export const fileVerbs = [importing, exporting, history, restoring] as const
