/** The built-in tools: they read the workspace and the files of long results, or change the workspace. */
import { type AgentTool, BuiltInTool, isHandle, Lines, ResultFiles, ToolResult } from "@boocode/toolkit"
import * as Cache from "effect/Cache"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type * as Path from "effect/Path"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { FIRST } from "../users/CurrentUser.ts"
import * as Workspace from "../workspace/Workspace.ts"
import * as WorkspaceSearch from "../workspace/WorkspaceSearch.ts"
import { WorkspaceWrites } from "../workspace/WorkspaceWrites.ts"
import * as WritingTools from "./WritingTools.ts"

/** The built-in tools of one person. */
export interface BuiltInTools {
  /** `grep`, `list_dir` and `view_file`, sorted by name. Each answers with an error result for what it may not read. */
  readonly tools: ReadonlyArray<AgentTool>
  /**
   * `delete`, `edit_file`, `make_dir`, `move` and `write_file`, sorted by name, which no model is given unless a person
   * lets it write. Each answers with an error result for what it may not change.
   */
  readonly writers: ReadonlyArray<AgentTool>
}

/** The built-in tools of this program. As they stand they are the first person's, for those who want their names. */
export class WorkspaceTools extends Context.Service<
  WorkspaceTools,
  BuiltInTools & {
    /** The tools that work in what this person has of the workspace. */
    readonly of: (person: string) => Effect.Effect<BuiltInTools>
  }
>()("chat/WorkspaceTools") {
  /** Tools that read this folder. It may be absent; it is looked up at each call. */
  static readonly layer = (
    folder: string
  ): Layer.Layer<WorkspaceTools, never, FileSystem.FileSystem | Path.Path | ResultFiles> =>
    Layer.effect(WorkspaceTools, forPeople((person) => Effect.map(readers(folder, person), withWriters([]))))

  /** Tools that read this folder, and those that change it as `WorkspaceWrites` does. */
  static readonly layerWriting = (
    folder: string
  ): Layer.Layer<WorkspaceTools, never, FileSystem.FileSystem | Path.Path | ResultFiles | WorkspaceWrites> =>
    Layer.effect(
      WorkspaceTools,
      forPeople(Effect.fnUntraced(function*(person: string) {
        const writes = yield* (yield* WorkspaceWrites).of(person)
        return withWriters(WritingTools.make(writes))(yield* readers(folder, person))
      }))
    )

  /** Only these tools for everybody, for instance none. */
  static readonly layerOf = (
    tools: ReadonlyArray<AgentTool>,
    writers: ReadonlyArray<AgentTool> = []
  ): Layer.Layer<WorkspaceTools> =>
    Layer.succeed(WorkspaceTools, WorkspaceTools.of({ tools, writers, of: () => Effect.succeed({ tools, writers }) }))
}

const withWriters = (writers: ReadonlyArray<AgentTool>) => (tools: ReadonlyArray<AgentTool>): BuiltInTools => ({
  tools,
  writers
})

/** The tools hold nothing, so those that were not used for long can be made anew. */
const PEOPLE = 200

const forPeople = Effect.fnUntraced(function*<R>(make: (person: string) => Effect.Effect<BuiltInTools, never, R>) {
  const services = yield* Effect.context<R>()
  const made = yield* Cache.make({
    capacity: PEOPLE,
    lookup: (person: string) => Effect.provideContext(make(person), services)
  })
  return WorkspaceTools.of({
    ...yield* Cache.get(made, FIRST.id),
    of: (person) => Cache.get(made, person)
  })
})

const readers = Effect.fnUntraced(function*(folder: string, person: string) {
  const workspace = yield* Workspace.make(folder, person)
  const files = yield* ResultFiles
  const real = Workspace.realPaths(workspace.real, ["path"])
  return [grep(workspace), listDir(workspace), viewFile(workspace, files)].map((tool) => ({
    ...tool,
    real: ({ path }: Schema.JsonObject) =>
      // A handle is no path.
      Predicate.isString(path) && !isHandle(path) ? real({ path }) : Effect.succeed({})
  }))
})

const MAX_FILE_BYTES = 20_000_000
const MAX_ENTRIES = 1000
const MAX_LINES = 2000
const MAX_OUTPUT_BYTES = 50_000

