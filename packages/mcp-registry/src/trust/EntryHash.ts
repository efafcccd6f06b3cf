/** One hash over a whole entry, before variables are filled in (docs/decisions.md#decision-14-trust): another hash is another entry. */
import { CleanText, Hash, JsonValue } from "@boocode/mcp-client/Text"
import type { DeclaredEntry } from "@boocode/mcp-config"
import type * as Digest from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { FieldChange } from "./TrustDetailsSchema.ts"

export type { FieldChange } from "./TrustDetailsSchema.ts"

/** A value of an entry as it may be kept and shown: a hash in place of the value itself. */
export interface FieldPrint {
  readonly key: string
  readonly shown: string
  readonly hash: string
}

export interface EntryPrint {
  readonly hash: string
  readonly fields: ReadonlyArray<FieldPrint>
}

export const changes = (
  before: ReadonlyArray<FieldPrint>,
  after: ReadonlyArray<FieldPrint>
): ReadonlyArray<FieldChange> => {
  const was = new Map(before.map((field) => [field.key, field]))
  const is = new Map(after.map((field) => [field.key, field]))
  return [...new Set([...is.keys(), ...was.keys()])]
    .filter((key) => is.get(key)?.hash !== was.get(key)?.hash)
    .map((key) => ({ key, before: was.get(key)?.shown ?? null, after: is.get(key)?.shown ?? null }))
}

/**
 * The hash of an entry under its name, and of each of its fields. The order of keys does not matter, that of arguments
 * does; the folder of the declaring file is part of it, for there the same words mean another program.
 */
export const make = Effect.fnUntraced(function*(
  server: string,
  entry: DeclaredEntry
): Effect.fn.Return<EntryPrint, never, Digest.Digest> {
  const fields = fieldsOf(entry)
  const values = fields.map(({ key, value }) => [key, Redacted.value(value)])
  return {
    hash: yield* Hash.hex(JsonValue.stringify([VERSION, server, values])),
    // With the entry's own place in it, equal secrets of two entries are not seen to be equal.
    fields: yield* Effect.forEach(fields, ({ key, shown, value }) =>
      Effect.map(
        Hash.hex(JsonValue.stringify([VERSION, server, entry.folder, key, Redacted.value(value)])),
        (hash) => ({ key: CleanText.visibleText(key), shown, hash })
      ))
  }
})

const VERSION = "boocode entry 1"

export interface EntryField {
  /** For instance `args[1]` or `env.TOKEN`; no two fields of an entry share one. */
  readonly key: string
  readonly value: Redacted.Redacted<string>
  /** The value without what may be a secret. */
  readonly shown: string
}

/**
 * The fields of an entry, in the order a person reads them, whatever the order of its keys. Left out are limits of time and size, `restart`, `retry`,
 * `ping`, `protocol`, `lazy`, `idleTtl`, `alwaysLoad` and `enabled`: none makes another program run, or a check weaker.
 */
const fieldsOf = (entry: DeclaredEntry): ReadonlyArray<EntryField> => [
  open("folder", entry.folder),
  open("type", entry.type),
  ...single("command", entry.command, open),
  ...entry.args.map((arg, index) => argument(entry.args, arg, index)),
  ...single("cwd", entry.cwd, open),
  ...named("env", entry.env, variable),
  ...single("envFile", entry.envFile, open),
  ...named("envFile", entry.envFileValues ?? {}, variable),
  ...[...new Set(entry.inheritEnv)].sort().map((name) => open(`inheritEnv.${name}`, "passed on")),
  ...single("url", entry.url, (key, value) => field(key, value, CleanText.visibleText(maskedUrl(value)))),
  ...named("headers", entry.headers, (key, _name, value) => field(key, value, masked(value))),
  ...single("headersHelper", entry.headersHelper, open),
  ...named("oauth", entry.oauth ?? {}, signingIn),
  ...(entry.tools ?? []).map((pattern, index) => open(`tools[${index}]`, pattern)),
  ...(entry.tools?.length === 0 ? [open("tools", "none")] : []),
  ...entry.ask.map((pattern, index) => open(`ask[${index}]`, pattern)),
  ...permissions(entry),
  ...(entry.pin === null ? [] : [open("pin", entry.pin)]),
  ...(entry.roots ?? []).map((folder, index) => open(`roots[${index}]`, folder))
]

/** Fields of an entry that leaves a key out are not there, so its hash is what it was before there were these keys. */
const permissions = (
  { classes = {}, for: audience = null, session = "shared", targets = {}, trustAnnotations = true, writes = null }:
    DeclaredEntry
): ReadonlyArray<EntryField> => [
  ...(writes === null ? [] : [open("writes", writes)]),
  ...(audience ?? []).map((word, index) => open(`for[${index}]`, word)),
  ...(trustAnnotations ? [] : [open("trustAnnotations", "false")]),
  ...(session === "shared" ? [] : [open("session", session)]),
  ...sorted(classes).map(([tool, toolClass]) => open(`classes.${tool}`, toolClass)),
  ...sorted(targets).flatMap(([tool, target]) =>
    sorted(target).map(([part, value]) => open(`targets.${tool}.${part}`, `${value}`))
  )
]

const sorted = <A>(values: Readonly<Record<string, A>>): ReadonlyArray<readonly [string, A]> =>
  Object.entries(values).sort(([one], [other]) => one < other ? -1 : 1)

const HIDDEN = "<redacted>"

const field = (key: string, value: string, shown: string): EntryField => ({
  key,
  value: Redacted.make(value),
  shown
})

const open = (key: string, value: string): EntryField => field(key, value, CleanText.visibleText(value))

