/** Manifests in the files of a folder. */
import { ServerLog } from "@boocode/mcp-client/Host"
import { StateStorage } from "@boocode/mcp-client/StateStorage"
import { CleanText, Hash, JsonValue, Redaction } from "@boocode/mcp-client/Text"
import type { ServerConfig } from "@boocode/mcp-config"
import type * as Digest from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { ServerCapabilities } from "../model/ServerStatus.ts"
import type { Listed, Manifest, Owner } from "./Manifest.ts"

/** Longer ones, in characters, are not kept. */
const LONGEST = 8_000_000

/** Keeps them in this folder, as `Manifests.layerFolder` says. */
export const make = Effect.fnUntraced(function*(folder: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const digest = yield* Effect.context<Digest.Digest>()
  const hash = (value: Schema.Json) => Effect.provideContext(Hash.hex(JsonValue.stringify(value)), digest)
  /** One for each server of each file, so that an entry that changed leaves nothing behind. */
  const fileOf = ({ entry }: Owner) =>
    Effect.map(
      hash([entry.name, entry.declared?.file ?? entry.source]),
      (name) => path.join(folder, `${name.slice(0, 32)}.json`)
    )
  /** The list of secrets is part of it, because the texts refer to places in it. */
  const keyOf = ({ config }: Owner) => hash(["manifest 2", reach(config), [...Redaction.secrets(config)]])

  const storage = yield* StateStorage
  /** Nodes of a fleet have them together. */
  const shared = Effect.fnUntraced(function*(file: string) {
    const name = storage?.nameOf(file) ?? null
    return storage === null || name === null ? null : { storage, name, kept: yield* storage.read(name) }
  })
  const read = Effect.fnUntraced(function*(file: string) {
    const together = yield* shared(file)
    return together === null ? yield* fs.readFileString(file) : together.kept?.text ?? ""
  })

  const write = Effect.fnUntraced(function*(file: string, text: string) {
    if ((yield* Effect.orElseSucceed(read(file), () => "")) === text) return
    const together = yield* shared(file)
    // Another node that comes in between was listed the same.
    if (together !== null) return void (yield* together.storage.write(together.name, text, together.kept?.version ?? 0))
    yield* fs.makeDirectory(folder, { recursive: true, mode: 0o700 })
    yield* fs.writeFileString(`${file}.new`, text, { mode: 0o600 })
    yield* fs.rename(`${file}.new`, file)
  })
  const remember = Effect.fnUntraced(function*(owner: Owner, { scrub, tools, ...about }: Listed) {
    const hidden = hide(owner.config, tools, scrub)
    if (hidden === null) return yield* unkept("a text of it cannot be written down safely")
    const text = yield* Schema.encodeEffect(ManifestFile)({
      server: owner.entry.name,
      key: yield* keyOf(owner),
      ...about,
      tools: hidden
    })
    if (text.length > LONGEST) return yield* unkept("it is too long")
    yield* write(yield* fileOf(owner), text)
  })
  const recall = Effect.fnUntraced(function*(owner: Owner) {
    const text = yield* read(yield* fileOf(owner))
    const { key, server: _, tools, ...about } = yield* Schema.decodeEffect(ManifestFile)(text)
    return key === (yield* keyOf(owner)) ? { ...about, tools: show(owner.config, tools) } : null
  })
  return {
    recall: (owner: Owner) => Effect.orElseSucceed(recall(owner), () => null),
    remember: (owner: Owner, manifest: Listed) =>
      owner.config.lazy
        ? Effect.catch(remember(owner, manifest), ({ message }) => unkept(message))
        : Effect.void
  }
})

const unkept = (why: string) =>
  ServerLog.event(`its list of tools is not kept, so it is started to list them in the next run: ${why}`)

/** A server that is reached in another way, or with other values, may offer other tools. */
const reach = ({ transport }: ServerConfig): Schema.Json => {
  if (transport._tag !== "stdio") {
    const { _tag, headers, headersHelper, url } = transport
    const helper = headersHelper === undefined ? [] : [Redacted.value(headersHelper.command), headersHelper.cwd]
    return [_tag, Redacted.value(url), revealed(headers), ...helper]
  }
  const { args, command, cwd, env, inheritEnv } = transport
  return [command, args.map(Redacted.value), cwd, revealed(env), [...inheritEnv]]
}

const revealed = (values: Readonly<Record<string, Redacted.Redacted<string>>>): Schema.JsonObject =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Redacted.value(value)]))

/** Characters that no text may hold, by the rules of Unicode. */
const BEGIN = "\uFDD0"
const END = "\uFDD1"

/** The tools with the place of each secret in place of the secret; null when one would be left, or that cannot be undone. */
const hide = (
  config: ServerConfig,
  tools: Manifest["tools"],
  scrub: Listed["scrub"]
): ReadonlyArray<Schema.JsonObject> | null => {
  const secrets = Redaction.secrets(config)
  let isSafe = true
  const hidden = tools.map((tool) =>
    JsonValue.mapTexts(tool, (text) => {
      const masked = secrets.reduce((kept, secret, place) => kept.replaceAll(secret, `${BEGIN}${place}${END}`), text)
      isSafe &&= !text.includes(BEGIN) && scrub(masked) === CleanText.clean(masked)
      return masked
    })
  )
  const whole = hidden.filter((tool) => tool !== null)
  return isSafe && whole.length === tools.length ? whole : null
}

const show = (config: ServerConfig, tools: ReadonlyArray<Schema.JsonObject>): ReadonlyArray<Schema.JsonObject> => {
  const secrets = Redaction.secrets(config)
  const unmask = (text: string) =>
    text.replace(/\uFDD0(\d+)\uFDD1/g, (mark, place: string) => secrets[Number(place)] ?? mark)
  return tools.map((tool) => JsonValue.mapTexts(tool, unmask)).filter((tool) => tool !== null)
}

/** The whole file. */
export const ManifestFile = Schema.fromJsonString(Schema.Struct({
  /** For a person who reads this. */
  server: Schema.String,
  /** SHA-256 over how the server is reached, values included. */
  key: Schema.String,
  serverInfo: Schema.NullOr(Schema.Struct({ name: Schema.String, version: Schema.String })),
  instructions: Schema.NullOr(Schema.String),
  capabilities: Schema.NullOr(ServerCapabilities),
  /** Configured values that may be secrets stand in it as their place in the list of them. */
  tools: Schema.Array(Schema.JsonObject)
}))
