/** The rules for entries that come over the network, where others than this machine reach the server (R77). */
import { type ConfiguredServer, HiddenValues, NativeKeys, Nearest } from "@boocode/mcp-config"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { HostAddresses } from "../access/PublicFetch.ts"
import * as PrivateAddress from "../settings/PrivateAddress.ts"
import { Settings } from "../settings/Settings.ts"
import { TOLD } from "../settings/ToldWords.ts"

/** The entry cannot be used. Nothing was written. Null where the place or the key cannot be told. */
export class InvalidEntry extends Schema.TaggedError<InvalidEntry>()("InvalidEntry", {
  ...TOLD,
  line: Schema.NullOr(Schema.Int),
  column: Schema.NullOr(Schema.Int),
  key: Schema.NullOr(Schema.String)
}) {}

/**
 * An entry that may not come over the network. Nothing was written. `command` is the command line that does it on the
 * machine itself; null where there is none.
 */
export class NotOverHttp extends Schema.TaggedError<NotOverHttp>()("NotOverHttp", {
  ...TOLD,
  command: Schema.NullOr(Schema.String)
}) {}

/** The host of an address cannot be looked up. Nothing was written. */
export class UnknownHost extends Schema.TaggedError<UnknownHost>()("UnknownHost", TOLD) {}

/** The entry as it is to be written: it stays marked, so that it is judged at each connection, also after a restart. */
export const marked = (entry: Schema.JsonObject): Schema.JsonObject => ({ ...entry, publicOnly: true })

/** Only keys that an entry has, or that are known to say nothing here: a program that asks cannot see warnings. */
export const checkKeys = (name: string, entry: Schema.JsonObject): Result.Result<void, InvalidEntry> => {
  const unknown = unknownKey(Object.keys(entry))
  return unknown === null ? Result.void : Result.fail(
    new InvalidEntry({
      message: `mcpServers.${name}: "${unknown.key}" is no key of an entry`,
      hint: `${unknown.hint}; nothing was written`,
      ...{ key: unknown.key, line: null, column: null }
    })
  )
}

/** The first key that is no key of an entry, and what to write instead; null when all are. */
export const unknownKey = (keys: ReadonlyArray<string>) => {
  const unknown = keys.find((key) => !NativeKeys.NATIVE_KEYS.includes(key) && !NativeKeys.isSilent(key))
  if (unknown === undefined) return null
  const meant = NativeKeys.COUNTERPARTS.get(unknown) ?? Nearest.nearest(unknown, NativeKeys.NATIVE_KEYS)[0]
  return { key: unknown, hint: meant === undefined ? "leave it out" : `write "${meant}" instead` }
}

/** The keys that an entry from the network may have. `roots` would tell its server of folders of this machine. */
const OVER_NETWORK: ReadonlySet<string> = new Set(
  NativeKeys.NATIVE_KEYS.filter((key) =>
    !NativeKeys.STDIO_KEYS.includes(key) && key !== "headersHelper" && key !== "roots"
  )
)

/**
 * Fails for an entry that would run a program here, or send a secret of this machine away. Keys that say what they said
 * before pass, unless variables would go to another address than before.
 */
