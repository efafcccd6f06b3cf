/** Reading and changing the entry of a server, in the file that declares it. */
import { Hash } from "@boocode/mcp-client/Text"
import { ConfigEditor, EditedFile, ServerName } from "@boocode/mcp-config"
import { KeyGuide } from "@boocode/mcp-config/Exchange"
import { McpRegistry } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import { exists, FileConflict, inWords } from "./AddServer.ts"
import * as EntryDraft from "./EntryDraft.ts"
import * as EntryRules from "./EntryRules.ts"
import * as StandingEntry from "./StandingEntry.ts"

/** The entry as an editor shows it, without secrets. Fails with `McpError`. */
export const look = Effect.fnUntraced(function*(name: string) {
  const { at, file, text, why } = yield* StandingEntry.find(name)
  const shown = text === null ? { text: null, entry: null } : StandingEntry.shown(text)
  const seen = shown.text === null ? null : Hash.short(shown.text)
  const line = at?.line ?? null
  return { name, file: file.name, line, editable: why === null, why, ...shown, seen, keys: KeyGuide.KEYS }
})

/** A change of a standing entry: the new one, and the one that its sender saw. */
interface Change extends EntryDraft.Given {
  readonly newName?: string
  /** `seen` of `look`. A hidden value that changed since is kept, so it is no part of it. */
  readonly seen?: string
}

/**
 * Writes an entry and applies it; answers when its server is ready, failed or gone. Everything else of the file stays as
 * it is. Fails with `McpError`, `InvalidEntry`, `NotOverHttp`, `UnknownHost` and `FileConflict`, also where the entry is
 * not what was seen.
 */
export const set = Effect.fnUntraced(function*(name: string, given: Change) {
  const registry = yield* McpRegistry
  const { file, text, why } = yield* StandingEntry.find(name)
  if (text === null || why !== null) {
    return yield* new FileConflict({
      state: "elsewhere",
      message: `the entry of ${name} is not changed from here: ${why ?? ""}`,
      hint: `change ${file.name} itself`
    })
  }
  const { newName = name, seen } = given
  if (seen !== undefined && seen !== Hash.short(StandingEntry.shown(text).text)) {
    return yield* new FileConflict({
      state: "changed",
      message: `the entry of ${name} was changed in ${file.name} meanwhile`,
      hint: "load it anew; nothing was written"
    })
  }
  const taken = (yield* registry.servers).find((server) => server.name === newName)
  if (newName !== name) yield* checkName(newName)
  if (newName !== name && taken !== undefined) return yield* exists(newName, taken.source)
  const draft = yield* EntryDraft.make(name, given, text, file)
  const change = (whole: string) =>
    ConfigEditor.setEntryText(whole, name, draft.text, { bare: StandingEntry.isBare(file), newName })
  yield* Effect.mapError(EditedFile.edit(file, change), (error) => inWords(name, file.name, error))
  yield* registry.reload
  return yield* registry.settledServer(newName)
})

const checkName = (name: string) =>
  name.trim() !== "" && ServerName.isPlain(name) ? Effect.void : Effect.fail(
    new EntryRules.InvalidEntry({
      message: "a name may not be empty, nor hold line breaks, control characters or marks of direction",
      hint: "write a name such as files; nothing was written",
      ...{ key: "newName", line: null, column: null }
    })
  )
