/** settings.json as it is now beside what holds since the start, and changes to it. */
import * as KeyShape from "@boocode/language-models/KeyShape"
import { EditedFile, JsonObjectText } from "@boocode/mcp-config"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as FileSystem from "effect/FileSystem"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { DataFolder } from "./DataFolder.ts"
import * as ProviderSettings from "./ProviderSettings.ts"
import * as Settings from "./Settings.ts"
import { type Key, keys, LIVE, OF_THE_FILE, SECRETS, TABLE, words } from "./SettingsTable.ts"
import { TOLD } from "./ToldWords.ts"

/** A change that cannot be made. Nothing was written. */
export class WrongSetting extends Schema.TaggedError<WrongSetting>()("WrongSetting", TOLD) {}

/** A setting that only the file may change, where others reach the server. */
export class SettingOfTheFile extends Schema.TaggedError<SettingOfTheFile>()("SettingOfTheFile", TOLD) {}

/** settings.json could not be written, or is not JSON. It is as it was. */
export class SettingsNotWritten extends Schema.TaggedError<SettingsNotWritten>()("SettingsNotWritten", TOLD) {}

/** Every setting as it stands. A file that cannot be read says nothing, and why is among the problems. */
export const look = Effect.fnUntraced(function*(isOpen: boolean) {
  const { settingsFile } = yield* DataFolder
  const inForce = yield* Settings.Settings
  const fs = yield* FileSystem.FileSystem
  const text = yield* Effect.orElseSucceed(fs.readFileString(settingsFile), () => "")
  const read = JsonObjectText.read(text)
  const written = Result.getOrElse(read, (): Schema.JsonObject => ({}))
  const { problems, values } = Settings.taken(written)
  const next = encoded(values)
  const now = { ...encoded(inForce), ...Object.fromEntries(Object.entries(next).filter(([key]) => LIVE.has(key))) }
  const standard = encoded(Settings.defaults)
  const setting = (key: Key) => {
    const shown = (value: unknown): Schema.Json => SECRETS.has(key) ? (value ?? null) !== null : json(value)
    return {
      key,
      ...words(key),
      value: shown(now[key]),
      default: shown(standard[key]),
      written: Object.hasOwn(written, key) ? shown(written[key]) : null,
      source: Equal.equals(now[key], standard[key]) ? "default" as const : "settings.json" as const,
      secret: SECRETS.has(key),
      editable: isOpen || !OF_THE_FILE.has(key),
      restart: !Equal.equals(now[key], next[key])
    }
  }
  return {
    file: settingsFile,
    settings: keys.map(setting),
    problems: Result.isSuccess(read)
      ? [...problems, ...ProviderSettings.read(written[ProviderSettings.KEY]).problems]
      : [`line ${read.failure.line}, column ${read.failure.column}: ${read.failure.detail}`]
  }
})

/**
 * Writes keys; null removes one. `isOpen` says that only this machine reaches the server. Fails with `WrongSetting`,
 * `SettingOfTheFile` or `SettingsNotWritten`.
 */
export const change = Effect.fnUntraced(function*(values: Schema.JsonObject, isOpen: boolean) {
  const { settingsFile } = yield* DataFolder
  const kept = Object.keys(values).find((key) => !isOpen && OF_THE_FILE.has(key))
  if (kept !== undefined) return yield* ofTheFile(kept, settingsFile)
  for (const [key, value] of Object.entries(values)) yield* Effect.fromResult(checked(key, value))
  yield* EditedFile.edit(
    { path: settingsFile, name: "settings.json" },
    (text) => Result.mapError(JsonObjectText.change(text, values), inWords)
  ).pipe(
    Effect.catchTag("EditFailed", ({ hint, message }) => Effect.fail(new SettingsNotWritten({ message, hint })))
  )
})

const ofTheFile = (key: string, file: string) =>
  new SettingOfTheFile({
    message: `"${key}" decides who may do what, so it is not changed over the network`,
    hint: `change it in ${file} and start the server again`
  })

const encoded = Schema.encodeSync(TABLE)

const ELSEWHERE = new WrongSetting({
  message: "providers are not changed as a setting",
  hint: "POST, PATCH and DELETE /api/providers change them, or boocode setup"
})

const checked = (key: string, value: Schema.Json): Result.Result<void, WrongSetting> => {
  if (key === ProviderSettings.KEY) return Result.fail(ELSEWHERE)
  const [known] = keys.filter((one) => one === key)
  if (known === undefined) {
    return Result.fail(
      new WrongSetting({
        message: `there is no setting ${KeyShape.shown(key)}${Settings.meant(key)}`,
        hint: `the settings are ${keys.join(", ")}`
      })
    )
  }
  if (value === null || Settings.isGood(known, value)) return Result.void
  return Result.fail(
    new WrongSetting({ message: `"${key}" cannot be that`, hint: `write ${words(known).wanted}; null removes it` })
  )
}

const inWords = ({ column, detail, line }: JsonObjectText.Fault) =>
  new SettingsNotWritten({
    message: `settings.json:${line}:${column}: ${detail}`,
    hint: "correct the file at that place; nothing was written"
  })

const json = (value: unknown): Schema.Json => Schema.decodeUnknownSync(Schema.Json)(value)
