/** The key `providers` of settings.json: where models are, by names of one's own. Pure. */
import * as KeyShape from "@boocode/language-models/KeyShape"
import * as ProviderEntries from "@boocode/language-models/ProviderEntry"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

export const KEY = "providers"

export interface WrittenProvider {
  readonly name: string
  readonly kind: ProviderEntries.ProviderKind
  /** Null is the address of the kind. */
  readonly url: string | null
  /** The variable that holds its key; null where none is named. */
  readonly variable: string | null
  /** Written over the network: it is reached at public addresses only. */
  readonly publicOnly: boolean
  /** Why it cannot be used; null for nothing that shows here. */
  readonly trouble: string | null
}

/** The value of the key: the providers by their order, and the problems of the others. No text repeats a key. */
export interface ProviderSettings {
  readonly providers: ReadonlyArray<WrittenProvider>
  readonly problems: ReadonlyArray<string>
}

const Entry = Schema.Struct({
  kind: Schema.Literals(ProviderEntries.PROVIDER_KINDS),
  url: Schema.optionalKey(Schema.String),
  key: Schema.optionalKey(Schema.String),
  publicOnly: Schema.optionalKey(Schema.Boolean)
})

const decode = Schema.decodeUnknownResult(Entry, { onExcessProperty: "error" })

/** Reads the value of the key; undefined, where there is none, is no provider. */
export const read = (value: unknown): ProviderSettings => {
  if (value === undefined) return { providers: [], problems: [] }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return { providers: [], problems: [`"${KEY}" is ignored: expected ${WANTED}`] }
  }
  const found = Object.entries(value).map(([name, entry]) => provider(name, entry))
  return {
    providers: found.flatMap((one) => typeof one === "string" ? [] : [one]),
    problems: found.flatMap((one) => {
      if (typeof one === "string") return [one]
      return one.trouble === null ? [] : [`"${KEY}": ${one.name} cannot be used: ${one.trouble}`]
    })
  }
}

const WANTED =
  "{\"local\": {\"kind\": \"openai-compatible\", \"url\": \"http://127.0.0.1:11434/v1\", \"key\": \"${VAR}\"}}"

const provider = (name: string, value: unknown): WrittenProvider | string => {
  const shown = KeyShape.shown(name)
  const wrong = nameTrouble(name)
  if (wrong !== null) return `"${KEY}": ${shown} is ignored: ${wrong}`
  const entry = decode(value)
  if (Result.isFailure(entry)) {
    return `"${KEY}": ${shown} is ignored: expected "kind" (${ProviderEntries.PROVIDER_KINDS.join(", ")}), ` +
      "besides it \"url\", \"key\" and \"publicOnly\" or not"
  }
  const { key, kind, publicOnly = false, url = null } = entry.success
  const variable = key === undefined ? null : variableOf(key)
  const trouble = (url === null ? null : urlTrouble(url)) ??
    (ProviderEntries.addressOf({ kind, url }) === null ? "it needs a \"url\"" : null) ??
    (key !== undefined && variable === null
      ? "its \"key\" is no variable such as \"${VAR}\"; save the key with boocode setup"
      : null)
  return { name, kind, url, variable, publicOnly, trouble }
}

/** Why a name cannot be that of a provider; null for one that can. Does not repeat it. */
export const nameTrouble = (name: string): string | null => {
  if (KeyShape.isLikeKey(name)) return "it looks like a key, not like a name"
  return ProviderEntries.PROVIDER_NAME.test(name)
    ? null
    : "a name has 1 to 40 small letters, digits, - and _, and begins with a letter or digit"
}

/** Why an address cannot be that of a provider, as a sentence; null for one that can. Does not repeat it. */
export const urlTrouble = (url: string): string | null => {
  const trouble = ProviderEntries.addressTrouble(url)
  if (trouble !== null) return `its address ${trouble}`
  return KeyShape.isLikeKey(decodedUrl(url)) ? "its address holds a key; give the key for itself" : null
}

/** Only what stands behind the host: a host may have a long name of a machine. */
const decodedUrl = (url: string): string => {
  const { pathname, search } = new URL(url)
  return Result.getOrElse(Result.try(() => decodeURIComponent(pathname + search)), () => pathname + search)
    .replaceAll(/[?&]/g, " ")
}

/** The name in `${NAME}`; null for any other text. */
export const variableOf = (text: string): string | null => /^\$\{([A-Za-z_]\w*)\}$/.exec(text)?.[1] ?? null

export const entryOf = (
  { kind, publicOnly, url, variable }: Omit<WrittenProvider, "name" | "trouble">
): Schema.JsonObject => ({
  kind,
  ...(url === null ? {} : { url }),
  ...(variable === null ? {} : { key: `\${${variable}}` }),
  ...(publicOnly ? { publicOnly } : {})
})
