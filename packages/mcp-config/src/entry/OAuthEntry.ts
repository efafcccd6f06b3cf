/** Reads the key `oauth` of a native entry: false, or how to sign in. */
import * as Struct from "effect/Struct"
import * as EntryKeys from "../model/EntryKeys.ts"
import { nearest } from "../model/Nearest.ts"
import type { HttpEntry, OAuthEntry } from "../model/ServerEntry.ts"
import { EntryReader } from "./EntryReader.ts"

/** Reads `oauth`. Gives nothing when it is absent or wrong; what is wrong is noted. */
export const read = (entry: EntryReader): Pick<HttpEntry, "oauth"> => {
  const oauth = entry.read("oauth", EntryKeys.HTTP.oauth, true)
  if (oauth === true) return {}
  if (oauth === false) return { oauth }
  const value = entry.keys.get("oauth")?.value
  if (value?.type !== "object") return {}
  const reader = new EntryReader(entry.pathOf("oauth"), value)
  const object = readObject(reader)
  for (const key of reader.keys.keys()) if (!KEYS.includes(key)) reader.remark(key, unknown(key, KEYS))
  entry.troubles.push(...reader.troubles)
  entry.remarks.push(...reader.remarks)
  return { oauth: object }
}

const KEYS = Object.keys(EntryKeys.OAUTH)

const readObject = (reader: EntryReader): OAuthEntry => {
  const has = (key: string) => reader.keys.has(key)
  const grant = reader.read("grant", EntryKeys.OAUTH.grant, "authorization_code" as const)
  if (grant === "client_credentials") {
    if (!has("clientId")) reader.trouble("clientId", "signing in as this program needs a clientId", WRITE_ID)
    if (!has("clientSecret") && !has("privateKey")) {
      const detail = "signing in as this program needs a secret, or a key"
      reader.trouble("clientSecret", detail, "write \"clientSecret\" or \"privateKey\", best as a variable")
    }
  } else if (has("clientSecret") && !has("clientId")) {
    reader.trouble("clientSecret", "there is no clientId that it belongs to", WRITE_ID)
  }
  const login = reader.read("login", EntryKeys.OAUTH.login, "shared" as const)
  if (login === "user" && grant === "client_credentials") {
    reader.trouble("login", "signing in as this program has no person", "leave \"login\" or \"grant\" out")
  }
  return {
    ...login === "user" ? { login } : {},
    texts: Struct.keys(EntryKeys.OAUTH_TEXTS).flatMap((key) => {
      const text = reader.text(key, EntryKeys.OAUTH[key])
      return text === null ? [] : [[key, text] as const]
    }),
    scopes: reader.texts("scopes", EntryKeys.OAUTH.scopes),
    callbackPort: reader.read("callbackPort", EntryKeys.OAUTH.callbackPort, null),
    grant
  }
}

const WRITE_ID = "write \"clientId\": \"…\""

/** The remark about an unknown key, with the nearest known one. */
export const unknown = (key: string, known: ReadonlyArray<string>, counterpart?: string): string => {
  const meant = counterpart === undefined ? nearest(key, known, 1) : [counterpart]
  return `unknown key, not read${meant.length === 0 ? "" : `; did you mean ${meant.join()}?`}`
}