const path = { type: "string", description: "Path inside the workspace, for instance docs/notes.md" }

const viewFile = (workspace: Workspace.Workspace, files: ResultFiles["Service"]): AgentTool =>
  tool({
    name: "view_file",
    description:
      `Reads a text file of the workspace, or the whole of a long result or attachment by its handle. Shows at most ` +
      `${MAX_LINES} lines and ${MAX_OUTPUT_BYTES} bytes from line "offset" on, of files of at most ` +
      `${MAX_FILE_BYTES} bytes; the last line says how to go on.`,
    properties: {
      path: {
        type: "string",
        minLength: 1,
        description: "Path inside the workspace, or the handle of a long result or attachment"
      },
      offset: { type: "integer", minimum: 1, description: "First line to show, from 1. Default 1." },
      limit: { type: "integer", minimum: 1, maximum: MAX_LINES, description: `How many lines. Default ${MAX_LINES}.` }
    },
    required: ["path"],
    args: Schema.Struct({
      path: Schema.NonEmptyString,
      offset: Schema.optionalKey(Schema.NullOr(Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)))),
      limit: Schema.optionalKey(
        Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: MAX_LINES })))
      )
    }),
    run: Effect.fnUntraced(function*(args) {
      const text = isHandle(args.path) ? yield* keptResult(files, args.path) : yield* fileText(workspace, args.path)
      return showLines(text, args.offset ?? 1, args.limit ?? MAX_LINES)
    }),
    origin: ({ path }) => isHandle(path) ? KEPT : null
  })

/** A server wrote it, whichever it was; so it is no more to be followed than when it came. */
const KEPT = { server: "kept", tool: "result", isTrusted: false }

const keptResult = Effect.fnUntraced(function*(files: ResultFiles["Service"], handle: string) {
  const text = yield* files.read(handle)
  return text ??
    (yield* new Workspace.UnusablePath({
      detail: `nothing is kept as ${handle} any more; call its tool again, or ask for the file again`
    }))
})

const fileText = Effect.fnUntraced(function*(workspace: Workspace.Workspace, name: string) {
  const file = yield* workspace.place(name)
  if (file.info.type === "Directory") {
    return yield* new Workspace.UnusablePath({ detail: `${file.name} is a folder; list it with list_dir` })
  }
  const text = Workspace.text(yield* workspace.bytes(file, MAX_FILE_BYTES))
  if (text !== null) return text
  return yield* new Workspace.UnusablePath({ detail: `${file.name} is a binary file of ${file.info.size} bytes` })
})

const showLines = (text: string, offset: number, limit: number): string => {
  if (text === "") return "(the file is empty)"
  const lines = Lines.of(text)
  if (offset > lines.length) return `(the file has ${lines.length} lines; there is no line ${offset})`
  const wanted = lines.slice(offset - 1, offset - 1 + limit)
  const shown = wanted.slice(0, Math.max(1, Lines.within(wanted, MAX_OUTPUT_BYTES).length))
  const last = offset - 1 + shown.length
  const more = last < lines.length
    ? `\n[lines ${offset} to ${last} of ${lines.length}; go on with offset ${last + 1}]`
    : ""
  return `${shown.join("\n")}${more}` || "(an empty line)"
}

const listDir = (workspace: Workspace.Workspace): AgentTool =>
  tool({
    name: "list_dir",
    description: `Lists a folder of the workspace, one entry a line in the order of names: folders end with /, files ` +
      `have their size. At most ${MAX_ENTRIES} entries.`,
    properties: { path: { ...path, description: "Folder inside the workspace. Default: the workspace itself." } },
    required: [],
    args: Schema.Struct({ path: Schema.optionalKey(Schema.NullOr(Schema.String)) }),
    run: Effect.fnUntraced(function*(args) {
      const folder = yield* workspace.place(args.path ?? ".")
      if (folder.info.type !== "Directory") {
        return yield* new Workspace.UnusablePath({ detail: `${folder.name} is not a folder; read it with view_file` })
      }
      const { entries, total } = yield* workspace.entries(folder, MAX_ENTRIES)
      const lines = entries.map(({ name, place }) => entryLine(name, place))
      if (total > entries.length) lines.push(`[${total - entries.length} of ${total} entries are left out]`)
      return lines.join("\n") || "(the folder is empty)"
    })
  })

