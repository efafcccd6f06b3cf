/** Every key of settings.json: what may stand there, what holds without it, and what it decides. One line a key. */
import * as KeyShape from "@boocode/language-models/KeyShape"
import * as ModelFacts from "@boocode/language-models/ModelFacts"
import { TrustedPublishers } from "@boocode/mcp-registry"
import { Deferral } from "@boocode/toolkit"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as LimitSettings from "./people/LimitSettings.ts"
import * as SignInSettings from "./people/SignInSettings.ts"
import * as PrivateAddress from "./PrivateAddress.ts"

/** The words for a person: what to write, and what it decides. */
interface Words {
  readonly wanted: string
  readonly about: string
}

/** A key that may be left out; then `otherwise` holds. */
const key = <S extends Schema.Constraint>(schema: S, otherwise: S["Encoded"], { about, wanted }: Words) =>
  Schema.withDecodingDefaultKey<S>(Effect.succeed(otherwise))(schema).annotate({ title: wanted, description: about })

const LEVELS = ["trace", "debug", "info", "warn", "error", "none"] as const

/** A token is as good as it is long; one that can be guessed is none. */
export const MIN_TOKEN = 16

const Token = Schema.NullOr(
  Schema.RedactedFromValue(Schema.String.check(Schema.isPattern(/^[\x21-\x7e]*$/), Schema.isMinLength(MIN_TOKEN)))
)

const ToolSearch = Schema.Struct({
  mode: Schema.Literals(Deferral.modes).pipe(Schema.withDecodingDefaultKey(Effect.succeed(Deferral.DEFAULT.mode))),
  threshold: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)).pipe(
    Schema.withDecodingDefaultKey(Effect.succeed(Deferral.DEFAULT.threshold))
  )
})

/** Patterns that match no tool, or only make exceptions, would ask about nothing, which their writer cannot have meant. */
const Asked = Schema.Array(Schema.String.check(Schema.isPattern(/^!?[A-Za-z0-9_*-]+$/))).check(
  Schema.makeFilter((patterns) => patterns.length === 0 || patterns.some((pattern) => !pattern.startsWith("!")))
)

/** A key in the place of an id would stand in a file that git may track. */
const ModelId = Schema.String.check(Schema.makeFilter((id) => !KeyShape.isLikeKey(id)))

const ModelOfChats = Schema.NullOr(ModelId.check(Schema.isPattern(/^[^\s/]+\/\S+$/)))

/** Tokens go there: over https, unless only this machine reaches it. */
const isPublicUrl = (text: string): boolean => {
  const url = URL.parse(text)
  if (url === null || `${url.origin}/` !== url.href) return false
  return url.protocol === "https:" || url.protocol === "http:" && PrivateAddress.isThisMachine(url.hostname)
}

/** The registry of the MCP project. */
const REGISTRY = "https://registry.modelcontextprotocol.io"

