/**
 * Enabling and disabling a server, and offering its writing tools: its entry says so in the file that declares it, and the
 * file is read again.
 */
import { ConfigEditor, type ConfiguredServer, EditedFile, Environment, McpConfig } from "@boocode/mcp-config"
import { McpRegistry } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import type * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { TOLD } from "../settings/ToldWords.ts"

export class EntryNotChanged extends Schema.TaggedError<EntryNotChanged>()("EntryNotChanged", TOLD) {}

/** Answers when the server is ready, failed or gone. Fails with `EntryNotChanged` or `McpError`. */
export const setEnabled = (name: string, isEnabled: boolean) =>
  changed(name, (text, options) => ConfigEditor.setEnabled(text, name, isEnabled, options))

/**
 * Offers the writing tools of a server, each call with a person's yes, or no longer. Answers with how the server stands
 * then. Fails with `EntryNotChanged`, also for an entry of a project file, or `McpError`.
 */
export const setWrites = (name: string, writes: "off" | "ask") =>
  changed(
    name,
    (text, options) => ConfigEditor.setWrites(text, name, writes, options),
    ({ declared, source }) =>
      declared?.scope === "project"
        ? Effect.fail(
          new EntryNotChanged({
            message: `${name} is declared in ${source} of the project, which cannot offer writing tools`,
            hint: "write the entry into a file of your own, with \"writes\": \"ask\""
          })
        )
        : Effect.void
  )

type Change = (text: string, options: ConfigEditor.EditOptions) => Result.Result<string, ConfigEditor.Refusal>

const changed = Effect.fnUntraced(function*(
  name: string,
  change: Change,
  check: (entry: ConfiguredServer) => Effect.Effect<void, EntryNotChanged> = () => Effect.void
) {
  const registry = yield* McpRegistry
  yield* registry.server(name)
  const { servers } = yield* Effect.flatMap(McpConfig, ({ current }) => current)
  const entry = servers.find((server) => server.name === name)
  if (entry === undefined) return yield* gone(name)
  yield* check(entry)
  const path = yield* fileOf(entry)
  const bare = path.endsWith(".mcprc")
  yield* EditedFile.edit({ path, name: entry.source }, (text) => change(text, { bare })).pipe(
    Effect.mapError((error) => inWords(name, entry.source, error))
  )
  yield* registry.reload
  return yield* registry.settledServer(name)
})

/** A broken entry has no path, only the name of its file as a person would write it. */
export const fileOf = Effect.fnUntraced(function*({ declared, source }: ConfiguredServer) {
  if (declared !== undefined) return declared.file
  const path = yield* Path.Path
  const { variables } = yield* Environment
  const home = variables["HOME"] ?? variables["USERPROFILE"] ?? ""
  return path.resolve(source.replace(/^~(?=[/\\])/, home))
})

const inWords = (name: string, file: string, error: ConfigEditor.Refusal | EditedFile.EditFailed) => {
  if (error._tag === "EditFailed") return new EntryNotChanged({ message: error.message, hint: error.hint })
  if (error._tag !== "Unreadable") return gone(name)
  const { column, detail, line } = error.fault
  return new EntryNotChanged({
    message: `${file}:${line}:${column}: ${detail}`,
    hint: "correct the file at that place"
  })
}

const gone = (name: string) =>
  new EntryNotChanged({
    message: `${name} has no entry under "mcpServers" in a file of its own`,
    hint: "change it where it is configured"
  })
