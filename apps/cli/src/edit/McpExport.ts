/** `mcp export`: the servers in the format of another application, printed or added to one of its files. */
import { ConfigFile, EditedFile, InvalidFile, SHAPES } from "@boocode/mcp-config"
import { ConfigExport, ConfigShape, Departure } from "@boocode/mcp-config/Exchange"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import { currentFolder } from "../options/DataLocation.ts"
import { optional, type Options, switchFlag, textFlag, verb } from "../options/Options.ts"
import { failed, Usage } from "../terminal/Failure.ts"
import { oneLine, Output, pad, plain } from "../terminal/Output.ts"
import * as ServerFiles from "./ServerFiles.ts"

export const exporting = Command.make(
  "export",
  {
    shape: Argument.Literals("SHAPE", SHAPES).pipe(Argument.withDescription("The application to write for")),
    into: optional(textFlag(
      "into",
      "FILE",
      "Add the servers to this file, and keep its comments, instead of printing a file of their own"
    )),
    isForced: switchFlag("force", "Replace servers that are in the file and differ"),
    isDryRun: switchFlag("dry-run", "Show what would be written, and write nothing")
  },
  (given) =>
    verb(Effect.fnUntraced(function*(options) {
      if (given.into === null && (given.isForced || given.isDryRun)) {
        const flag = given.isForced ? "--force" : "--dry-run"
        const hint = `name it: boocode mcp export ${given.shape} --into FILE ${flag}`
        return yield* new Usage({ message: `${flag} is about a file, and none is named`, hint })
      }
      yield* ServerFiles.withFiles(options, (files) => exported(options, files, given))
    }))
).pipe(
  Command.withDescription("Write the servers in the format of another application"),
  Command.withExamples([
    { command: "boocode mcp export vscode > .vscode/mcp.json", description: "A file of its own" },
    { command: "boocode mcp export codex --into ~/.codex/config.toml", description: "Into an existing file" }
  ])
)

interface Given {
  readonly shape: ConfigShape.ShapeName
  /** A file to add to; null prints one. */
  readonly into: string | null
  readonly isForced: boolean
  readonly isDryRun: boolean
}

const exported = Effect.fnUntraced(function*(options: Options, files: ServerFiles.Files, given: Given) {
  const { departed, others } = yield* entriesInUse(files)
  const writer = yield* ConfigExport.writer(given.shape)
  const encoded = [...encode(departed, given.shape), ...others]
    .toSorted((a, b) => a.name < b.name ? -1 : 1)
  const change = (text: string) => writer.into(text, encoded, { isReplacing: given.isForced })
  const done = given.into === null ? yield* printed(change, given) : yield* added(given.into, change, given)
  yield* report(options, { shape: given.shape, ...done })
})

/** The changed paths of a server that is left out are not worth a line. */
const encode = (departed: ReadonlyArray<Departure.Departed>, shape: ConfigShape.ShapeName) => {
  const moved = new Map(departed.map(({ entry, losses }) => [entry.name, losses]))
  return ConfigExport.encode(departed.map(({ entry }) => entry), shape).map((encoded) => ({
    ...encoded,
    losses: [...encoded.value === null ? [] : moved.get(encoded.name) ?? [], ...encoded.losses]
  }))
}

type Change = (text: string) => ReturnType<ConfigExport.Writer["into"]>

const printed = (change: Change, { shape }: Given) =>
  Effect.fromResult(change("")).pipe(
    Effect.map((written) => ({ ...written, file: null, isWritten: false })),
    Effect.mapError((fault) =>
      failed(new InvalidFile({ file: `a file of ${ConfigShape.named(shape).title}`, ...fault }))
    )
  )

const added = Effect.fnUntraced(function*(into: string, change: Change, { isDryRun }: Given) {
  const path = yield* Path.Path
  const target = { path: path.resolve(yield* currentFolder, into), name: into }
  const edit = isDryRun ? EditedFile.preview : EditedFile.edit
  const edited = yield* edit(target, (text) =>
    Result.mapBoth(change(text), {
      onSuccess: (written) => written.text,
      onFailure: (fault) => new InvalidFile({ file: into, ...fault })
    })).pipe(Effect.mapError(failed))
  const { servers } = yield* Effect.fromResult(change(edited.before ?? "")).pipe(
    Effect.mapError((fault) => failed(new InvalidFile({ file: into, ...fault })))
  )
  return { file: into, isWritten: edited.isChanged && !isDryRun, text: edited.after, servers }
})

/** The entries in use, as their files declare them. Those of project files are left out: they need approval here. */
const entriesInUse = Effect.fnUntraced(function*(files: ServerFiles.Files) {
  const declared = yield* Effect.forEach(
    files.all,
    ({ file }) => Effect.map(entriesIn(file.path), (all) => [file, all] as const)
  )
  const found = declared.flatMap(([file, all]) =>
    all.filter(({ name }) => ServerFiles.inUse(files, name)?.file === file).map((entry) => ({ entry, file }))
  )
  const isOthers = ({ file }: typeof found[number]) => file.scope === "project"
  const path = yield* Path.Path
  const { searchAfterPath } = files
  const departed = yield* Effect.forEach(
    found.filter((one) => !isOthers(one)),
    ({ entry, file }) => Departure.leave(entry, { file: path.resolve(file.path), searchAfterPath })
  )
  return {
    departed,
    others: found.filter(isOthers).map(({ entry, file }) => ({
      name: entry.name,
      value: null,
      losses: [{ keys: [], detail: `it is in a file of the project; --config ${file.name} exports it` }]
    }))
  }
})

const entriesIn = Effect.fnUntraced(function*(file: string) {
  const text = yield* Effect.result(ConfigFile.readText(file))
  const content = Result.isFailure(text) ? null : yield* ConfigFile.decode(file, text.success)
  return content === null || Result.isFailure(content) ? [] : content.success.entries
})

interface Exported extends Pick<Given, "shape"> {
  /** The file that was added to; null when the text is printed. */
  readonly file: string | null
  readonly isWritten: boolean
  /** The whole file as it is now, or would be. */
  readonly text: string
  readonly servers: ReadonlyArray<ConfigExport.Outgoing>
}

const report = Effect.fnUntraced(function*({ json }: Options, { file, isWritten, servers, shape, text }: Exported) {
  const output = yield* Output
  if (json) {
    const told = servers.map(({ isWritten, losses, name, outcome }) => ({
      name,
      outcome,
      written: isWritten,
      losses: losses.map(({ detail, keys }) => ({ keys, detail }))
    }))
    return yield* output.document({ shape, file, isWritten, text, servers: told })
  }
  yield* file === null
    ? output.text(text)
    : output.lines(servers.map((server) => `${pad(server.outcome, 9)}  ${oneLine(server.name)}`))
  yield* output.notes([
    ...servers.flatMap(({ losses, name }) =>
      losses.map(({ detail, keys }) =>
        `${output.notePaint.careful("warning")}  ${plain(`${[name, ...keys].join(" ")}: ${detail}`)}`
      )
    ),
    ...(file === null || isWritten ? [] : [`nothing was written to ${plain(file)}`])
  ])
})
