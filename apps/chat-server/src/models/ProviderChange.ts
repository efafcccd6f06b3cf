/** Providers that are added, changed, removed and tried: their entries stand in settings.json, their keys with the tokens. */
import { LanguageModels, ProviderEntries, type ProviderEntry, type ProviderKind } from "@boocode/language-models"
import { EditedFile, Environment, JsonObjectText, Nearest } from "@boocode/mcp-config"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as EntryRules from "../entries/EntryRules.ts"
import { DataFolder } from "../settings/DataFolder.ts"
import { type KnownProvider, ModelProviders } from "../settings/ModelProviders.ts"
import * as ProviderSettings from "../settings/ProviderSettings.ts"
import { TOLD } from "../settings/ToldWords.ts"

/** A request that cannot be met. Nothing was written; no text repeats a key. */
export class WrongProvider extends Schema.TaggedError<WrongProvider>()("WrongProvider", TOLD) {}

/** No provider has this name. */
export class UnknownProvider extends Schema.TaggedError<UnknownProvider>()("UnknownProvider", {
  ...TOLD,
  nearest: Schema.Array(Schema.String)
}) {}

/** The entry is as it was; `state` says why in a word. */
export class ProviderConflict extends Schema.TaggedError<ProviderConflict>()("ProviderConflict", {
  ...TOLD,
  state: Schema.Literals(["exists", "elsewhere", "unchanged"])
}) {}

/** The key cannot be kept or read. Nothing was written. */
export class KeyNotKept extends Schema.TaggedError<KeyNotKept>()("KeyNotKept", TOLD) {}

/** A provider as it is wanted. An absent key stays; null is the address of the kind, or no key. */
export interface Draft {
  readonly kind?: ProviderKind | undefined
  readonly url?: string | null | undefined
  readonly key?: Redacted.Redacted<string> | null | undefined
}

export interface Asker {
  /** Only this machine reaches the server, so an address may be any. */
  readonly isOpen: boolean
  /** Whether `${VAR}` may be given as a key: a person at a terminal reads the variables anyway. */
  readonly mayNameVariables: boolean
}

/**
 * Adds a provider; it works at once. Fails with `WrongProvider`, `NotOverHttp`, `UnknownHost`, `ProviderConflict` where the
 * name is taken, or `KeyNotKept`.
 */
export const add = Effect.fnUntraced(function*(name: string, draft: Draft, asker: Asker) {
  const wrong = ProviderSettings.nameTrouble(name)
  if (wrong !== null) return yield* refused(wrong, "give another name; nothing was written")
  const found = (yield* all).find(({ entry }) => entry.name === name)
  if (found?.source === "settings.json") {
    return yield* new ProviderConflict({
      state: "exists",
      message: `there is a provider called ${name} already`,
      hint: "take another name, or change that one"
    })
  }
  return yield* write(yield* merged(name, null, draft, asker))
})

/**
 * Changes a provider; one of the environment gets an entry of its own. A key stays with the address that it was saved with:
 * another address without a key fails with `WrongProvider`. Fails as `add` does, and with `UnknownProvider`.
 */
export const change = Effect.fnUntraced(function*(name: string, draft: Draft, asker: Asker) {
  return yield* write(yield* merged(name, yield* existing(name), draft, asker))
})

/** Removes the entry of a provider, and its key. One of the environment comes from there and fails with `ProviderConflict`. */
export const remove = Effect.fnUntraced(function*(name: string) {
  const { entry, source, variable } = yield* existing(name)
  if (source === "environment") {
    return yield* new ProviderConflict({
      state: "elsewhere",
      message: `${name} comes from the environment`,
      hint: `take ${variable ?? "its variables"} out of the environment or .env`
    })
  }
  yield* edited({ [name]: null })
  const address = ProviderEntries.addressOf(entry)
  const { keys, refresh } = yield* ModelProviders
  if (address !== null) yield* kept(keys.forget(name, address))
  yield* refresh
})

export interface Trial {
  readonly ok: boolean
  readonly models: Effect.Success<ReturnType<typeof LanguageModels.Service.listed>>
  readonly millis: number
  readonly error: { readonly message: string; readonly hint: string } | null
}

/**
 * Asks a provider for its models, as the draft would have it; nothing is written. Waits 10 s at most. Troubles of the
 * draft or the provider are in the answer. Fails where the address may not be asked for, or the provider is unknown and
 * the draft names no kind.
 */
export const test = Effect.fnUntraced(function*(name: string, draft: Draft, asker: Asker) {
  const before = (yield* all).find(({ entry }) => entry.name === name) ?? null
  if (before === null && draft.kind === undefined) return yield* unknown(name)
  const models = yield* LanguageModels
  const start = yield* Clock.currentTimeMillis
  const asked = yield* Effect.result(Effect.gen(function*() {
    const { key, written } = yield* merged(name, before, draft, asker)
    const entry = { ...written, missing: null, key: key ?? null }
    if (entry.key === null && needsKey(entry)) return yield* refused("it needs a key", keyHint(entry.kind))
    return yield* models.listed(entry)
  }))
  const millis = (yield* Clock.currentTimeMillis) - start
  if (Result.isSuccess(asked)) return { ok: true, models: asked.success, millis, error: null } satisfies Trial
  const { _tag, hint, message } = asked.failure
  if (_tag === "NotOverHttp") return yield* asked.failure
  return { ok: false, models: [], millis, error: { message, hint } } satisfies Trial
})

export const existing = Effect.fnUntraced(function*(name: string) {
  const found = (yield* all).find(({ entry }) => entry.name === name)
  return found ?? (yield* unknown(name))
})

