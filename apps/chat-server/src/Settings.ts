/**
 * What settings.json of the data folder says; read once, at start.
 */
import { Nearest } from "@boocode/mcp-config"
import { TrustedPublishers } from "@boocode/mcp-registry"
import { Deferral } from "@boocode/toolkit"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type { LogLevel } from "effect/LogLevel"
import * as References from "effect/References"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { DataFolder } from "./DataFolder.ts"

const Levels = Schema.Literals(["trace", "debug", "info", "warn", "error", "none"])

const Origin = Schema.String.check(Schema.makeFilter(TrustedPublishers.isOrigin))

const Fields = {
  allowedHosts: Schema.Array(Schema.NonEmptyString),
  logLevel: Levels,
  loginShellPath: Schema.Boolean,
  scopes: Schema.Array(Schema.Literals(["project", "user"])),
  toolSearch: Schema.Struct({
    mode: Schema.optionalKey(Schema.Literals(Deferral.modes)),
    threshold: Schema.optionalKey(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)))
  }),
  trustedPublishers: Schema.Array(Origin)
}

const WANTED: Readonly<Record<keyof typeof Fields, string>> = {
  allowedHosts: "a list of names such as [\"chat.example\"]",
  logLevel: Levels.literals.map((level) => `"${level}"`).join(", ").replace(/, (?=[^,]*$)/, " or "),
  loginShellPath: "true or false",
  scopes: "a list of \"project\" and \"user\"",
  toolSearch: "{\"mode\": \"auto\", \"always\" or \"never\", \"threshold\": tokens from 0}, either left out or not",
  trustedPublishers: "a list of https origins such as [\"https://mcp.example.com\"], without a path"
}

interface Values {
  readonly allowedHosts: ReadonlyArray<string>
  readonly logLevel: typeof Levels.Type
  /** Whether commands are looked for where the login shell looks for them. */
  readonly loginShellPath: boolean
  /** Which files with servers are read besides the data file, when a server is started. */
  readonly scopes: ReadonlyArray<"project" | "user">
  /** When models search for tools instead of being given them all. */
  readonly toolSearch: Deferral.Policy
  /** Whose remote servers of project files need no approval. */
  readonly trustedPublishers: ReadonlyArray<string>
}

// What servers do is printed, so that the log need only hold trouble.
const DEFAULTS: Values = {
  allowedHosts: [],
  logLevel: "warn",
  loginShellPath: false,
  scopes: [],
  toolSearch: Deferral.DEFAULT,
  trustedPublishers: []
}

export class Settings extends Context.Service<Settings, Values>()("chat-server/Settings") {
  /** A key that is wrong keeps its default and is a warning, an unknown key is one too; a file that is wrong is one warning. */
  static readonly layer = Layer.effect(
    Settings,
    Effect.gen(function*() {
      const { settingsFile } = yield* DataFolder
      const read = yield* load(settingsFile)
      for (const key of Object.keys(read)) {
        if (!isKnown(key)) yield* Effect.logWarning(`${settingsFile}: ${unknown(key)}`)
      }
      return Settings.of({
        allowedHosts: yield* field(settingsFile, read, "allowedHosts", Fields.allowedHosts, DEFAULTS.allowedHosts),
        logLevel: yield* field(settingsFile, read, "logLevel", Fields.logLevel, DEFAULTS.logLevel),
        loginShellPath: yield* field(
          settingsFile,
          read,
          "loginShellPath",
          Fields.loginShellPath,
          DEFAULTS.loginShellPath
        ),
        scopes: yield* field(settingsFile, read, "scopes", Fields.scopes, DEFAULTS.scopes),
        toolSearch: {
          ...DEFAULTS.toolSearch,
          ...yield* field(settingsFile, read, "toolSearch", Fields.toolSearch, {})
        },
        trustedPublishers: yield* field(
          settingsFile,
          read,
          "trustedPublishers",
          Fields.trustedPublishers,
          DEFAULTS.trustedPublishers
        )
      })
    })
  )

  static readonly layerValues = (values: Partial<Values>) => Layer.succeed(Settings, { ...DEFAULTS, ...values })
}

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

class NotJson extends Schema.TaggedError<NotJson>()("NotJson", { message: Schema.String }) {}

const load = Effect.fnUntraced(
  function*(file: string) {
    const fs = yield* FileSystem.FileSystem
    const text = yield* fs.readFileString(file).pipe(
      Effect.catchReason("PlatformError", "NotFound", () => Effect.succeed("{}"))
    )
    return yield* Schema.decodeUnknownEffect(Schema.JsonObject)(
      yield* Effect.try({
        try: (): unknown => JSON.parse(text),
        catch: (cause) => new NotJson({ message: cause instanceof Error ? cause.message : String(cause) })
      })
    )
  },
  (effect, file) =>
    Effect.catch(
      effect,
      (error) =>
        Effect.as(Effect.logWarning(`${file} cannot be used, so the default settings hold: ${error.message}`), {})
    )
)

/** Remarks such as `$schema`, `_note` or `//` are no settings. */
const isKnown = (key: string): boolean => Object.hasOwn(Fields, key) || /^(_|\$|\/\/)/.test(key)

const unknown = (key: string): string => {
  const [meant] = Nearest.nearest(key, Object.keys(Fields), 1)
  return `unknown key "${key}", not read${meant === undefined ? "" : `; did you mean ${meant}?`}`
}

const field = <A>(
  file: string,
  read: Schema.JsonObject,
  key: keyof typeof Fields,
  schema: Schema.Codec<A, A>,
  otherwise: A
): Effect.Effect<A> => {
  if (!Object.hasOwn(read, key)) return Effect.succeed(otherwise)
  const decoded = Schema.decodeUnknownResult(schema, { onExcessProperty: "error" })(read[key])
  return Result.isSuccess(decoded)
    ? Effect.succeed(decoded.success)
    : Effect.as(Effect.logWarning(`${file}: "${key}" is ignored: expected ${WANTED[key]}`), otherwise)
}
