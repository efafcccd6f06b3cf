/**
 * settings.json of the data folder, read once at start. Its keys stand in `SettingsTable.ts`; `ModelProviders` follows those
 * that hold at once.
 */
import { JsonObjectText, Nearest } from "@boocode/mcp-config"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type { LogLevel } from "effect/LogLevel"
import * as References from "effect/References"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import { DataFolder } from "./DataFolder.ts"
import * as ProviderSettings from "./ProviderSettings.ts"
import { isKey, type Key, keys, TABLE, type Values, WHEN_WRONG, words } from "./SettingsTable.ts"

export class Settings extends Context.Service<Settings, Values>()("chat-server/Settings") {
  /** A key that is wrong keeps its default and is a warning, an unknown key is one too; a file that is wrong is one warning. */
  static readonly layer = Layer.effect(
    Settings,
    Effect.gen(function*() {
      const { settingsFile } = yield* DataFolder
      const { problems, values } = taken(yield* load(settingsFile))
      for (const problem of problems) yield* Effect.logWarning(`${settingsFile}: ${problem}`)
      return Settings.of(values)
    })
  )

  static readonly layerValues = (values: Partial<Values>) => Layer.succeed(Settings, { ...defaults, ...values })
}

/** Takes the good keys of a file's object; a problem in words for each of the others. */
export const taken = (
  read: Schema.JsonObject
): { readonly values: Values; readonly problems: ReadonlyArray<string> } => {
  const given = Object.keys(read)
  const wrong = given.filter(isKey).filter((key) => !isGood(key, read[key]))
  const good = Object.fromEntries(
    given.filter(isKey).map((key) => [key, wrong.includes(key) ? WHEN_WRONG[key] : read[key]] as const)
      .filter(([, value]) => value !== undefined)
  )
  return {
    values: decode(good),
    problems: [
      ...given.filter((key) => !isKnown(key)).map((key) => `unknown key "${key}", not read${meant(key)}`),
      ...wrong.map((key) =>
        `"${key}" is ignored: expected ${words(key).wanted}${inside(key, read[key])}${instead(key)}`
      )
    ]
  }
}

const instead = (key: Key): string =>
  WHEN_WRONG[key] === undefined ? "" : `; until it is right ${JSON.stringify(WHEN_WRONG[key])} holds`

/** Which key in the value of a key is wrong, where that is not the value itself. */
const inside = (key: Key, value: unknown): string => {
  const decoded = decodeStrictly(key, value)
  if (Result.isSuccess(decoded)) return ""
  const [first] = formatIssues(decoded.failure.issue).issues
  const path = (first?.path ?? []).slice(1).map(String).join(" > ")
  return path === "" ? "" : `; ${path} is wrong`
}

const formatIssues = SchemaIssue.makeFormatterStandardSchemaV1()

const decodeStrictly = (key: Key, value: unknown) =>
  Schema.decodeUnknownResult(TABLE, { onExcessProperty: "error" })({ [key]: value })

/** Whether a value may stand under a key. */
export const isGood = (key: Key, value: unknown): boolean => Result.isSuccess(decodeStrictly(key, value))

/** Remarks such as `$schema`, `_note` or `//` are no settings; `providers` is read by `ModelProviders`, whenever it changes. */
export const isKnown = (key: string): boolean => isKey(key) || key === ProviderSettings.KEY || /^(_|\$|\/\/)/.test(key)

/** The key that was meant, as the end of a sentence; nothing where none is near. */
export const meant = (key: string): string => {
  const [near] = Nearest.nearest(key, keys, 1)
  return near === undefined ? "" : `; did you mean ${near}?`
}

const decode = Schema.decodeUnknownSync(TABLE)

export const defaults: Values = decode({})

/** Makes the log as quiet as was asked for, else as the settings say. */
export const logLevel = (asked: LogLevel | null) =>
  Layer.effect(
    References.MinimumLogLevel,
    Effect.map(Settings, (settings) => asked ?? LOG_LEVELS[settings.logLevel])
  )

const LOG_LEVELS = {
  trace: "Trace",
  debug: "Debug",
  info: "Info",
  warn: "Warn",
  error: "Error",
  none: "None"
} as const

/** A file that is not there says nothing. */
const load = Effect.fnUntraced(function*(file: string) {
  const fs = yield* FileSystem.FileSystem
  const text = yield* Effect.result(
    fs.readFileString(file).pipe(
      Effect.catchReason("PlatformError", "NotFound", () => Effect.succeed("{}"))
    )
  )
  if (Result.isFailure(text)) return yield* useless(file, text.failure.message)
  const read = JsonObjectText.read(text.success)
  if (Result.isSuccess(read)) return read.success
  const { column, detail, line } = read.failure
  return yield* useless(`${file}:${line}:${column}`, detail)
})

const useless = (where: string, why: string): Effect.Effect<Schema.JsonObject> =>
  Effect.as(
    Effect.logWarning(`${where} cannot be used, so the default settings hold, and every call asks first: ${why}`),
    // Where nobody can tell whether there are limits, a model answers.
    { ...WHEN_WRONG, limits: {} }
  )
