/** A change of a file with servers: applied or previewed, and its refusals as failures. */
import { type ConfigEditor, EditedFile } from "@boocode/mcp-config"
import * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
import * as ErrorHints from "../terminal/ErrorHints.ts"
import { Failed, failed } from "../terminal/Failure.ts"
import type { ServerFile } from "./ServerFiles.ts"

export type Change = (text: string, options: ConfigEditor.EditOptions) => Result.Result<string, ConfigEditor.Refusal>

/** Applies a change. The file stays as it was when this fails. */
export const apply = (target: ServerFile, change: Change) =>
  told(target, EditedFile.edit(target.file, within(target, change)))

/** The file as it would be after a change. */
export const preview = (target: ServerFile, change: Change) =>
  told(target, EditedFile.preview(target.file, within(target, change)))

const within = ({ file }: ServerFile, change: Change): EditedFile.Change<ConfigEditor.Refusal> => (text) =>
  change(text, { bare: file.path.endsWith(".mcprc") })

const told = <R>(
  target: ServerFile,
  effect: Effect.Effect<EditedFile.Edited, ConfigEditor.Refusal | EditedFile.EditFailed, R>
): Effect.Effect<EditedFile.Edited, Failed, R> =>
  /\.(toml|ya?ml)$/i.test(target.file.path)
    ? Effect.fail(foreign(target, "in another language than JSON"))
    : Effect.mapError(effect, (error) => inWords(target, error))

const foreign = ({ file }: ServerFile, how: string): Failed =>
  new Failed({
    tag: "ForeignShape",
    message: `${file.name} is written ${how}, so it is not edited`,
    hint: `boocode mcp import ${file.name} brings its servers into a file of your own`
  })

const inWords = (target: ServerFile, error: ConfigEditor.Refusal | EditedFile.EditFailed): Failed => {
  const { file } = target
  switch (error._tag) {
    case "EditFailed":
      return failed(error)
    case "NameUnknown":
      return ErrorHints.unknownServer(error.name, error.names)
    case "NameTaken":
      return new Failed({
        tag: "NameTaken",
        message: `${error.name} is already in ${file.name}, at ${error.at.line}:${error.at.column}`,
        hint: `--force replaces it; boocode mcp get ${error.name} shows it`
      })
    case "Foreign":
      return foreign(target, `in the words of another application (${error.shape})`)
    case "Unreadable":
      return new Failed({
        tag: "InvalidFile",
        message: `${file.name}:${error.fault.line}:${error.fault.column}: ${error.fault.detail}`,
        hint: "correct the file at that place; nothing was written"
      })
  }
}
