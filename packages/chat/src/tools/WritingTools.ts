/** The built-in tools that change the workspace. They are given to a model only where a person lets it write. */
import { type AgentTool, BuiltInTool, ToolResult, type WriteUndo } from "@boocode/toolkit"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as Workspace from "../workspace/Workspace.ts"
import type { Writes, Written } from "../workspace/WorkspaceWrites.ts"

/** `delete`, `edit_file`, `make_dir`, `move` and `write_file`, sorted by name. */
export const make = (writes: Writes): ReadonlyArray<AgentTool> =>
  [
    remove(writes),
    editFile(writes),
    makeDir(writes),
    move(writes),
    writeFile(writes)
  ].map((tool) => ({ ...tool, real: Workspace.realPaths(writes.real, ["path", "from", "to"]) }))

const pathOf = (description: string) => ({ type: "string", minLength: 1, description })

const writeFile = (writes: Writes): AgentTool =>
  tool({
    name: "write_file",
    description: "Writes a text file of the workspace: makes it, with the folders on its way, or replaces all of it. " +
      "To change a part of a file use edit_file. At most 10,000,000 bytes.",
    properties: {
      path: pathOf("Path inside the workspace, for instance docs/notes.md"),
      content: { type: "string", description: "The whole text of the file" }
    },
    required: ["path", "content"],
    args: Schema.Struct({ path: Schema.NonEmptyString, content: Schema.String }),
    before: textAt(writes),
    write: ({ content, path }) => writes.write(path, content)
  })

const editFile = (writes: Writes): AgentTool =>
  tool({
    name: "edit_file",
    description:
      "Replaces text in a text file of the workspace. oldText must stand in the file to the letter, spaces " +
      "and line breaks included, and exactly \"count\" times; all of these are replaced. Nothing changes otherwise, and " +
      "the answer says what was found. Read the file first.",
    properties: {
      path: pathOf("Path of the file inside the workspace"),
      oldText: {
        type: "string",
        minLength: 1,
        description: "The text to replace, without line numbers, with enough around it to be the only one"
      },
      newText: { type: "string", description: "The text to put there; empty to take oldText away" },
      count: { type: "integer", minimum: 1, description: "How often oldText stands in the file. Default 1." }
    },
    required: ["path", "oldText", "newText"],
    args: Schema.Struct({
      path: Schema.NonEmptyString,
      oldText: Schema.NonEmptyString,
      newText: Schema.String,
      count: Schema.optionalKey(Schema.NullOr(Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))))
    }),
    before: textAt(writes),
    write: ({ count, newText, oldText, path }) => writes.edit(path, { oldText, newText, count: count ?? 1 })
  })

const makeDir = (writes: Writes): AgentTool =>
  tool({
    name: "make_dir",
    description: "Makes a folder in the workspace, with the folders on its way.",
    properties: { path: pathOf("Path of the folder inside the workspace") },
    required: ["path"],
    args: Schema.Struct({ path: Schema.NonEmptyString }),
    write: ({ path }) => writes.makeDir(path)
  })

const move = (writes: Writes): AgentTool =>
  tool({
    name: "move",
    description:
      "Moves or renames a file or folder of the workspace, with the folders on its way. Nothing may be at the " +
      "new path: it replaces nothing. Leaves symbolic links alone.",
    properties: {
      from: pathOf("Path of what is moved, inside the workspace"),
      to: pathOf("Its new path in full, inside the workspace")
    },
    required: ["from", "to"],
    args: Schema.Struct({ from: Schema.NonEmptyString, to: Schema.NonEmptyString }),
    write: ({ from, to }) => writes.move(from, to)
  })

const remove = (writes: Writes): AgentTool =>
  tool({
    name: "delete",
    description:
      "Deletes a file, or a folder with all that is in it, from the workspace. A person can bring it back for " +
      "30 days. At most 10,000 files and folders and 100,000,000 bytes at once. Leaves symbolic links alone.",
    properties: { path: pathOf("Path inside the workspace") },
    required: ["path"],
    class: "destroys",
    args: Schema.Struct({ path: Schema.NonEmptyString }),
    write: ({ path }) => writes.remove(path)
  })

const textAt = (writes: Writes) => ({ path }: Schema.JsonObject) =>
  Predicate.isString(path) ? writes.before(path) : Effect.succeed(null)

type Definition<Args> = Omit<BuiltInTool.Definition<Args>, "run" | "refuse"> & {
  readonly write: (args: Args) => Effect.Effect<Written, Workspace.UnusablePath>
}

const tool = <Args>({ write, ...definition }: Definition<Args>): AgentTool => {
  const failed = (why: string) => ToolResult.failure(`${definition.name}: ${why}`)
  return BuiltInTool.make({
    class: "writes",
    ...definition,
    run: (args, { onWrite = () => Effect.void }) =>
      Effect.matchEffect(write(args), {
        onFailure: ({ message }) => Effect.succeed(failed(message)),
        onSuccess: ({ text, undo }) =>
          Effect.as(undo === null ? Effect.void : onWrite(undo), ToolResult.success(answer(text, undo)))
      }).pipe(Effect.uninterruptible),
    refuse: (why) => failed(`wrong arguments: ${why}`)
  })
}

const answer = (text: string, undo: WriteUndo | null): string =>
  undo === null || undo.possible ? text : `${text}. This cannot be undone: ${undo.why}`
