/** The print of an entry: two entries with one print are one server, on whichever node they stand. */
import { Hash, JsonRpc, JsonValue } from "@boocode/mcp-client/Text"
import { Environment, type ServerConfig } from "@boocode/mcp-config"
import type * as Digest from "effect/crypto/Digest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"

/** The means of making a print. */
export interface Keys {
  /** That of the fleet. */
  readonly secret: Redacted.Redacted
  /** The absolute path of the data folder, which may differ between nodes: paths in it count from there. */
  readonly folder: string
}

/**
 * The hash of an entry with its variables filled in, and of the variables that it names in `inheritEnv`. Keyed with the
 * secret of the fleet, so that nobody can try out a weak password against it. Keys that a running server can be told of
 * are left out, and so are the variables that every server gets: PATH and HOME may differ between machines.
 */
export const make = Effect.fnUntraced(function*(
  config: ServerConfig,
  { folder, secret }: Keys
): Effect.fn.Return<string, never, Digest.Digest | Environment> {
  const { variables } = yield* Environment
  const inherited = config.transport._tag === "stdio" ? config.transport.inheritEnv : []
  const values = inherited.map((name) => [name, variables[name] ?? null])
  const hash = yield* Hash.hex(
    JsonValue.stringify([VERSION, Redacted.value(secret), plain(lasting(config), inside(folder)), values])
  )
  return hash.slice(0, LENGTH)
})

const VERSION = "boocode fleet 2"
const LENGTH = 32

const lasting = (config: ServerConfig) =>
  Struct.omit(config, [
    "alwaysLoad",
    "ask",
    "classes",
    "filledIn",
    "instructions",
    "logLevel",
    "results",
    "targets",
    "tools",
    "trustAnnotations",
    "writes"
  ])

/** Secrets and durations as JSON, and texts as `shown` gives them. */
export const plain = (value: unknown, shown: (text: string) => string = (text) => text): Schema.Json => {
  if (Redacted.isRedacted(value)) return plain(Redacted.value<unknown>(value), shown)
  if (Duration.isDuration(value)) return Duration.toMillis(value)
  if (Array.isArray(value)) return value.map((item) => plain(item, shown))
  if (JsonRpc.isObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item, shown)]))
  }
  if (typeof value === "string") return shown(value)
  return typeof value === "number" || typeof value === "boolean" ? value : null
}

const inside = (folder: string) => (text: string): string =>
  text === folder || text.startsWith(folder) && /^[\\/]/.test(text.slice(folder.length))
    ? `\0${text.slice(folder.length)}`
    : text
