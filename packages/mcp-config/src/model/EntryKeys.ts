/**
 * The keys of a native entry: what each takes, and what it means where it is left out. Everything that reads, writes,
 * compares or suggests keys uses this table.
 */
import * as Duration from "effect/Duration"
import * as Struct from "effect/Struct"
import type * as Field from "../text/Field.ts"
import { LOG_LEVELS, type OAuth, TOOL_CLASSES } from "./ServerConfig.ts"
import type { EntryOptions, OAuthText } from "./ServerEntry.ts"

/** Gives the codec of a key. It is a function because codecs are loaded with the first entry. */
export type Decode<A> = (kinds: typeof Field) => Field.Kind<A>

/** A setting: how it is read and written, and its value where an entry leaves it out. */
export interface Option<A> {
  readonly decode: Decode<A>
  readonly default: A
}

/** The form in a file of texts that have places in the model. */
type Plain<A> = A extends ReadonlyArray<Field.Written> ? ReadonlyArray<string> : A

/** The text of a message is one string, and no string has more than 2^29 characters. */
const MOST_BYTES = 500_000_000

/** Keys of a server that is started. */
export const STDIO = {
  command: (is) => is.text,
  args: (is) => is.texts,
  env: (is) => is.textMap,
  cwd: (is) => is.text,
  inheritEnv: (is) => is.names,
  envFile: (is) => is.text
} satisfies Readonly<Record<string, Decode<unknown>>>

/** Keys of a server that has an address. */
export const HTTP = {
  url: (is) => is.text,
  headers: (is) => is.textMap,
  headersHelper: (is) => is.text,
  oauth: (is) => is.flagOrObject,
  publicOnly: (is) => is.flag
} satisfies Readonly<Record<string, Decode<unknown>>>

/** Keys that say which transport the server has, whether it is on, and where it was installed from. */
export const GENERAL = {
  type: (is) => is.choice(["stdio", "streamableHttp", "streamable-http", "http", "sse"]),
  enabled: (is) => is.flag,
  disabled: (is) => is.flag,
  from: (is) => is.text
} satisfies Readonly<Record<string, Decode<unknown>>>

/** Settings of any server. Their order is that of a written entry. */
export const OPTIONS: { readonly [K in keyof EntryOptions]: Option<Plain<EntryOptions[K]>> } = {
  startupTimeout: { decode: (is) => is.duration, default: Duration.seconds(30) },
  timeout: { decode: (is) => is.duration, default: Duration.seconds(60) },
  maxTotalTimeout: { decode: (is) => is.duration, default: Duration.minutes(10) },
  maxConcurrency: { decode: (is) => is.count(), default: null },
  maxMessageBytes: { decode: (is) => is.count(MOST_BYTES), default: 16 * 1024 * 1024 },
  maxResultBytes: { decode: (is) => is.count(), default: 5_000_000 },
  restart: { decode: (is) => is.choice(["never", "on-failure"]), default: "never" },
  results: { decode: (is) => is.choice(["content", "structured"]), default: "content" },
  retry: { decode: (is) => is.choice(["never", "idempotent"]), default: "never" },
  ping: { decode: (is) => is.durationOrFalse, default: null },
  tools: { decode: (is) => is.names, default: null },
  alwaysLoad: { decode: (is) => is.flagOrNames, default: false },
  ask: { decode: (is) => is.names, default: [] },
  writes: { decode: (is) => is.choice(["off", "ask"]), default: null },
  trustAnnotations: { decode: (is) => is.flag, default: true },
  classes: { decode: (is) => is.choiceMap(TOOL_CLASSES), default: {} },
  targets: { decode: (is) => is.targetMap, default: {} },
  instructions: { decode: (is) => is.flag, default: true },
  logLevel: { decode: (is) => is.choice(LOG_LEVELS), default: "info" },
  protocol: { decode: (is) => is.choice(["auto", "legacy", "2026-07-28"]), default: "auto" },
  lazy: { decode: (is) => is.flag, default: false },
  idleTtl: { decode: (is) => is.duration, default: null },
  pin: { decode: (is) => is.choice(["block", "warn", "off"]), default: null },
  roots: { decode: (is) => is.flagOrNames, default: null }
}

/** Keys of `oauth` whose value is a text. */
export const OAUTH_TEXTS = {
  clientId: (is) => is.text,
  clientSecret: (is) => is.text,
  clientMetadataUrl: (is) => is.text,
  redirectUri: (is) => is.text,
  resource: (is) => is.text,
  issuer: (is) => is.text,
  privateKey: (is) => is.text,
  algorithm: (is) => is.text
} satisfies { readonly [K in OAuthText]: Decode<string> }

/** Keys of `oauth`. */
export const OAUTH = {
  ...OAUTH_TEXTS,
  scopes: (is) => is.names,
  callbackPort: (is) => is.port,
  grant: (is) => is.choice(["authorization_code", "client_credentials"])
} satisfies { readonly [K in keyof OAuth]: Decode<unknown> }

interface DefaultOf extends Struct.Lambda {
  <A>(option: Option<A>): A
  readonly "~lambda.out": this["~lambda.in"] extends Option<infer A> ? A : never
}

/** The settings of an entry that sets none. `pin` is null: the file in which the entry stands decides it. */
export const DEFAULTS: EntryOptions = {
  ...Struct.map(OPTIONS, Struct.lambda<DefaultOf>((option) => option.default)),
  roots: null
}