export const TABLE = Schema.Struct({
  allowedHosts: key(Schema.Array(Schema.NonEmptyString), [], {
    wanted: "a list of names such as [\"chat.example\"]",
    about: "the names under which a reverse proxy offers this server; with one of them it wants its token"
  }),
  approvals: key(Schema.Struct({ ask: Asked }), { ask: [] }, {
    wanted: "{\"ask\": [\"notes_*\"]}: names of tools as models know them, * for any letters, ! for exceptions",
    about: "which calls of all agents need a person's yes, besides those that servers and agents want asked"
  }),
  auditDays: key(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3650 })), 90, {
    wanted: "a number of days from 0 to 3650",
    about: "how long it is kept who called which tool; 0 keeps nothing"
  }),
  codeMode: key(Schema.Literals(["auto", "on", "off"]), "off", {
    wanted: "\"auto\", \"on\" or \"off\"",
    about: "whether models write programs in which tools are functions, of agents that do not say"
  }),
  credentials: key(Schema.Literals(["auto", "file", "keychain"]), "auto", {
    wanted: "\"auto\", \"file\" or \"keychain\"",
    about:
      "where the tokens of remote servers and the keys of model providers are kept: sealed by the system's keychain where there is one, in a file that only " +
      "you can read, or by the keychain or not at all"
  }),
  limits: key(LimitSettings.Limits, {}, {
    wanted:
      "{\"everyone\": {\"money\": \"20 USD a month\", \"tokens\": \"2M a day\", \"turns\": 3}}, each a day or a month or null, " +
      "besides everyone admins, group:NAME and names of people",
    about: "how much people may use of models; the narrowest limit holds"
  }),
  logFormat: key(Schema.Literals(["pretty", "json"]), "pretty", {
    wanted: "\"pretty\" or \"json\"",
    about: "whether the log is for people or one JSON document a line"
  }),
  // Standard output tells what servers do, so the log only needs trouble.
  logLevel: key(Schema.Literals(LEVELS), "warn", {
    wanted: LEVELS.map((level) => `"${level}"`).join(", ").replace(/, (?=[^,]*$)/, " or "),
    about: "how much is logged"
  }),
  loginShellPath: key(Schema.Boolean, false, {
    wanted: "true or false",
    about: "whether commands are looked for where the login shell looks for them"
  }),
  maxConnecting: key(Schema.NullOr(Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))), null, {
    wanted: "a number, or null",
    about: "how many servers connect at the same time; null for all at once"
  }),
  metrics: key(Schema.Boolean, true, {
    wanted: "true or false",
    about: "whether calls of MCP servers and connections to them are counted for /metrics"
  }),
  model: key(ModelOfChats, null, {
    wanted: "PROVIDER/ID such as \"openai/gpt-5\", or null",
    about: "the model of chats where neither message, chat, agent, --model nor BOOCODE_MODEL names one"
  }),
  models: key(Schema.Record(ModelId, ModelFacts.ModelOverride), {}, {
    wanted: "{\"openai/qwen3\": {\"contextTokens\": 32768}}, besides it inputPrice, outputPrice, " +
      "cacheReadPrice and cacheWritePrice in dollars for a million tokens, seesImages, silenceSeconds, and for, a list of who may use it; openai/* is for all others of a provider, * for all others",
    about: "facts about models, which go before the built-in ones"
  }),
  privateAddresses: key(Schema.Array(Schema.String.check(Schema.makeFilter(PrivateAddress.isRule))), [], {
    wanted: "a list of networks and names such as [\"10.1.0.0/16\", \"mcp.internal\"]",
    about: "which private addresses servers may have that were added over HTTP where others reach this server"
  }),
  publicUrl: key(Schema.NullOr(Schema.String.check(Schema.makeFilter(isPublicUrl))), null, {
    wanted: "an https address without a path such as \"https://chat.example\", or null",
    about: "where others reach this server through a reverse proxy; connectors such as claude.ai sign in there"
  }),
  registry: key(Schema.String.check(Schema.isPattern(/^(?:https?:\/\/\S+|file:.+)$/)), REGISTRY, {
    wanted: "an address such as \"https://registry.example\", or \"file:DIR\" with recorded answers",
    about: "the MCP registry in which servers are looked for; it is asked only when somebody looks"
  }),
  proxySignIn: key(Schema.NullOr(SignInSettings.Proxy), null, {
    wanted:
      "{\"addresses\": [\"127.0.0.1\"], \"header\": \"x-forwarded-user\"}, besides it groupsHeader, jwks with issuer and " +
      "audience, name, groups, admins, members",
    about: "which proxy in front of this server says who people are"
  }),
  sampling: key(Schema.Literals(["ask", "allow", "never"]), "ask", {
    wanted: "\"ask\", \"allow\" or \"never\"",
    about: "whether servers may have a chat's model answer them: after a person's yes, without one, or not at all"
  }),
  scopes: key(Schema.Array(Schema.Literals(["project", "user"])), [], {
    wanted: "a list of \"project\" and \"user\"",
    about: "which files with servers are read besides the data file, when a server is started"
  }),
  signIn: key(Schema.NullOr(SignInSettings.Provider), null, {
    wanted:
      "{\"issuer\": \"https://id.example\", \"clientId\": \"boocode\", \"clientSecret\": \"${VAR}\"}, besides it label, scope, name, " +
      "groups, admins, members",
    about: "the OpenID Connect provider with which people sign in"
  }),
  titles: key(Schema.Literals(["model", "message"]), "model", {
    wanted: "\"model\" or \"message\"",
    about: "what names a chat: its model after its first answer, or its first message"
  }),
  token: key(Token, null, {
    wanted: `a text of ${MIN_TOKEN} characters or more, without spaces`,
    about: "what others must know to use this server; without it one is made"
  }),
  toolSearch: key(ToolSearch, {}, {
    wanted: "{\"mode\": \"auto\", \"always\" or \"never\", \"threshold\": tokens from 0}, either left out or not",
    about: "when models search for tools instead of being given them all"
  }),
  trustedPublishers: key(Schema.Array(Schema.String.check(Schema.makeFilter(TrustedPublishers.isOrigin))), [], {
    wanted: "a list of https origins such as [\"https://mcp.example.com\"], without a path",
    about: "whose remote servers of project files need no approval"
  })
})

export type Values = typeof TABLE.Type

export type Key = keyof Values

/** Replaces a value that cannot be used, where the default would be less careful than what was meant. */
export const WHEN_WRONG: Schema.JsonObject & Partial<Record<Key, Schema.Json>> = {
  approvals: { ask: ["*"] },
  limits: { everyone: { money: "0 USD a day", tokens: "0 a day" } },
  models: { "*": { for: ["admins"] } },
  sampling: "never"
}

/** Keys whose values nobody is told. */
export const SECRETS: ReadonlySet<string> = new Set<Key>(["token"])

/** Keys that hold as soon as they are written. The others hold from the next start on. */
export const LIVE: ReadonlySet<string> = new Set<Key>(["model"])

/**
 * Keys that a client from the network could use to let itself do more. Where others reach the server they are
 * changed in the file alone.
 */
export const OF_THE_FILE: ReadonlySet<string> = new Set<Key>([
  "allowedHosts",
  "credentials",
  "loginShellPath",
  "privateAddresses",
  "proxySignIn",
  "publicUrl",
  "registry",
  "scopes",
  "signIn",
  "token",
  "trustedPublishers"
])

export const isKey = (text: string): text is Key => Object.hasOwn(TABLE.fields, text)

export const keys: ReadonlyArray<Key> = Object.keys(TABLE.fields).filter(isKey).toSorted()

export const words = (name: Key): Words => {
  const { description, title } = Schema.resolveAnnotations(TABLE.fields[name]) ?? {}
  return { wanted: title ?? "", about: description ?? "" }
}
