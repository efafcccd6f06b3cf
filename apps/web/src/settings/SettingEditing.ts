/** How a setting is edited: by what may stand there. Pure. */
import type { Json, Setting } from "../api/Types.ts"
import { type Field, make } from "../forms/FormField.ts"
import { isObject } from "../forms/SchemaReading.ts"
import { settings as texts } from "../messages/SettingsMessages.ts"
import { namesOf, type Part, partsOf, type SettingWords } from "./SettingWords.ts"

export type Options = ReadonlyArray<{ readonly value: string; readonly label: string }>

/** A field for the values, as if a schema had said it. Lists of words are typed one a line. */
type Editing =
  | { readonly is: "options"; readonly options: Options }
  /** One a line; `inside` is the key of an object that holds nothing else. */
  | { readonly is: "lines"; readonly inside: string | null }
  | { readonly is: "secret" }
  | { readonly is: "model" }
  | { readonly is: "switch" }
  /** Left empty it is null where that is how it is without a value. */
  | { readonly is: "number"; readonly isOptional: boolean }
  | { readonly is: "text"; readonly isOptional: boolean }
  | { readonly is: "search"; readonly options: Options }
  | { readonly is: "limits" }
  | { readonly is: "parts"; readonly parts: ReadonlyArray<Part> }
  | { readonly is: "form"; readonly field: Field }

const SHAPES: Readonly<Record<string, Parameters<typeof make>[1]>> = {
  models: {
    type: "object",
    description: texts.modelId,
    additionalProperties: {
      type: "object",
      additionalProperties: false,
      properties: {
        contextTokens: {
          type: "integer",
          title: texts.modelFacts.contextTokens,
          exclusiveMinimum: 0,
          description: texts.contextTokens
        },
        seesImages: { type: "boolean", title: texts.modelFacts.seesImages },
        inputPrice: {
          type: "number",
          title: texts.modelFacts.inputPrice,
          minimum: 0,
          description: texts.dollarsPerMillion
        },
        outputPrice: {
          type: "number",
          title: texts.modelFacts.outputPrice,
          minimum: 0,
          description: texts.dollarsPerMillion
        }
      }
    }
  }
}

/** `"pretty" or "json"`: nothing but words to choose from. */
const WORDS = /^"[^"]*"(?:(?:, | or |, or )"[^"]*")*$/

const optionsOf = (words: ReadonlyArray<string>, { options = {} }: Partial<SettingWords>): Options =>
  words.map((word) => ({ value: word, label: options[word] ?? word }))

