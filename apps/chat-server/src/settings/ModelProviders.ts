/**
 * The model providers as they stand: those of the environment, and those of settings.json in front of them. Beside them the
 * model that settings.json names for chats.
 */
import {
  type EnvironmentProvider,
  environmentProviders,
  ProviderEntries,
  type ProviderEntry
} from "@boocode/language-models"
import { type CredentialKey, Credentials, type CredentialStore } from "@boocode/mcp-client"
import { Environment, FileWatch, JsonObjectText } from "@boocode/mcp-config"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import { DataFolder } from "./DataFolder.ts"
import * as ProviderSettings from "./ProviderSettings.ts"
import * as Settings from "./Settings.ts"

export interface KnownProvider {
  readonly entry: ProviderEntry
  readonly source: "environment" | "settings.json"
  readonly keyFrom: "none" | "stored" | "variable"
  /** The variable of the key; null for any other key. */
  readonly variable: string | null
}

export class ModelProviders extends Context.Service<ModelProviders, {
  /** Every provider, sorted by name. */
  readonly known: Effect.Effect<ReadonlyArray<KnownProvider>>
  /** Their entries, which `LanguageModels` follows. */
  readonly entries: SubscriptionRef.SubscriptionRef<ReadonlyArray<ProviderEntry>>
  /** `model` of settings.json; null for none. */
  readonly model: Effect.Effect<string | null>
  /** Whenever a provider, that model or `BOOCODE_MODEL` has become another. */
  readonly changes: Stream.Stream<void>
  /** Reads settings.json, the variables and the kept keys again. The content of a file that cannot be read stays as it is. */
  readonly refresh: Effect.Effect<void>
  readonly keys: ProviderKeys
}>()("chat-server/ModelProviders") {
  /** Reads them once. Where a kept key is sealed, that asks the keychain. */
  static readonly layer = Layer.effect(
    ModelProviders,
    Effect.suspend(() => make)
  )

  /** Follows the files that they come from: a change is taken within two seconds and a half. */
  static readonly watchLayer = Layer.effectDiscard(Effect.gen(function*() {
    const { refresh } = yield* ModelProviders
    const environment = yield* Environment
    const { settingsFile, state } = yield* DataFolder
    const keys = (yield* Path.Path).join(state, "credentials.json")
    yield* Effect.forkScoped(FileWatch.run({
      files: Effect.succeed([settingsFile, keys, ...environment.files]),
      onChange: Effect.andThen(environment.refresh, refresh)
    }))
  }))
}

const make = Effect.gen(function*() {
  const needs = yield* Effect.context<DataFolder | Environment | FileSystem.FileSystem>()
  const keys = keysIn(yield* Credentials)
  const turn = yield* Semaphore.make(1)
  const standing = yield* SubscriptionRef.make<Standing>({ known: [], model: null, variable: null })
  const entries = yield* SubscriptionRef.make<ReadonlyArray<ProviderEntry>>([])
  let written: Written = { providers: [], problems: [], model: null }
  const refresh = turn.withPermit(Effect.gen(function*() {
    const read = yield* load
    for (const problem of (read ?? written).problems) {
      if (!written.problems.includes(problem)) yield* Effect.logWarning(`settings.json: ${problem}`)
    }
    written = read ?? written
    const { variables } = yield* Environment
    const own = yield* Effect.forEach(written.providers, (one) => fromSettings(one, variables, keys))
    const given = (yield* fromEnvironment(variables)).filter(({ entry }) =>
      !own.some((one) => one.entry.name === entry.name)
    )
    const all = [...own, ...given].toSorted((one, other) => one.entry.name < other.entry.name ? -1 : 1)
    yield* SubscriptionRef.set(entries, all.map(({ entry }) => entry))
    const next = { known: all, model: written.model, variable: variables["BOOCODE_MODEL"] ?? null }
    if (!Equal.equals(yield* SubscriptionRef.get(standing), next)) yield* SubscriptionRef.set(standing, next)
  })).pipe(Effect.provideContext(needs))
  yield* refresh
  const now = SubscriptionRef.get(standing)
  return ModelProviders.of({
    known: Effect.map(now, ({ known }) => known),
    entries,
    model: Effect.map(now, ({ model }) => model),
    // The first is what stands already.
    changes: Stream.map(Stream.drop(SubscriptionRef.changes(standing), 1), () => undefined),
    refresh,
    keys
  })
})

interface Standing {
  readonly known: ReadonlyArray<KnownProvider>
  readonly model: string | null
  /** `BOOCODE_MODEL`, which `.env` may change. */
  readonly variable: string | null
}

