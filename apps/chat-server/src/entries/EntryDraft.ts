/** An entry that a request brings: read, its hidden values put back, and judged as the reader of its file would. */
import {
  ConfigEditor,
  ConfigFile,
  type ConfiguredServer,
  EntryText,
  HiddenValues,
  ServerName
} from "@boocode/mcp-config"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { Access } from "../access/Access.ts"
import * as AddServer from "./AddServer.ts"
import * as EntryRules from "./EntryRules.ts"
import * as StandingEntry from "./StandingEntry.ts"

/** An entry in a request: the text, or the object that it comes to. */
export interface Given {
  readonly text?: string
  readonly entry?: Schema.JsonObject
}

/** An entry that may be written and started. */
export interface EntryDraft {
  /** As it is to be written, secrets included. */
  readonly text: string
  readonly entry: Schema.JsonObject
  readonly server: ConfiguredServer
}

/** As `draft`; without a text there are no places that a person could see. */
export const make = (name: string, given: Given, standing: string | null, file: StandingEntry.EntryFile) =>
  Effect.mapError(
    draft(name, given, standing, file),
    (error) =>
      error._tag === "InvalidEntry" && given.text === undefined
        ? new EntryRules.InvalidEntry({
          message: error.message,
          hint: error.hint,
          key: error.key,
          line: null,
          column: null
        })
        : error
  )

/**
 * Reads what a request says of a server; `standing` is the text of its entry now, null for a new one. Fails with
 * `InvalidEntry`, whose places are those of the given text, and with `NotOverHttp` and `UnknownHost`.
 */
const draft = Effect.fnUntraced(function*(
  name: string,
  given: Given,
  standing: string | null,
  file: StandingEntry.EntryFile
) {
  const { isOpen } = yield* Access
  const typed = yield* typedText(given, standing)
  const { root } = yield* Effect.mapError(Effect.fromResult(EntryText.read(typed)), notJson)
  const before = standing === null ? null : StandingEntry.valueOf(standing)
  yield* checkKeys(root, before)
  const back = yield* Effect.mapError(Effect.fromResult(HiddenValues.restore(typed, standing)), typeAgain)
  const { text } = yield* Effect.mapError(Effect.fromResult(EntryText.read(back.text)), notJson)
  const entry = StandingEntry.valueOf(text)
  yield* checkOrigin(typed, back.kept, before, entry)
  if (!isOpen) yield* Effect.fromResult(EntryRules.checkEntry(name, StandingEntry.valueOf(typed), shownOf(standing)))
  const isAway = !isOpen && EntryRules.changedKeys(entry, before).has("url")
  const isBound = !isOpen && (isAway || before?.["publicOnly"] === true)
  const written = isBound ? ConfigEditor.reconciled(text, EntryRules.marked(entry)) : text
  const server = yield* judged(name, written, file)
  if (isAway) yield* EntryRules.checkAddress(server)
  return { text: written, entry, server } satisfies EntryDraft
})

const shownOf = (standing: string | null) => standing === null ? null : StandingEntry.shown(standing).entry

const typedText = ({ entry, text }: Given, standing: string | null) => {
  if (text !== undefined) return Effect.succeed(text)
  if (entry !== undefined) {
    const shown = standing === null ? "{}" : StandingEntry.shown(standing).text
    return Effect.succeed(ConfigEditor.reconciled(shown, entry))
  }
  const message = "there is neither a text nor an entry"
  return Effect.fail(invalid({ message, hint: "send \"text\" or \"entry\"" }))
}

const invalid = (
  told: Pick<EntryRules.InvalidEntry, "message" | "hint"> & Partial<EntryRules.InvalidEntry>
): EntryRules.InvalidEntry => {
  const { column = null, hint, key = null, line = null, message } = told
  return new EntryRules.InvalidEntry({ message, hint: `${hint}; nothing was written`, line, column, key })
}

type Fault = Result.Result.Failure<ReturnType<typeof EntryText.read>>

const notJson = ({ column, detail, line }: Fault) =>
  invalid({ message: detail, hint: "correct the text at that place", line, column })

const typeAgain = ({ column, detail, key, line }: HiddenValues.HiddenFault) =>
  invalid({ message: detail, hint: "type the value again", line, column, key })

/** Keys that stand there already are left to the person who wrote them. */
const checkKeys = (root: EntryText.ReadEntry["root"], before: Schema.JsonObject | null) => {
  const fresh = root.members.map(({ key }) => key).filter((key) => !Object.hasOwn(before ?? {}, key))
  const unknown = EntryRules.unknownKey(fresh)
  if (unknown === null) return Effect.void
  const { hint, key } = unknown
  const at = root.members.find((member) => member.key === key)?.at ?? root.at
  return Effect.fail(
    invalid({ message: `"${key}" is no key of an entry`, hint, key, line: at.line, column: at.column })
  )
}

/** Keys whose values go to the address. */
const SENT = ["headers", "oauth", "url"]

/** A secret is sent only to the address that it was written for, and only signs in where it did. */
const checkOrigin = (
  typed: string,
  kept: ReadonlySet<string>,
  before: Schema.JsonObject | null,
  entry: Schema.JsonObject
) => {
  const isSent = SENT.some((key) => kept.has(key))
  const isSame = originOf(before?.["url"]) === originOf(entry["url"]) && issuerOf(before) === issuerOf(entry)
  if (!isSent || isSame) return Effect.void
  const root = Result.getOrNull(EntryText.read(typed))?.root
  const key = originOf(before?.["url"]) === originOf(entry["url"]) ? "oauth" : "url"
  const at = root?.members.find((member) => member.key === key)?.value.at
  return Effect.fail(invalid({
    message: "the address is another one, and secrets that are hidden here were written for the one before",
    hint: "type the secrets again",
    ...{ key, line: at?.line ?? null, column: at?.column ?? null }
  }))
}

const issuerOf = (entry: Schema.JsonObject | null): string | null => {
  const oauth = entry?.["oauth"]
  const issuer = typeof oauth === "object" && oauth !== null
    ? Object.entries(oauth).find(([key]) => key === "issuer")
    : null
  return JSON.stringify(issuer?.[1] ?? null)
}

const originOf = (url: Schema.Json | undefined): string | null =>
  typeof url === "string" ? /^\s*([a-z][a-z0-9+.-]*:\/\/[^/?#]*)/i.exec(url)?.[1]?.toLowerCase() ?? url : null

/** The verdict of the file's reader. The text begins in the second line, so that its places can be told. */
const judged = Effect.fnUntraced(function*(name: string, text: string, file: StandingEntry.EntryFile) {
  const whole = `{"mcpServers":{${JSON.stringify(name)}:\n${text}}}`
  const { servers } = yield* ConfigFile.fromText({ ...file, scope: "data" }, whole)
  const server = servers.find((one) => one.name === ServerName.shown(name))
  if (server === undefined) {
    const message = "the entry is written in the words of another application"
    return yield* invalid({ message, hint: "paste it where servers are added, which translates it" })
  }
  if (Result.isSuccess(server.config) || server.config.failure._tag !== "InvalidEntry") return server
  const { column, detail, hint, key, line } = server.config.failure
  // The file may come later.
  if (key.endsWith(".envFile")) return server
  const short = AddServer.shortKey(name, key)
  return yield* invalid({
    message: short === null ? detail : `${short}: ${detail}`,
    hint,
    ...{ key: short, line: Math.max(line - 1, 1), column }
  })
})
