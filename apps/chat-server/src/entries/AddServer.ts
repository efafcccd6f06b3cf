/** Servers that are added and removed over HTTP: their entries stand in the data file like those of people. */
import { ConfigEditor, ConfigFile, EditedFile, McpConfig, ServerName } from "@boocode/mcp-config"
import { McpRegistry } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { Access } from "../access/Access.ts"
import { DataFolder } from "../settings/DataFolder.ts"
import { TOLD } from "../settings/ToldWords.ts"
import * as EntryRules from "./EntryRules.ts"

/** The file cannot be changed that way. It is as it was; `state` says why in a word. */
export class FileConflict extends Schema.TaggedError<FileConflict>()("FileConflict", {
  ...TOLD,
  state: Schema.Literals(["exists", "elsewhere", "unchanged", "changed"])
}) {}

/**
 * Writes an entry and starts it; answers when the server is ready or failed. Fails with `NotOverHttp`, `UnknownHost`,
 * `InvalidEntry` or `FileConflict`.
 */
export const add = Effect.fnUntraced(function*(name: string, entry: Schema.JsonObject) {
  const registry = yield* McpRegistry
  const { change, target } = yield* checked(name, entry)
  yield* Effect.mapError(EditedFile.edit(target, change), (error) => inWords(name, target.name, error))
  yield* registry.reload
  return yield* registry.settledServer(name)
})

/** Whether an entry may be added, and how that changes the file. Writes nothing; fails like `add`. */
export const checked = Effect.fnUntraced(function*(name: string, entry: Schema.JsonObject) {
  const registry = yield* McpRegistry
  const { isOpen } = yield* Access
  const target = yield* dataFile
  yield* Effect.fromResult(EntryRules.checkKeys(name, entry))
  if (!isOpen) yield* Effect.fromResult(EntryRules.checkEntry(name, entry))
  const written = isOpen ? entry : EntryRules.marked(entry)
  const taken = (yield* registry.servers).find((server) => server.name === name)
  const examples = ConfigEditor.examples(yield* textOf(target))
  if (taken !== undefined && !examples.includes(name)) return yield* exists(name, taken.source)
  const change = (text: string) => ConfigEditor.addServer(text, name, written)
  const outlook = yield* Effect.mapError(
    EditedFile.preview(target, change),
    (error) => inWords(name, target.name, error)
  )
  yield* check(name, target, outlook.after, isOpen)
  return { change, target }
})

/** Removes an entry of the data file; its server is stopped. Fails with `McpError` or `FileConflict`. */
export const remove = Effect.fnUntraced(function*(name: string) {
  const registry = yield* McpRegistry
  yield* registry.server(name)
  const target = yield* dataFile
  const { servers } = yield* Effect.flatMap(McpConfig, ({ current }) => current)
  const entry = servers.find((server) => server.name === name)
  if (entry !== undefined && entry.source !== target.name && entry.declared?.file !== target.path) {
    return yield* new FileConflict({
      state: "elsewhere",
      message: `${name} is declared in ${entry.source}, which is not changed from here`,
      hint: `remove it there, or disable it`
    })
  }
  const change = (text: string) => ConfigEditor.removeServer(text, name)
  yield* Effect.mapError(EditedFile.edit(target, change), (error) => inWords(name, target.name, error))
  yield* registry.reload
})

/** The path of a key within its entry; null for the entry itself. */
export const shortKey = (name: string, key: string): string | null =>
  key.startsWith(`mcpServers.${name}.`) ? key.slice(`mcpServers.${name}.`.length) : null

/** The text of a file; nothing for one that cannot be read, which the edit says. */
export const textOf = ({ path }: { readonly path: string }) => Effect.orElseSucceed(ConfigFile.readText(path), () => "")

export const dataFile = Effect.gen(function*() {
  const { configFile, dataFile } = yield* DataFolder
  const path = configFile ?? dataFile
  const { sources } = yield* Effect.flatMap(McpConfig, ({ current }) => current)
  const source = sources.find(({ scope }) => scope === "data" || scope === "command-line")
  const base = (yield* Path.Path).basename(path)
  return { path, name: source?.file ?? base, scope: "data" as const }
})

/** Fails for an entry whose address is not public, as far as that can be told now. */
export const checkPublic = Effect.fnUntraced(function*(
  name: string,
  entry: Schema.JsonObject,
  file: Effect.Success<typeof dataFile>
) {
  yield* check(name, file, JSON.stringify({ mcpServers: { [name]: entry } }), false)
})

/** An entry that could never work is not written, and neither is one that leads where it may not. */
const check = Effect.fnUntraced(function*(
  name: string,
  file: Effect.Success<typeof dataFile>,
  text: string,
  isOpen: boolean
) {
  const { servers } = yield* ConfigFile.fromText(file, text)
  const server = servers.find((one) => one.name === ServerName.shown(name))
  if (server === undefined) return
  const { config } = server
  if (Result.isFailure(config) && config.failure._tag === "InvalidEntry") {
    const { detail, hint, key } = config.failure
    return yield* new EntryRules.InvalidEntry({
      message: `${key}: ${detail}`,
      hint: `${hint}; nothing was written`,
      ...{ key: shortKey(name, key), line: null, column: null }
    })
  }
  if (!isOpen) yield* EntryRules.checkAddress(server)
})

export const exists = (name: string, source: string) =>
  new FileConflict({
    state: "exists",
    message: `there is a server called ${name} already, in ${source}`,
    hint: "take another name, or remove that one first"
  })

/** Why a file was not changed. */
export const inWords = (
  name: string,
  file: string,
  error: ConfigEditor.Refusal | EditedFile.EditFailed
): FileConflict => {
  const unchanged = (message: string, hint: string) => new FileConflict({ state: "unchanged", message, hint })
  switch (error._tag) {
    case "EditFailed":
      return unchanged(error.message, error.hint)
    case "NameTaken":
      return exists(name, `${file}:${error.at.line}:${error.at.column}`)
    case "NameUnknown":
      return unchanged(`${name} has no entry in ${file}`, "remove it where it is configured")
    case "Foreign":
      return unchanged(
        `${file} is written in the words of another application (${error.shape})`,
        `change it by hand, or bring it over with: boocode mcp import ${file}`
      )
    case "Unreadable":
      return unchanged(
        `${file}:${error.fault.line}:${error.fault.column}: ${error.fault.detail}`,
        "correct the file at that place"
      )
  }
}