const entryLine = (name: string, place: Workspace.Place | null): string => {
  if (place === null) return `${name} (leads out of the workspace, or cannot be read)`
  if (place.info.type === "Directory") return `${name}/`
  return place.info.type === "File" ? `${name} (${place.info.size} bytes)` : `${name} (no file)`
}

const grep = (workspace: Workspace.Workspace): AgentTool =>
  tool({
    name: "grep",
    description:
      `Searches the text files of the workspace line by line and shows "file:line: text". Searches for the ` +
      `pattern as it stands unless "regex" is true; regular expressions have no back references and no look-around. ` +
      `Limits: ${WorkspaceSearch.LIMITS.matches} matches, ${WorkspaceSearch.LIMITS.files} files of at most ` +
      `${WorkspaceSearch.LIMITS.fileBytes} bytes, ${WorkspaceSearch.LIMITS.totalBytes} bytes in all, ` +
      `${WorkspaceSearch.LIMITS.millis} ms; of a line a regular expression sees the first ` +
      `${WorkspaceSearch.LIMITS.lineCharacters} characters. Leaves out binary files, symbolic links, ` +
      `${WorkspaceSearch.SKIPPED.join(" and ")}.`,
    properties: {
      pattern: { type: "string", minLength: 1, description: "What to search for" },
      path: { ...path, description: "File or folder inside the workspace. Default: all of it." },
      regex: { type: "boolean", description: "Take the pattern as a regular expression. Default false." },
      ignoreCase: { type: "boolean", description: "Default false." }
    },
    required: ["pattern"],
    args: Schema.Struct({
      pattern: Schema.NonEmptyString,
      path: Schema.optionalKey(Schema.NullOr(Schema.String)),
      regex: Schema.optionalKey(Schema.NullOr(Schema.Boolean)),
      ignoreCase: Schema.optionalKey(Schema.NullOr(Schema.Boolean))
    }),
    run: Effect.fnUntraced(function*(args) {
      const matches = lineTest(args.pattern, args.regex === true, args.ignoreCase === true)
      if (Result.isFailure(matches)) {
        return yield* new Workspace.UnusablePath({
          detail: `the regular expression cannot be used: ${matches.failure}`
        })
      }
      const start = yield* workspace.place(args.path ?? ".")
      return foundText(yield* WorkspaceSearch.search(workspace, start, matches.success))
    })
  })

const lineTest = (
  pattern: string,
  regex: boolean,
  ignoreCase: boolean
): Result.Result<WorkspaceSearch.LineTest, string> => {
  const maxCharacters = WorkspaceSearch.LIMITS.lineCharacters
  if (regex) {
    return Result.map(
      WorkspaceSearch.makeLinearRegExp(pattern, ignoreCase),
      ({ test }) => ({ matches: test, maxCharacters })
    )
  }
  if (!ignoreCase) return Result.succeed({ matches: (line) => line.includes(pattern) })
  const small = pattern.toLowerCase()
  return Result.succeed({ matches: (line) => line.toLowerCase().includes(small) })
}

const foundText = ({ files, limits, matches }: WorkspaceSearch.Found): string => {
  const lines = matches.map(({ file, line, text }) => `${file}:${line}: ${text}`)
  if (lines.length === 0) lines.push(`no match in ${files} ${files === 1 ? "file" : "files"}`)
  return [...lines, ...limits.map((words) => `[${words}]`)].join("\n")
}

type Definition<Args> = Omit<BuiltInTool.Definition<Args>, "run" | "refuse"> & {
  readonly run: (args: Args) => Effect.Effect<string, Workspace.UnusablePath>
  /** The origin of its text, when that is no file of the workspace. */
  readonly origin?: (args: Args) => ToolResult.ToolResult["origin"]
}

const tool = <Args>({ origin, run, ...definition }: Definition<Args>): AgentTool => {
  const failed = (why: string) => ToolResult.failure(`${definition.name}: ${why}`)
  return BuiltInTool.make({
    ...definition,
    run: (args) =>
      Effect.match(run(args), {
        onSuccess: (text) => ({ ...ToolResult.success(text), origin: origin?.(args) ?? null }),
        onFailure: ({ message }) => failed(message)
      }),
    refuse: (why) => failed(`wrong arguments: ${why}`)
  })
}