const all = ModelProviders.use(({ known }) => known)

const unknown = Effect.fnUntraced(function*(name: string) {
  const names = (yield* all).map(({ entry }) => entry.name)
  const isName = ProviderSettings.nameTrouble(name) === null
  return yield* new UnknownProvider({
    message: isName ? `no provider is called ${name}` : "no provider has that name",
    hint: `there are ${names.join(", ")}`,
    nearest: isName ? Nearest.nearest(name, names) : []
  })
})

const refused = (message: string, hint: string) => Effect.fail(new WrongProvider({ message, hint }))

const needsKey = ({ kind, url }: Pick<ProviderEntry, "kind" | "url">): boolean =>
  url === null && ProviderEntries.KINDS[kind].needsKey

const keyHint = (kind: ProviderKind): string => {
  const { keyPage } = ProviderEntries.KINDS[kind]
  return keyPage === null ? "type the key" : `type the key; there are some at ${keyPage}`
}

interface Merged {
  readonly before: KnownProvider | null
  readonly written: Omit<ProviderSettings.WrittenProvider, "trouble">
  /** The key that it has from then on: null for none. */
  readonly key: Redacted.Redacted<string> | null
  /** True where it was typed, and is to be saved. */
  readonly isTyped: boolean
}

const merged = Effect.fnUntraced(function*(name: string, before: KnownProvider | null, draft: Draft, asker: Asker) {
  const kind = draft.kind ?? before?.entry.kind ?? "openai-compatible"
  const url = (draft.url === undefined ? before?.entry.url : draft.url?.trim() || null) ?? null
  const wrong = url === null ? null : ProviderSettings.urlTrouble(url)
  if (wrong !== null) return yield* refused(wrong, "give an address such as https://models.example/v1")
  const address = ProviderEntries.addressOf({ kind, url })
  if (address === null) return yield* refused("it needs an address", "give the url, such as http://127.0.0.1:11434/v1")
  const isMoved = before !== null && address !== ProviderEntries.addressOf(before.entry)
  const isGiven = draft.url !== undefined && url !== null && (isMoved || before === null)
  if (isGiven && !asker.isOpen) yield* EntryRules.checkHost(name, url, "providers")
  const publicOnly = isGiven ? !asker.isOpen : isMoved ? false : before?.entry.publicOnly ?? false
  const key = yield* keyOf(before, draft.key, isMoved, asker)
  return { before, written: { name, kind, url, variable: key.variable, publicOnly }, ...key } satisfies Merged
})

const keyOf = Effect.fnUntraced(function*(
  before: KnownProvider | null,
  draft: Draft["key"],
  isMoved: boolean,
  { mayNameVariables }: Asker
) {
  const none = { key: null, variable: null, isTyped: false }
  if (draft === undefined) {
    if (before === null || before.keyFrom === "none") return none
    if (isMoved) {
      return yield* refused(
        "its key belongs to the address that it was saved with",
        "type the key again for another address, or null for none"
      )
    }
    return { key: before.entry.key, variable: before.variable, isTyped: false }
  }
  const text = draft === null ? "" : Redacted.value(draft).trim()
  if (draft === null || text === "") return none
  const variable = ProviderSettings.variableOf(text)
  if (variable !== null) {
    const isSame = !isMoved && before?.variable === variable
    const value = (yield* Environment).variables[variable]?.trim() || null
    if (isSame || mayNameVariables) {
      return { key: value === null ? null : Redacted.make(value), variable, isTyped: false }
    }
  }
  if (text.includes("${")) {
    return yield* refused(
      "a variable of this machine is not given as a key over HTTP",
      "write it into settings.json, or run: boocode setup --key-from-env VAR"
    )
  }
  if (!ProviderEntries.isHeaderValue(text)) {
    return yield* refused("the key holds a character that no key has, such as a line break", "copy it again")
  }
  return { key: Redacted.make(text), variable: null, isTyped: true }
})

const write = Effect.fnUntraced(function*({ before, isTyped, key, written }: Merged) {
  const { keys, refresh } = yield* ModelProviders
  const { name } = written
  const address = ProviderEntries.addressOf(written) ?? ""
  const old = before === null ? null : ProviderEntries.addressOf(before.entry)
  if (isTyped && key !== null) yield* kept(keys.save(name, address, key))
  yield* edited({ [name]: ProviderSettings.entryOf(written) })
  if (old !== null && old !== address) yield* kept(keys.forget(name, old))
  if (key === null || !isTyped && written.variable !== null) yield* kept(keys.forget(name, address))
  yield* refresh
  return yield* existing(name)
})

const kept = <A, R>(effect: Effect.Effect<A, { readonly detail: string; readonly hint: string }, R>) =>
  Effect.mapError(effect, ({ detail, hint }) => new KeyNotKept({ message: `the key cannot be kept: ${detail}`, hint }))

const edited = Effect.fnUntraced(function*(values: Schema.JsonObject) {
  const { settingsFile } = yield* DataFolder
  yield* EditedFile.edit(
    { path: settingsFile, name: "settings.json" },
    (text) => Result.mapError(JsonObjectText.changeIn(text, ProviderSettings.KEY, values), inWords)
  ).pipe(Effect.catchTag("EditFailed", ({ hint, message }) => Effect.fail(unchanged(message, hint))))
})

const inWords = ({ column, detail, line }: JsonObjectText.Fault) =>
  unchanged(`settings.json:${line}:${column}: ${detail}`, "correct the file at that place; nothing was written")

const unchanged = (message: string, hint: string) => new ProviderConflict({ state: "unchanged", message, hint })
