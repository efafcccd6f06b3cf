/** The words for each setting, and the values of those that hold several. */
import { settingNames } from "../messages/settings/SettingNameMessages.ts"

/** One value of a setting that holds several. */
export interface Part {
  readonly key: string
  readonly label: string
  readonly about?: string
  readonly example?: string
  readonly isList?: boolean
  readonly isNeeded?: boolean
}

export interface SettingWords {
  readonly name: string
  readonly about: string
  /** The noun behind a number. */
  readonly unit?: string
  /** The words for each value that may be chosen. */
  readonly options?: Readonly<Record<string, string>>
  /** The words for each value of a setting that holds several. */
  readonly parts?: Readonly<Record<string, Pick<Part, "about" | "example" | "label">>>
}

export const namesOf = (key: string): SettingWords | undefined => KNOWN[key]

const KNOWN: Readonly<Record<string, SettingWords>> = settingNames

/** How each value is typed; all others are texts that may be left empty. */
const TYPED: Readonly<Record<string, Omit<Part, "key" | "label" | "about">>> = {
  "signIn.issuer": { example: "https://id.example/realms/main", isNeeded: true },
  "signIn.clientId": { example: "boocode", isNeeded: true },
  "signIn.clientSecret": { example: "${OIDC_SECRET}" },
  // oxlint-disable-next-line house/page-words -- a value of the protocol
  "signIn.scope": { example: "openid profile email" },
  "proxySignIn.addresses": { example: "127.0.0.1", isList: true, isNeeded: true },
  "proxySignIn.header": { example: "X-Forwarded-User", isNeeded: true },
  "proxySignIn.groupsHeader": { example: "X-Forwarded-Groups" }
}

const WHO: typeof TYPED = {
  admins: { example: "group:boocode-admins", isList: true },
  members: { example: "ann@example.org", isList: true },
  name: { example: "preferred_username" },
  groups: { example: "groups" }
}

/** The values of a setting that holds several; null for one that holds one. */
export const partsOf = (key: string): ReadonlyArray<Part> | null => {
  const words = namesOf(key)?.parts
  return words === undefined
    ? null
    : Object.entries(words).map(([part, word]) => ({ key: part, ...word, ...WHO[part], ...TYPED[`${key}.${part}`] }))
}
