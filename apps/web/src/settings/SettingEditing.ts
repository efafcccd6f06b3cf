/** How a setting is edited: by what may stand there. Pure. */
import type { Json, Setting } from "../api/Types.ts"
import { type Field, make } from "../forms/FormField.ts"
import { isObject } from "../forms/SchemaReading.ts"
import { settings as texts } from "../messages/SettingsMessages.ts"

/** A field for the values, as if a schema had said it. Lists of words are typed one a line. */
type Editing =
  | { readonly is: "options"; readonly options: ReadonlyArray<{ readonly value: Json; readonly label: string }> }
  /** One a line; `inside` is the key of an object that holds nothing else. */
  | { readonly is: "lines"; readonly inside: string | null }
  | { readonly is: "secret" }
  | { readonly is: "model" }
  | { readonly is: "form"; readonly field: Field }

const SHAPES: Readonly<Record<string, Parameters<typeof make>[1]>> = {
  toolSearch: {
    type: "object",
    additionalProperties: false,
    required: ["mode", "threshold"],
    properties: {
      mode: {
        enum: ["auto", "always", "never"],
        description: texts.autoMode
      },
      threshold: { type: "integer", minimum: 0, description: texts.threshold }
    }
  },
  models: {
    type: "object",
    description: texts.modelId,
    additionalProperties: {
      type: "object",
      additionalProperties: false,
      properties: {
        contextTokens: { type: "integer", exclusiveMinimum: 0, description: texts.contextTokens },
        seesImages: { type: "boolean" },
        inputPrice: { type: "number", minimum: 0, description: texts.dollarsPerMillion },
        outputPrice: { type: "number", minimum: 0, description: texts.dollarsPerMillion }
      }
    }
  }
}

/** `"pretty" or "json"`: nothing but words to choose from. */
const WORDS = /^"[^"]*"(?:(?:, | or |, or )"[^"]*")*$/

export const editing = ({ default: standard, key, secret, value, wanted }: Setting): Editing => {
  if (secret) return { is: "secret" }
  if (key === "model") return { is: "model" }
  const shape = SHAPES[key]
  if (shape !== undefined) return { is: "form", field: make({}, shape, key) }
  if (typeof standard === "boolean" || wanted === "true or false") {
    return { is: "options", options: [{ value: true, label: "yes" }, { value: false, label: "no" }] }
  }
  if (WORDS.test(wanted)) {
    return {
      is: "options",
      options: [...wanted.matchAll(/"([^"]*)"/g)].map(([, word = ""]) => ({ value: word, label: word }))
    }
  }
  if (key === "approvals") return { is: "lines", inside: "ask" }
  if (isLines(standard) && isLines(value)) return { is: "lines", inside: null }
  const kind = typeof standard === "number"
    ? { type: "number" }
    : typeof standard === "string"
    ? { type: "string" }
    : {}
  return { is: "form", field: make({}, kind, key) }
}

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
export const inWords = (value: Json): string => {
  if (typeof value === "boolean") return value ? "yes" : "no"
  if (value === null) return "nothing"
  if (isLines(value)) return value.length === 0 ? "none" : value.join(", ")
  if (isObject(value)) {
    const inside = Object.entries(value).map(([key, one]) => `${key} ${inWords(one)}`)
    return inside.length === 0 ? "none" : inside.join(", ")
  }
  return typeof value === "string" ? value : JSON.stringify(value)
}

/** Under which heading a setting stands, and in which order the headings come. */
export const GROUPS: ReadonlyArray<readonly [heading: string, keys: ReadonlyArray<string>]> = [
  [texts.modelsAndChats, ["model", "models", "titles"]],
  [texts.toolsAndApprovals, ["approvals", "toolSearch"]],
  [texts.servers, [
    "scopes",
    "trustedPublishers",
    "privateAddresses",
    "loginShellPath",
    "maxConnecting",
    "credentials"
  ]],
  [texts.access, ["token", "allowedHosts", "publicUrl"]]
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
