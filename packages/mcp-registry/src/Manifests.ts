/**
 * What each lazy server listed last, so that its tools are known before it runs.
 */
import type { ConfiguredServer, ServerConfig } from "@boocode/mcp-config"
import * as Context from "effect/Context"
import * as Digest from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as CleanText from "./CleanText.ts"
import * as Redaction from "./Redaction.ts"
import * as ServerLog from "./ServerLog.ts"
import { ServerCapabilities } from "./ServerStatus.ts"
import * as CanonicalJson from "./trust/CanonicalJson.ts"
import * as Sha256 from "./trust/Sha256.ts"
import * as ToolPrint from "./trust/ToolPrint.ts"

/** What a server listed, and what it said about itself. @category models */
export interface Manifest {
  /** As the server wrote them. */
  readonly tools: ReadonlyArray<Schema.JsonObject>
  readonly serverInfo: { readonly name: string; readonly version: string } | null
  /** As others may see them. */
  readonly instructions: string | null
  readonly capabilities: ServerCapabilities | null
}

/** A manifest of a server that runs. @category models */
export interface Listed extends Manifest {
  /** Hides all that the server was given, what only the connection knows included. */
  readonly scrub: (text: string) => string
}

/** Whose manifest it is. @category models */
export interface Owner {
  readonly entry: ConfiguredServer
  readonly config: ServerConfig
}

/**
 * The manifests of a registry. Without a layer none is kept, and a lazy server starts once in every run.
 *
 * @category references
 */
export class Manifests extends Context.Reference<{
  /** What the server of this very entry listed last; null when that is not known. Never fails. */
  readonly recall: (owner: Owner) => Effect.Effect<Manifest | null>
  /** Keeps what a lazy server listed; of others nothing is kept. Never fails: what cannot be written is listed anew. */
  readonly remember: (owner: Owner, manifest: Listed) => Effect.Effect<void>
}>("mcp-registry/Manifests", {
  defaultValue: () => ({ recall: () => Effect.succeed(null), remember: () => Effect.void })
}) {
  /**
   * Keeps them in this folder, a file for each server, readable by its owner alone. It must lie where no project can
   * write. A file that cannot be used counts as absent.
   */
  static readonly layerFolder = (
    folder: string
  ): Layer.Layer<never, never, FileSystem.FileSystem | Path.Path> =>
    Layer.effect(Manifests, make(folder)).pipe(Layer.provide(Digest.layerWebCrypto))
}

/** Longer ones, in characters, are not kept. @category constants */
export const LONGEST = 8_000_000

const File = Schema.fromJsonString(Schema.Struct({
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

const make = Effect.fnUntraced(function*(folder: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const digest = yield* Effect.context<Digest.Digest>()
  const hash = (value: Schema.Json) => Effect.provideContext(Sha256.hex(CanonicalJson.stringify(value)), digest)
  /** One for each server of each file, so that an entry that changed leaves nothing behind. */
  const fileOf = ({ entry }: Owner) =>
    Effect.map(
      hash([entry.name, entry.declared?.file ?? entry.source]),
      (name) => path.join(folder, `${name.slice(0, 32)}.json`)
    )
  /** The list of secrets is part of it, because the texts refer to places in it. */
  const keyOf = ({ config }: Owner) => hash(["manifest 2", reach(config), [...Redaction.secrets(config)]])

  const write = Effect.fnUntraced(function*(file: string, text: string) {
    if ((yield* Effect.orElseSucceed(fs.readFileString(file), () => "")) === text) return
    yield* fs.makeDirectory(folder, { recursive: true, mode: 0o700 })
    yield* fs.writeFileString(`${file}.new`, text, { mode: 0o600 })
    yield* fs.rename(`${file}.new`, file)
  })
  const remember = Effect.fnUntraced(function*(owner: Owner, { scrub, tools, ...about }: Listed) {
    const hidden = hide(owner.config, tools, scrub)
    if (hidden === null) return yield* unkept("a text of it cannot be written down safely")
    const text = yield* Schema.encodeEffect(File)({
      server: owner.entry.name,
      key: yield* keyOf(owner),
      ...about,
      tools: hidden
    })
    if (text.length > LONGEST) return yield* unkept("it is too long")
    yield* write(yield* fileOf(owner), text)
  })
  const recall = Effect.fnUntraced(function*(owner: Owner) {
    const text = yield* fs.readFileString(yield* fileOf(owner))
    const { key, server: _, tools, ...about } = yield* Schema.decodeEffect(File)(text)
    return key === (yield* keyOf(owner)) ? { ...about, tools: show(owner.config, tools) } : null
  })
  return Manifests.of({
    recall: (owner) => Effect.orElseSucceed(recall(owner), () => null),
    remember: (owner, manifest) =>
      owner.config.lazy
        ? Effect.catch(remember(owner, manifest), ({ message }) => unkept(message))
        : Effect.void
  })
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
    ToolPrint.mapTexts(tool, (text) => {
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
  return tools.map((tool) => ToolPrint.mapTexts(tool, unmask)).filter((tool) => tool !== null)
}