const single = (
  key: string,
  value: Redacted.Redacted<string> | null,
  make: (key: string, value: string) => EntryField
): ReadonlyArray<EntryField> => value === null ? [] : [make(key, Redacted.value(value))]

const named = (
  key: string,
  values: Readonly<Record<string, Redacted.Redacted<string>>>,
  make: (key: string, name: string, value: string) => EntryField
): ReadonlyArray<EntryField> =>
  Object.entries(values).sort(([one], [other]) => one < other ? -1 : 1).map(([name, value]) =>
    make(`${key}.${name}`, name, Redacted.value(value))
  )

/** Variables that make a runtime or a package runner load other code: they hold no secret, and hiding them hides an attack. */
const LOADERS =
  /^(PATH|LD_\w+|DYLD_\w+|NODE_OPTIONS|NODE_PATH|PYTHON(PATH|HOME|STARTUP)|PERL5(OPT|LIB)|RUBY(OPT|LIB)|BASH_ENV|ENV|(_JAVA|JAVA_TOOL|JDK_JAVA)_OPTIONS|npm_config_(registry|prefix|userconfig|globalconfig)|(UV|PIP)_(EXTRA_)?INDEX_URL)$/i

const variable = (key: string, name: string, value: string): EntryField =>
  field(key, value, LOADERS.test(name) ? CleanText.visibleText(maskedUrl(value)) : masked(value))

const signingIn = (key: string, name: string, value: string): EntryField =>
  name === "clientSecret" || name === "privateKey"
    ? field(key, value, masked(value))
    : field(key, value, CleanText.visibleText(maskedUrl(value)))

const VARIABLE = /\$\{((?:user:)?[A-Za-z_]\w*)(:-[^{}]*)?\}/g

/** Nothing but the names of its variables, and the scheme before one, is shown of a value that may be a secret. */
const masked = (value: string): string => {
  const [whole] = /^(?:(?:Bearer|Basic|Token) )?\$\{(?:user:)?[A-Za-z_]\w*(?::-[^{}]*)?\}$/.exec(value) ?? []
  if (whole !== undefined) return withoutDefaults(whole)
  const names = [...value.matchAll(VARIABLE)].map(([token]) => withoutDefaults(token))
  return value === "" ? "" : [HIDDEN, ...names].join(" ")
}

const withoutDefaults = (value: string): string =>
  value.replace(
    VARIABLE,
    (_, name: string, otherwise: string | undefined) =>
      `\${${name}${otherwise === undefined || otherwise === ":-" ? otherwise ?? "" : `:-${HIDDEN}`}}`
  )

const SECRET_OPTION = /^-.*(token|key|secret|passw|pwd|auth|credential|header)/i
/** A value that could be a program is shown, whatever option stands before it. */
const PROGRAM = /[/\\\s]|\.\w{1,5}$/

/** Only what follows, or belongs to, an option for a secret is not shown. */
const argument = (
  all: DeclaredEntry["args"],
  secret: Redacted.Redacted<string>,
  index: number
): EntryField => {
  const text = Redacted.value(secret)
  const before = all[index - 1]
  const key = `args[${index}]`
  const [, option, value] = /^(-[^=\s]*)=(.*)$/s.exec(text) ?? []
  if (option !== undefined && value !== undefined && SECRET_OPTION.test(option)) {
    return field(key, text, CleanText.visibleText(`${option}=${optionValue(value)}`))
  }
  const isValue = !text.startsWith("-") && before !== undefined && SECRET_OPTION.test(Redacted.value(before))
  return field(key, text, CleanText.visibleText(isValue ? optionValue(text) : withMaskedAddresses(text)))
}

/** The text behind `#` chooses a version, so it is shown. */
const ADDRESS = /[a-z][a-z0-9+.-]*:\/\/[^\s#"']+/gi

const withMaskedAddresses = (text: string): string => text.replace(ADDRESS, (address) => maskedUrl(address))

const optionValue = (value: string): string => {
  const [, header, rest] = /^([\w-]+:\s*)(.+)$/s.exec(value) ?? []
  if (header !== undefined && rest !== undefined) return header + masked(rest)
  return PROGRAM.test(value) ? withMaskedAddresses(value) : masked(value)
}

/** Letters and digits mixed and nothing that a path, a package or a word would have. */
const KEY_LIKE = /^(?=.*\d)(?=.*[a-zA-Z])[a-zA-Z0-9_+=-]{16,}$/

/** The default of a variable may be a key, too. */
const withoutKeys = (segment: string): string =>
  segment.replace(
    VARIABLE,
    (token: string, name: string, otherwise: string | undefined) =>
      otherwise !== undefined && KEY_LIKE.test(otherwise.slice(2)) ? `\${${name}:-${HIDDEN}}` : token
  )

/**
 * An address without what may be a secret: some services put their key into the user, the path, the query or the fragment.
 */
export const maskedUrl = (value: string): string => {
  const [path = "", ...query] = value.split(/(?=[?#])/)
  const segments = path.split("/").map((segment) => KEY_LIKE.test(segment) ? HIDDEN : withoutKeys(segment))
  const shown = segments.join("/").replace(/\/\/([^/@]+)@/g, (_, user: string) => `//${masked(user)}@`)
  return shown + query.map(maskedQuery).join("")
}

const maskedQuery = (part: string): string =>
  part.slice(0, 1) + part.slice(1).split("&").map((pair) => {
    const at = pair.indexOf("=")
    return at < 0 ? masked(pair) : `${pair.slice(0, at)}=${masked(pair.slice(at + 1))}`
  }).join("&")