export const checkEntry = (
  name: string,
  entry: Schema.JsonObject,
  before: Schema.JsonObject | null = null
): Result.Result<void, NotOverHttp> => {
  const keys = changedKeys(entry, before)
  const no = (message: string) =>
    Result.fail(
      new NotOverHttp({
        message: `${message}, which nobody may ask for over the network`,
        hint: before === null
          ? "add it on the machine itself: boocode mcp add, or an entry in mcp.json"
          : "change the entry on the machine itself",
        command: commandOf(name, entry, before !== null)
      })
    )
  if (keys.has("command")) return no(`${name} would start a program on this machine`)
  if (keys.has("headersHelper")) return no(`"headersHelper" of ${name} would run a program on this machine`)
  const other = [...keys].find((key) => !OVER_NETWORK.has(key) && !NativeKeys.isSilent(key))
  if (other !== undefined) return no(`"${other}" of ${name} is about this machine`)
  const sent = keys.has("url") ? entry : Object.fromEntries([...keys].map((key) => [key, entry[key] ?? null]))
  if (keys.has("url") && entry["headersHelper"] !== undefined) {
    return no(`the "headersHelper" of ${name} would sign in at another address`)
  }
  const isFilledIn = textsIn(sent).some((text) => /\$(\{|[A-Za-z_])/.test(text))
  return isFilledIn ? no(`${name} would send variables of this machine to its address`) : Result.void
}

/** The keys that say something else than before, those that are gone included. */
export const changedKeys = (entry: Schema.JsonObject, before: Schema.JsonObject | null): ReadonlySet<string> =>
  new Set(
    [...Object.keys(entry), ...Object.keys(before ?? {})].filter((key) => !Equal.equals(entry[key], before?.[key]))
  )

/** At whatever depth: what signs in is sent away as well as what is a header. */
const textsIn = (value: Schema.Json | undefined): ReadonlyArray<string> => {
  if (typeof value === "string") return [value]
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : []
}

/** Whether the address of an entry is public, as far as that can be told now. */
export const checkAddress = Effect.fnUntraced(function*({ config, name }: ConfiguredServer) {
  if (Result.isFailure(config) || config.success.transport._tag === "stdio") return
  yield* checkHost(name, Redacted.value(config.success.transport.url), "servers")
})

/**
 * Whether an address is public, or allowed by `privateAddresses`, as far as that can be told now. Fails with `NotOverHttp`
 * or `UnknownHost`.
 */
export const checkHost = Effect.fnUntraced(function*(name: string, url: string, what: "servers" | "providers") {
  const { privateAddresses } = yield* Settings
  const addresses = yield* HostAddresses
  const host = PrivateAddress.nameOf(new URL(url).hostname)
  const found = PrivateAddress.isAddress(host) ? [host] : yield* addresses.of(host)
  if (found.length === 0) {
    return yield* new UnknownHost({
      message: `the host ${host} of ${name} cannot be looked up`,
      hint: "check the address, and the network of this machine"
    })
  }
  const why = PrivateAddress.refusal(privateAddresses)(host, found)
  if (why === null) return
  const file = what === "servers" ? "mcp.json" : "settings.json"
  return yield* new NotOverHttp({
    message: `${why}, and ${what} that are added over the network may have public ones only`,
    hint: `allow it with "privateAddresses" in settings.json, or write the entry into ${file} on the machine itself`,
    command: null
  })
})

/** Null when the entry has hidden values: nobody but its file knows them. */
const commandOf = (name: string, entry: Schema.JsonObject, isThere: boolean): string | null => {
  if (JSON.stringify(entry).includes(HiddenValues.MASK)) return null
  const force = isThere ? ["--force"] : []
  const words = wordsOf(name, entry) ?? [name, "--from-json", JSON.stringify(entry)]
  const at = words.indexOf("--")
  const all = at < 0 ? [...words, ...force] : [...words.slice(0, at), ...force, ...words.slice(at)]
  return ["boocode", "mcp", "add", ...all.map(quoted)].join(" ")
}

const SIMPLE = new Set(["type", "command", "args", "env"])

const wordsOf = (name: string, entry: Schema.JsonObject): ReadonlyArray<string> | null => {
  const { args = [], command, env = {}, type = "stdio" } = entry
  const isSimple = Object.keys(entry).every((key) => SIMPLE.has(key)) && type === "stdio"
  const [values, variables] = [textsOf(args), textsOf(env)]
  if (!isSimple || typeof command !== "string" || values === null || variables === null) return null
  const set = variables.flatMap(([key, value]) => ["--env", `${key}=${value}`])
  return [name, ...set, "--", command, ...values.map(([, value]) => value)]
}

/** The texts of a list or an object by key; null for anything else. */
const textsOf = (value: Schema.Json): ReadonlyArray<readonly [string, string]> | null => {
  if (typeof value !== "object" || value === null) return null
  const all = Object.entries(value)
  const texts = all.flatMap(([key, one]) => typeof one === "string" ? [[key, one] as const] : [])
  return texts.length === all.length ? texts : null
}

/** A shell must fill in nothing. */
const quoted = (word: string): string => /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
