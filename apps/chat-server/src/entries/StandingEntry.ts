/** The entry of a server as it stands in its file: its text, and whether it can be changed from here. */
import {
  ConfigEditor,
  ConfigFile,
  type ConfiguredServer,
  HiddenValues,
  JsonObjectText,
  McpConfig
} from "@boocode/mcp-config"
import { McpRegistry } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { Access } from "../access/Access.ts"
import * as EntrySwitch from "./EntrySwitch.ts"

export interface EntryFile {
  readonly path: string
  readonly name: string
  readonly scope: "data" | "project" | "user" | "command-line"
}

export interface StandingEntry {
  readonly name: string
  readonly file: EntryFile
  /** Null for an entry that no text of ours can stand for; `why` says why. */
  readonly text: string | null
  /** The place of its opening brace in the file; null without a text. */
  readonly at: { readonly line: number; readonly column: number } | null
  /** Why it is not changed from here; null for one that can be changed. */
  readonly why: string | null
}

/** Looks for the entry of a server. Fails with `McpError` for a name that no server has. */
export const find = Effect.fnUntraced(function*(name: string) {
  const registry = yield* McpRegistry
  const { source } = yield* registry.server(name)
  const { servers, sources } = yield* Effect.flatMap(McpConfig, ({ current }) => current)
  const server = servers.find((one) => one.name === name)
  if (server === undefined) return without(name, { path: source, name: source, scope: "data" }, NOWHERE)
  const scope = sources.find(({ file }) => file === server.source)?.scope ?? server.declared?.scope ?? "data"
  return yield* read(name, { path: yield* EntrySwitch.fileOf(server), name: server.source, scope }, server)
})

const NOWHERE = "it has no entry in a file"

const without = (name: string, file: EntryFile, why: string): StandingEntry => ({
  name,
  file,
  text: null,
  at: null,
  why
})

const read = Effect.fnUntraced(function*(name: string, file: EntryFile, { source }: ConfiguredServer) {
  const { isOpen } = yield* Access
  if (source === "code") return without(name, file, NOWHERE)
  if (/\.(?:toml|ya?ml)$/i.test(file.path)) return without(name, file, otherwise(file, "in another language than JSON"))
  const text = yield* Effect.result(ConfigFile.readText(file.path))
  if (Result.isFailure(text)) return without(name, file, `${file.name} cannot be read`)
  const entry = ConfigEditor.entryText(text.success, name, { bare: isBare(file) })
  if (Result.isFailure(entry)) return without(name, file, refusalWords(file, entry.failure))
  const isOwn = file.scope === "data" || file.scope === "command-line"
  const why = isOpen || isOwn ? null : `it stands in ${file.name}, which is not changed over the network`
  return { name, file, ...entry.success, why } satisfies StandingEntry
})

/** Whether a file may hold the bare map of servers. */
export const isBare = ({ path }: EntryFile): boolean => path.endsWith(".mcprc")

const otherwise = ({ name }: EntryFile, how: string): string =>
  `${name} is written ${how}; boocode mcp import ${name} brings its servers into a file of your own`

const refusalWords = (file: EntryFile, refusal: ConfigEditor.Refusal): string => {
  switch (refusal._tag) {
    case "Foreign":
      return otherwise(file, `in the words of another application (${refusal.shape})`)
    case "Unreadable":
      return `${file.name}:${refusal.fault.line}:${refusal.fault.column}: ${refusal.fault.detail}`
    case "NameTaken":
    case "NameUnknown":
      return NOWHERE
  }
}

/** The text of an entry without its secrets, and what it says. */
export const shown = (text: string): { readonly text: string; readonly entry: Schema.JsonObject } => {
  const hidden = HiddenValues.hide(text)
  return { text: hidden, entry: valueOf(hidden) }
}

export const valueOf = (text: string): Schema.JsonObject => Result.getOrElse(JsonObjectText.read(text), () => ({}))