export const editing = ({ default: standard, key, secret, value, wanted }: Setting): Editing => {
  if (secret) return { is: "secret" }
  if (key === "model" || key === "limits") return { is: key }
  const words: Partial<SettingWords> = namesOf(key) ?? {}
  const parts = partsOf(key)
  if (key === "toolSearch") return { is: "search", options: optionsOf(Object.keys(words.options ?? {}), words) }
  if (parts !== null) return { is: "parts", parts }
  const shape = SHAPES[key]
  if (shape !== undefined) return { is: "form", field: make({}, shape, key) }
  if (typeof standard === "boolean" || wanted === "true or false") return { is: "switch" }
  if (WORDS.test(wanted)) {
    return { is: "options", options: optionsOf([...wanted.matchAll(/"([^"]*)"/g)].map(([, word = ""]) => word), words) }
  }
  if (key === "approvals") return { is: "lines", inside: "ask" }
  if (isLines(standard) && isLines(value)) return { is: "lines", inside: null }
  if (typeof standard === "number" || words.unit !== undefined) return { is: "number", isOptional: standard === null }
  if (typeof standard === "string" || standard === null && wanted.startsWith("an ")) {
    return { is: "text", isOptional: standard === null }
  }
  return { is: "form", field: make({}, {}, key) }
}

/** The words for a setting; one that this page does not know has those of the server. */
export const wordsOf = ({ about, key }: Pick<Setting, "about" | "key">): SettingWords =>
  namesOf(key) ?? { name: key, about: `${about.slice(0, 1).toUpperCase()}${about.slice(1)}.` }

/** The quoted words of what may stand there, but for keys. */
export const examplesOf = ({ wanted }: Setting): ReadonlyArray<string> =>
  [...wanted.matchAll(/"([^"]*)"(:?)/g)].filter(([, , colon]) => colon === "").map(([, word = ""]) => word)

/** The lines of a setting that is edited so. */
export const linesOf = (setting: Setting, inside: string | null): ReadonlyArray<string> => {
  const value = current(setting)
  const list = inside === null ? value : isObject(value) ? value[inside] ?? [] : []
  return isLines(list) ? list : []
}

const isLines = (value: Json): value is ReadonlyArray<string> =>
  Array.isArray(value) && value.every((item) => typeof item === "string")

/** The value to edit: that of the file, else the one that counts now, or from the next start on. */
export const current = ({ default: standard, restart, value, written }: Setting): Json =>
  written ?? (restart ? standard : value)

/** In a few words, for what holds now beside what is written. */
export const inWords = (value: Json, { options = {} }: Pick<SettingWords, "options"> = {}): string => {
  if (typeof value === "boolean") return value ? texts.yes : texts.no
  if (value === null) return texts.nothing
  if (isLines(value)) return value.length === 0 ? texts.none : value.join(", ")
  if (isObject(value)) {
    const inside = Object.entries(value).map(([key, one]) => `${key} ${inWords(one)}`)
    return inside.length === 0 ? texts.none : inside.join(", ")
  }
  return typeof value === "string" ? options[value] ?? value : JSON.stringify(value)
}

/** The form of several values as they are typed: lists have one a line. */
export const partsDraft = (parts: ReadonlyArray<Part>, value: Json): Readonly<Record<string, string>> =>
  Object.fromEntries(parts.map(({ key }) => {
    const one = isObject(value) ? value[key] ?? "" : ""
    return [key, isLines(one) ? one.join("\n") : typeof one === "string" ? one : JSON.stringify(one)]
  }))

/** The value for the file: keys that this page does not know stay, and those that are left empty go. */
export const partsValue = (
  parts: ReadonlyArray<Part>,
  before: Json,
  typed: Readonly<Record<string, string>>
): Json => {
  const known = new Set(parts.map(({ key }) => key))
  const others = isObject(before) ? Object.entries(before).filter(([key]) => !known.has(key)) : []
  const said = parts.flatMap(({ isList = false, key }): ReadonlyArray<readonly [string, Json]> => {
    const text = (typed[key] ?? "").trim()
    return text === "" ? [] : [[key, isList ? linesIn(text) : text]]
  })
  return Object.fromEntries([...said, ...others])
}

export const linesIn = (text: string): ReadonlyArray<string> =>
  text.split("\n").map((line) => line.trim()).filter((line) => line !== "")

/** Under which heading a setting stands, and in which order the headings come. */
const GROUPS: ReadonlyArray<readonly [heading: string, keys: ReadonlyArray<string>]> = [
  [texts.modelsAndChats, ["model", "titles", "codeMode", "models"]],
  [texts.toolsAndApprovals, ["approvals", "sampling", "toolSearch"]],
  [texts.servers, [
    "registry",
    "scopes",
    "trustedPublishers",
    "privateAddresses",
    "loginShellPath",
    "maxConnecting",
    "credentials"
  ]],
  [texts.limitsAndSignIn, ["limits", "auditDays", "signIn", "proxySignIn"]],
  [texts.access, ["publicUrl", "allowedHosts", "token"]]
]

export const grouped = (
  settings: ReadonlyArray<Setting>
): ReadonlyArray<readonly [heading: string, settings: ReadonlyArray<Setting>]> => {
  const known = new Set(GROUPS.flatMap(([, keys]) => keys))
  const of = (keys: ReadonlyArray<string>) => keys.flatMap((key) => settings.filter((setting) => setting.key === key))
  const groups = GROUPS.map(([heading, keys]) => [heading, of(keys)] as const)
  return [...groups, [texts.operation, settings.filter(({ key }) => !known.has(key))] as const]
    .filter(([, inside]) => inside.length > 0)
}
