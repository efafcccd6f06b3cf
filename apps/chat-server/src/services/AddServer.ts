/**
 * Servers that are added and removed over HTTP: their entries stand in the data file like those of people.
 */
import {
  ConfigEditor,
  ConfigFile,
  type ConfiguredServer,
  EditedFile,
  McpConfig,
  NativeKeys,
  Nearest,
  ServerName
} from "@boocode/mcp-config"
import { McpRegistry } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { Access } from "../access/Access.ts"
import { HostAddresses } from "../access/PublicFetch.ts"
import { DataFolder } from "../settings/DataFolder.ts"
import * as PrivateAddress from "../settings/PrivateAddress.ts"
import { Settings } from "../settings/Settings.ts"

/** The file cannot be changed that way. It is as it was; `state` says why in a word. */
export class FileConflict extends Schema.TaggedError<FileConflict>()("FileConflict", {
  state: Schema.Literals(["exists", "elsewhere", "unchanged"]),
  message: Schema.String,
  hint: Schema.String
}) {}

/**
 * Writes an entry and starts it; answers when the server is ready or failed. Fails with `NotOverHttp`, `UnknownHost`,
 * `InvalidEntry` or `FileConflict`.
 */
export const add = Effect.fnUntraced(function*(name: string, entry: Schema.JsonObject) {
  const registry = yield* McpRegistry
  const { isOpen } = yield* Access
  const target = yield* dataFile
  yield* Effect.fromResult(checkKeys(name, entry))
  if (!isOpen) yield* Effect.fromResult(checkEntry(name, entry))
  const written = isOpen ? entry : marked(entry)
  const taken = (yield* registry.servers).find((server) => server.name === name)
  if (taken !== undefined) return yield* exists(name, taken.source)
  const change = (text: string) => ConfigEditor.addServer(text, name, written)
  const outlook = yield* Effect.mapError(
    EditedFile.preview(target, change),
    (error) => inWords(name, target.name, error)
  )
  yield* check(name, target, outlook.after, isOpen)
  yield* Effect.mapError(EditedFile.edit(target, change), (error) => inWords(name, target.name, error))
  yield* registry.reload
  return yield* registry.settledServer(name)
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

/** The file with the servers of this program. */
const dataFile = Effect.gen(function*() {
  const { configFile, dataFile } = yield* DataFolder
  const path = configFile ?? dataFile
  const { sources } = yield* Effect.flatMap(McpConfig, ({ current }) => current)
  const source = sources.find(({ scope }) => scope === "data" || scope === "command-line")
  const base = (yield* Path.Path).basename(path)
  return { path, name: source?.file ?? base, scope: "data" as const }
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
    return yield* new InvalidEntry({
      message: `${key}: ${detail}`,
      hint: `${hint}; nothing was written`
    })
  }
  if (!isOpen) yield* checkAddress(server)
})

const exists = (name: string, source: string) =>
  new FileConflict({
    state: "exists",
    message: `there is a server called ${name} already, in ${source}`,
    hint: "take another name, or remove that one first"
  })

const inWords = (name: string, file: string, error: ConfigEditor.Refusal | EditedFile.EditFailed): FileConflict => {
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

// What an entry may be that comes over the network, where others than this machine reach the server (R77).

/** The entry cannot be used. Nothing was written. */
export class InvalidEntry extends Schema.TaggedError<InvalidEntry>()("InvalidEntry", {
  message: Schema.String,
  hint: Schema.String
}) {}

/** An entry that may not come over the network. Nothing was written. */
export class NotOverHttp extends Schema.TaggedError<NotOverHttp>()("NotOverHttp", {
  message: Schema.String,
  hint: Schema.String
}) {}

/** The host of an address cannot be looked up. Nothing was written. */
export class UnknownHost extends Schema.TaggedError<UnknownHost>()("UnknownHost", {
  message: Schema.String,
  hint: Schema.String
}) {}

/** The entry as it is to be written: it stays marked, so that it is judged at each connection, also after a restart. */
export const marked = (entry: Schema.JsonObject): Schema.JsonObject => ({ ...entry, publicOnly: true })

/** Only keys that an entry has, or that are known to say nothing here: a program that asks cannot see warnings. */
export const checkKeys = (name: string, entry: Schema.JsonObject): Result.Result<void, InvalidEntry> => {
  const unknown = Object.keys(entry).find((key) => !NativeKeys.NATIVE_KEYS.includes(key) && !NativeKeys.isSilent(key))
  if (unknown === undefined) return Result.void
  const meant = NativeKeys.COUNTERPARTS.get(unknown) ?? Nearest.nearest(unknown, NativeKeys.NATIVE_KEYS)[0]
  return Result.fail(
    new InvalidEntry({
      message: `mcpServers.${name}: "${unknown}" is no key of an entry`,
      hint: `${meant === undefined ? "leave it out" : `write "${meant}" instead`}; nothing was written`
    })
  )
}

/** What an entry that comes over the network may say; `roots` would tell its server of folders of this machine. */
const OVER_NETWORK: ReadonlySet<string> = new Set(
  NativeKeys.NATIVE_KEYS.filter((key) =>
    !NativeKeys.STDIO_KEYS.includes(key) && key !== "headersHelper" && key !== "roots"
  )
)

/** What of an entry would run a program here, or send a secret of this machine away. */
export const checkEntry = (name: string, entry: Schema.JsonObject): Result.Result<void, NotOverHttp> => {
  if (entry["command"] !== undefined) return no(`${name} would start a program on this machine`)
  if (entry["headersHelper"] !== undefined) return no(`"headersHelper" of ${name} would run a program on this machine`)
  const other = Object.keys(entry).find((key) => !OVER_NETWORK.has(key) && !NativeKeys.isSilent(key))
  if (other !== undefined) return no(`"${other}" of ${name} is about this machine`)
  const isFilledIn = textsIn(entry).some((text) => /\$(\{|[A-Za-z_])/.test(text))
  return isFilledIn ? no(`${name} would send variables of this machine to its address`) : Result.void
}

/** At whatever depth: what signs in is sent away as well as what is a header. */
const textsIn = (value: Schema.Json | undefined): ReadonlyArray<string> => {
  if (typeof value === "string") return [value]
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : []
}

const no = (message: string) =>
  Result.fail(
    new NotOverHttp({
      message: `${message}, which nobody may ask for over the network`,
      hint: "add it on the machine itself: boocode mcp add, or an entry in mcp.json"
    })
  )

/** Whether the address of an entry is public, as far as that can be told now. */
export const checkAddress = Effect.fnUntraced(function*({ config, name }: ConfiguredServer) {
  if (Result.isFailure(config) || config.success.transport._tag === "stdio") return
  const { privateAddresses } = yield* Settings
  const addresses = yield* HostAddresses
  const host = PrivateAddress.nameOf(new URL(Redacted.value(config.success.transport.url)).hostname)
  const found = PrivateAddress.isAddress(host) ? [host] : yield* addresses.of(host)
  if (found.length === 0) {
    return yield* new UnknownHost({
      message: `the host ${host} of ${name} cannot be looked up`,
      hint: "check the address, and the network of this machine"
    })
  }
  const why = PrivateAddress.refusal(privateAddresses)(host, found)
  if (why === null) return
  return yield* new NotOverHttp({
    message: `${why}, and servers that are added over the network may have public ones only`,
    hint: "allow it with \"privateAddresses\" in settings.json, or write the entry into mcp.json on the machine itself"
  })
})