/** The part of settings.json about models. */
interface Written extends ProviderSettings.ProviderSettings {
  readonly model: string | null
}

/** Null for a file that cannot be read; `Settings` has told of it at the start. */
const load = Effect.gen(function*() {
  const { settingsFile } = yield* DataFolder
  const fs = yield* FileSystem.FileSystem
  const text = yield* fs.readFileString(settingsFile).pipe(
    Effect.catchReason("PlatformError", "NotFound", () => Effect.succeed("")),
    Effect.orElseSucceed(() => null)
  )
  const read = text === null ? null : JsonObjectText.read(text)
  if (read === null || Result.isFailure(read)) return null
  const { model } = Settings.taken(read.success).values
  return { ...ProviderSettings.read(read.success[ProviderSettings.KEY]), model } satisfies Written
})

type Variables = Readonly<Record<string, string | undefined>>

const fromSettings = Effect.fnUntraced(function*(
  written: ProviderSettings.WrittenProvider,
  variables: Variables,
  keys: ProviderKeys
) {
  const { kind, name, publicOnly, trouble, url, variable } = written
  const address = trouble === null ? ProviderEntries.addressOf(written) : null
  const stored = variable !== null || address === null
    ? Result.succeed(null)
    : yield* Effect.result(keys.read(name, address))
  const value = variable === null ? null : variables[variable]?.trim() || null
  const key = value === null ? Result.getOrElse(stored, () => null) : Redacted.make(value)
  const needsKey = ProviderEntries.KINDS[kind].needsKey && url === null
  const missing = trouble ??
    (Result.isFailure(stored) ? `its key cannot be read: ${stored.failure.detail}` : null) ??
    (variable !== null && value === null ? `set ${variable}` : null) ??
    (key === null && needsKey ? "save its key" : null) ??
    (value !== null && !ProviderEntries.isHeaderValue(value)
      ? `${variable} holds a character that no key has, such as a line break`
      : null)
  return {
    entry: { name, kind, url, key, publicOnly, missing },
    source: "settings.json",
    keyFrom: variable !== null ? "variable" : key === null && Result.isSuccess(stored) ? "none" : "stored",
    variable
  } satisfies KnownProvider
})

const fromEnvironment = (variables: Variables) => {
  const set = Object.entries(variables).filter((one): one is [string, string] => one[1] !== undefined)
  const provider = ConfigProvider.fromEnv({ env: Object.fromEntries(set) })
  return environmentProviders.pipe(
    Effect.map((all) => all.map(known)),
    Effect.provideService(ConfigProvider.ConfigProvider, provider),
    // Plain variables can always be read.
    Effect.orDie
  )
}

const known = ({ variable, ...entry }: EnvironmentProvider): KnownProvider => ({
  entry,
  source: "environment",
  keyFrom: variable === null ? "none" : "variable",
  variable
})

/**
 * The typed keys, kept where the tokens of remote servers are, each for the one address it was saved for. Everything fails
 * with `AuthorizationFailed` where it cannot be read or written now.
 */
const keysIn = (store: CredentialStore) => {
  const read = (name: string, address: string) =>
    Effect.map(store.read(place(name, address)), (kept) => kept?.tokens?.access ?? null)
  return {
    /** The key of a provider at an address; null where none was saved for that address. */
    read,
    /** Saves the key of a provider for this address; what was kept for it gives way. */
    save: (name: string, address: string, key: Redacted.Redacted<string>) =>
      store.change(place(name, address), () => Effect.succeed({ keep: kept(address, key), give: undefined })),
    /** Forgets the key of a provider at this address; without one it does nothing. */
    forget: Effect.fnUntraced(function*(name: string, address: string) {
      const found = yield* Effect.result(read(name, address))
      if (Result.isSuccess(found) && found.success === null) return
      // One that cannot be opened any more goes as well.
      yield* store.remove(place(name, address))
    })
  }
}

type ProviderKeys = ReturnType<typeof keysIn>

/** No server has a name with a slash at its end. */
const place = (name: string, address: string): CredentialKey => ({
  server: `provider ${name}/`,
  url: URL.canParse(address) ? new URL(address).href.replace(/\/+$/, "") : address
})

const kept = (address: string, key: Redacted.Redacted<string>) => ({
  issuer: URL.canParse(address) ? new URL(address).origin : address,
  client: null,
  tokens: { access: key, type: "key", refresh: null, scopes: [], expiresAt: null },
  wanted: []
})
