/**
 * The settings: what holds, and changing settings.json.
 */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import { BadRequest, Conflict, Forbidden } from "../ApiErrors.ts"
import { about } from "./Describe.ts"

export const SettingDocument = Schema.Struct({
  key: Schema.String,
  about: Schema.String.annotate({ description: "what it decides" }),
  wanted: Schema.String.annotate({ description: "what may stand there" }),
  value: Schema.Json.annotate({
    description: "what holds now; of a secret `true` when it is set and `false` when not"
  }),
  default: Schema.Json,
  written: Schema.NullOr(Schema.Json).annotate({
    description: "what settings.json says; null when it has not the key"
  }),
  source: Schema.Literals(["default", "settings.json"]).annotate({ description: "where `value` comes from" }),
  secret: Schema.Boolean,
  editable: Schema.Boolean.annotate({
    description: "false for what only the file may change, where others reach the server"
  }),
  restart: Schema.Boolean.annotate({ description: "true when what is written holds only after the next start" })
})

export const SettingsDocument = Schema.Struct({
  file: Schema.String,
  settings: Schema.Array(SettingDocument),
  problems: Schema.Array(Schema.String).annotate({ description: "what of the file is not read, and why" })
})

export const SettingsApi = HttpApiGroup.make("settings").add(
  HttpApiEndpoint.get("settings", "/settings", { success: SettingsDocument })
    .annotateMerge(
      about("Every setting: what holds, what it is without a file, and what the file says now. Never a secret.")
    ),
  HttpApiEndpoint.patch("change", "/settings", {
    payload: Schema.Record(Schema.String, Schema.Json),
    success: SettingsDocument,
    error: [BadRequest, Forbidden, Conflict]
  }).annotateMerge(about(
    "Writes keys into settings.json and leaves the rest of it as it is written, comments included; null removes a key. " +
      "All or nothing: an unknown key or a wrong value is 400. What needs the next start says so in `restart`."
  ))
)
