/**
 * How other applications call what `oauth` says: the same things under a few other names.
 */
import type * as Schema from "effect/Schema"
import type { JsonNode, Member } from "../JsonNode.ts"
import type { OAuthText } from "../ServerEntry.ts"
import type { Encoding } from "./Encoding.ts"
import * as Nodes from "./Nodes.ts"

/** Their names, by the native one. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ["client_id", "clientId"], // Codex, opencode
  ["CLIENT_ID", "clientId"], // Cursor
  ["client_secret", "clientSecret"], // opencode
  ["CLIENT_SECRET", "clientSecret"], // Cursor
  ["scope", "scopes"], // opencode
  ["callback_port", "callbackPort"], // Codex, opencode
  ["redirect_uri", "redirectUri"], // opencode
  ["callback_url", "redirectUri"], // Codex
  ["redirectUrl", "redirectUri"], // 1MCP
  ["authServerMetadataUrl", "issuer"] // Claude Code
])

/** The value in native names. What it says of itself being off, or registering by itself, is said another way here. */
export const read = (node: JsonNode): JsonNode => {
  if (node.type !== "object") return node
  const isOff = node.members.some(({ key, value }) => key === "enabled" && value.type === "boolean" && !value.value)
  if (isOff) return Nodes.flag(false, node.at)
  return { ...node, members: node.members.filter(({ key }) => !SILENT.has(key)).map(renamed) }
}

/** Gemini CLI's switch, its fixed addresses, which are found out here, and 1MCP's wish. */
const SILENT = new Set(["enabled", "autoRegister", "authorizationUrl", "tokenUrl", "registrationUrl"])

const renamed = (member: Member): Member => {
  const key = NAMES.get(member.key) ?? member.key
  const value = member.key === "authServerMetadataUrl" ? issuerOf(member.value) : member.value
  return { ...member, key, value }
}

/** The authorization server whose description stands at an address. */
const issuerOf = (node: JsonNode): JsonNode =>
  node.type === "string"
    ? Nodes.text(node.value.replace(/\/\.well-known\/(oauth-authorization-server|openid-configuration)/, ""), node.at)
    : node

/** How an application calls what it takes over. */
export type Names = ReadonlyArray<readonly [OAuthText | "scopes" | "callbackPort" | "grant", string]>

/** All of it, under its own names. */
export const NATIVE: Names = [
  ...["clientId", "clientSecret", "clientMetadataUrl", "redirectUri", "resource", "issuer", "privateKey"] as const,
  ...["algorithm", "scopes", "callbackPort", "grant"] as const
].map((key) => [key, key] as const)

/** Writes what an application has names for, under `key`; the rest is noted as lost. */
export const write = (out: Encoding, names: Names, list = true): void => {
  const { http } = out
  if (http?.oauth === undefined) return
  if (http.oauth === false) return out.put("oauth", false, "oauth")
  const { callbackPort, grant, scopes, texts } = http.oauth
  const known = new Map(names)
  const all: ReadonlyArray<readonly [string, string, Schema.Json]> = [
    ...texts.map(([key, text]) => [key, known.get(key) ?? "", out.worded(text)] as const),
    ...(scopes === null ? [] : [["scopes", known.get("scopes") ?? "", scopesOf(out, scopes, list)] as const]),
    ...(callbackPort === null ? [] : [["callbackPort", known.get("callbackPort") ?? "", callbackPort] as const]),
    ...(grant === "authorization_code" ? [] : [["grant", known.get("grant") ?? "", grant] as const])
  ]
  for (const [key, name, value] of all) if (name === "" || value === null) out.loseText(`oauth.${key}`)
  const fields = all.filter(([, name, value]) => name !== "" && value !== null).map(([, name, value]) => [name, value])
  out.put("oauth", Object.fromEntries(fields), "oauth")
}

const scopesOf = (out: Encoding, scopes: ReadonlyArray<Parameters<Encoding["worded"]>[0]>, list: boolean) => {
  const texts = scopes.map((scope) => out.worded(scope)).filter((text) => text !== null)
  return list ? texts : texts.join(" ")
}
