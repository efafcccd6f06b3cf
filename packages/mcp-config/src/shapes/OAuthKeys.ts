/**
 * The key `oauth` of a native entry: false, or how to sign in.
 */
import * as Result from "effect/Result"
import * as Field from "../Field.ts"
import { nearest } from "../Nearest.ts"
import type { HttpEntry, OAuthEntry, OAuthText } from "../ServerEntry.ts"
import { EntryReader } from "./EntryReader.ts"

/** The keys whose value is a text. */
export const TEXTS: ReadonlyArray<OAuthText> = [
  "clientId",
  "clientSecret",
  "clientMetadataUrl",
  "redirectUri",
  "resource",
  "issuer",
  "privateKey",
  "algorithm"
]

const KEYS: ReadonlyArray<string> = [...TEXTS, "scopes", "callbackPort", "grant"]

/** What the entry says about signing in; nothing where it says nothing, or something wrong, which is noted. */
export const read = (entry: EntryReader): Pick<HttpEntry, "oauth"> => {
  const value = entry.keys.get("oauth")?.value
  if (value === undefined || (value.type === "boolean" && value.value)) return {}
  if (value.type === "boolean") return { oauth: false }
  if (value.type !== "object") {
    entry.read("oauth", wrong, null)
    return {}
  }
  const path = entry.keys.get("oauth")?.path ?? `${entry.path}.oauth`
  const reader = new EntryReader(path, value)
  const oauth = readObject(reader)
  for (const key of reader.keys.keys()) if (!KEYS.includes(key)) reader.remark(key, unknown(key))
  entry.troubles.push(...reader.troubles)
  entry.remarks.push(...reader.remarks)
  return { oauth }
}

const readObject = (reader: EntryReader): OAuthEntry => {
  const has = (key: string) => reader.keys.has(key)
  const grant = reader.read("grant", Field.choice(["authorization_code", "client_credentials"]), "authorization_code")
  if (grant === "client_credentials") {
    if (!has("clientId")) reader.trouble("clientId", NEEDS_ID, `write "clientId": "…"`)
    if (!has("clientSecret") && !has("privateKey")) {
      reader.trouble("clientSecret", NEEDS_SECRET, `write "clientSecret" or "privateKey", best as a variable`)
    }
  } else if (has("clientSecret") && !has("clientId")) {
    reader.trouble("clientSecret", "there is no clientId that it belongs to", `write "clientId": "…"`)
  }
  return {
    texts: TEXTS.flatMap((key) => {
      const text = reader.read(key, Field.text, null)
      return text === null ? [] : [[key, text] as const]
    }),
    scopes: reader.read("scopes", scopes, null),
    callbackPort: reader.read("callbackPort", port, null),
    grant
  }
}

const NEEDS_ID = "signing in as this program needs a clientId"
const NEEDS_SECRET = "signing in as this program needs a secret, or a key"

const wrong: Field.Decoder<null> = (node, key) =>
  Result.fail(Field.mismatch(node, key, "false, or an object", `write "oauth": { "clientId": "…" }, or leave it out`))

/** One text may hold several, as OAuth itself writes them. */
const scopes: Field.Decoder<ReadonlyArray<Field.Written>> = (node, key) =>
  node.type === "string" ? Result.map(Field.text(node, key), (written) => [written]) : Field.texts(node, key)

const port: Field.Decoder<number> = (node, key) =>
  node.type === "number" && Number.isInteger(node.value) && node.value > 0 && node.value < 65536
    ? Result.succeed(node.value)
    : Result.fail(Field.mismatch(node, key, "a port from 1 to 65535", "write a number such as 8123"))

const unknown = (key: string): string => {
  const meant = nearest(key, KEYS, 1)
  return `unknown key, not read${meant.length === 0 ? "" : `; did you mean ${meant.join()}?`}`
}
