/**
 * The keys of a native entry: what each takes, and what it means where it is left out. Everything that reads, writes,
 * compares or suggests keys uses this table.
 */
import * as Duration from "effect/Duration"
import * as Struct from "effect/Struct"
import * as Field from "../text/Field.ts"
import * as Audience from "./Audience.ts"
import { LOG_LEVELS, type OAuth, TOOL_CLASSES } from "./ServerConfig.ts"
import type { EntryOptions, OAuthText } from "./ServerEntry.ts"

/** A setting: how it is read and written, and its value where an entry leaves it out. */
export interface Option<A> {
  readonly kind: Field.Kind<A>
  readonly default: A
}

/** The form in a file of texts that have places in the model. */
type Plain<A> = A extends ReadonlyArray<Field.Written> ? ReadonlyArray<string> : A

/** The text of a message is one string, and no string has more than 2^29 characters. */
const MOST_BYTES = 500_000_000

/** Keys of a server that is started. */
export const STDIO = {
  command: Field.text,
  args: Field.texts,
  env: Field.textMap,
  cwd: Field.text,
  inheritEnv: Field.names,
  envFile: Field.text
} satisfies Readonly<Record<string, Field.Kind<unknown>>>

/** Keys of a server that has an address. */
export const HTTP = {
  url: Field.text,
  headers: Field.textMap,
  headersHelper: Field.text,
  oauth: Field.flagOrObject,
  publicOnly: Field.flag
} satisfies Readonly<Record<string, Field.Kind<unknown>>>

/** Keys that say which transport the server has, whether it is on, and where it was installed from. */
export const GENERAL = {
  type: Field.choice(["stdio", "streamableHttp", "streamable-http", "http", "sse"]),
  enabled: Field.flag,
  disabled: Field.flag,
  from: Field.text
} satisfies Readonly<Record<string, Field.Kind<unknown>>>

/** Settings of any server. Their order is that of a written entry. */
export const OPTIONS: { readonly [K in keyof EntryOptions]: Option<Plain<EntryOptions[K]>> } = {
  startupTimeout: { kind: Field.duration, default: Duration.seconds(30) },
  timeout: { kind: Field.duration, default: Duration.seconds(60) },
  maxTotalTimeout: { kind: Field.duration, default: Duration.minutes(10) },
  maxConcurrency: { kind: Field.count(), default: null },
  maxMessageBytes: { kind: Field.count(MOST_BYTES), default: 16 * 1024 * 1024 },
  maxResultBytes: { kind: Field.count(), default: 5_000_000 },
  restart: { kind: Field.choice(["never", "on-failure"]), default: "never" },
  results: { kind: Field.choice(["content", "structured"]), default: "content" },
  retry: { kind: Field.choice(["never", "idempotent"]), default: "never" },
  ping: { kind: Field.durationOrFalse, default: null },
  tools: { kind: Field.names, default: null },
  alwaysLoad: { kind: Field.flagOrNames, default: false },
  ask: { kind: Field.names, default: [] },
  writes: { kind: Field.choice(["off", "ask"]), default: null },
  for: { kind: Audience.kind, default: null },
  trustAnnotations: { kind: Field.flag, default: true },
  classes: { kind: Field.choiceMap(TOOL_CLASSES), default: {} },
  targets: { kind: Field.targetMap, default: {} },
  instructions: { kind: Field.flag, default: true },
  logLevel: { kind: Field.choice(LOG_LEVELS), default: "info" },
  protocol: { kind: Field.choice(["auto", "legacy", "2026-07-28"]), default: "auto" },
  lazy: { kind: Field.flag, default: false },
  idleTtl: { kind: Field.duration, default: null },
  maxInstances: { kind: Field.count(), default: 20 },
  session: { kind: Field.choice(["shared", "client"]), default: "shared" },
  pin: { kind: Field.choice(["block", "warn", "off"]), default: null },
  roots: { kind: Field.flagOrNames, default: null }
}

/** Keys of `oauth` whose value is a text. */
export const OAUTH_TEXTS = {
  clientId: Field.text,
  clientSecret: Field.text,
  clientMetadataUrl: Field.text,
  redirectUri: Field.text,
  resource: Field.text,
  issuer: Field.text,
  privateKey: Field.text,
  algorithm: Field.text
} satisfies { readonly [K in OAuthText]: Field.Kind<string> }

/** Keys of `oauth`. */
export const OAUTH = {
  ...OAUTH_TEXTS,
  scopes: Field.names,
  callbackPort: Field.port,
  grant: Field.choice(["authorization_code", "client_credentials"]),
  login: Field.choice(["shared", "user"])
} satisfies { readonly [K in keyof OAuth]: Field.Kind<unknown> }

interface DefaultOf extends Struct.Lambda {
  <A>(option: Option<A>): A
  readonly "~lambda.out": this["~lambda.in"] extends Option<infer A> ? A : never
}

/** The settings of an entry that sets none. `pin` is null: the file in which the entry stands decides it. */
export const DEFAULTS: EntryOptions = {
  ...Struct.map(OPTIONS, Struct.lambda<DefaultOf>((option) => option.default)),
  roots: null
}
