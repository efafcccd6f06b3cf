/**
 * Links by which pages add a server to an application: `vscode:mcp/install?…`, `cursor://…`, `lmstudio://…`, `goose://…`, and
 * the addresses that lead to them.
 */
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as JsonObjectText from "../text/JsonObjectText.ts"

/** The content of a link. */
export type InstallLink =
  /** A server, as JSON. */
  | { readonly _tag: "server"; readonly json: string }
  /** A server of the MCP registry, by its name. */
  | { readonly _tag: "published"; readonly name: string }
  /** It was cut off or changed on its way. */
  | { readonly _tag: "damaged" }

const DAMAGED: InstallLink = { _tag: "damaged" }

/** Reads a link; null for an address that is none of them. */
export const read = (link: string): InstallLink | null => {
  const url = URL.parse(link.trim())
  if (url === null) return null
  const inner = url.searchParams.get("url")
  if (isVsCodePage(url) && inner !== null) return inner.startsWith("vscode") ? read(inner) ?? DAMAGED : DAMAGED
  if (url.protocol === "goose:") return fromGoose(url.searchParams)
  const path = `${url.hostname}${url.pathname}`
  const byName = isVsCode(url) ? /(?:^|\/)mcp\/by-name\/(.+)$/.exec(path)?.[1] : undefined
  if (byName !== undefined) return published(byName)
  const isInstall = /(?:^|\/)(?:install|install-mcp|add_mcp)\/?$/.test(path)
  if (isInstall && (url.searchParams.has("config") || isOurs(url))) return server(url)
  return isApplication(url) && path.includes("mcp") ? DAMAGED : null
}

/** A page of Visual Studio Code that leads to a link. */
const isVsCodePage = ({ hostname }: URL): boolean => /(?:^|\.)vscode\.dev$/.test(hostname)

const isVsCode = (url: URL): boolean => /^vscode(?:-insiders)?:$/.test(url.protocol) || isVsCodePage(url)

/** No server has an address with one of these schemes. */
const isApplication = ({ protocol }: URL): boolean => /^(?:vscode|vscode-insiders|cursor|lmstudio):$/.test(protocol)

const isOurs = (url: URL): boolean =>
  isApplication(url) || isVsCodePage(url) || /^(?:www\.)?cursor\.com$/.test(url.hostname)

const published = (text: string): InstallLink => {
  const name = Result.getOrNull(Result.try(() => decodeURIComponent(text)))
  return name === null || !/^[\w.-]+\/[\w.-]+$/.test(name) ? DAMAGED : { _tag: "published", name }
}

const server = (url: URL): InstallLink => {
  const config = url.searchParams.get("config")
  const whole = config === null ? decodedQuery(url) : ofConfig(config)
  if (whole === null || Object.keys(whole).length === 0) return DAMAGED
  const { inputs, ...entry } = whole
  const isAsking = JSON.stringify(entry).includes("${input:")
  const own = inputs ?? ofJson(url.searchParams.get("inputs") ?? "") ?? (isAsking ? [] : null)
  const name = url.searchParams.get("name") ?? (typeof entry["name"] === "string" ? entry["name"] : null)
  if (own !== null && name !== null) {
    const { name: _, ...plain } = entry
    return { _tag: "server", json: JSON.stringify({ servers: { [name]: plain }, inputs: own }) }
  }
  return { _tag: "server", json: JSON.stringify(url.searchParams.has("name") ? { [name ?? ""]: entry } : entry) }
}

/** The whole query is the JSON. */
const decodedQuery = (url: URL): Schema.JsonObject | null =>
  ofConfig(Result.getOrElse(Result.try(() => decodeURIComponent(url.search.slice(1))), () => ""))

/** JSON as it is, or in base64, whose plus a query turns into a space. */
const ofConfig = (config: string): Schema.JsonObject | null => {
  const base64 = config.replaceAll(" ", "+").replaceAll("-", "+").replaceAll("_", "/")
  const text = config.trimStart().startsWith("{") ? config : Result.getOrElse(Base64.decodeString(base64), () => "")
  return text.trim() === "" ? null : Result.getOrNull(JsonObjectText.read(text))
}

const ofJson = (text: string): Schema.Json =>
  text === "" ? null : Result.getOrNull(JsonObjectText.read(`{"inputs":${text}}`))?.["inputs"] ?? null

const fromGoose = (given: URLSearchParams): InstallLink => {
  const [command, url] = [given.get("cmd"), given.get("url")]
  const entry = url === null ? { command, args: given.getAll("arg") } : { type: "http", url }
  const name = given.get("id") ?? given.get("name")
  if (command === null && url === null) return DAMAGED
  return { _tag: "server", json: JSON.stringify(name === null ? entry : { [name]: entry }) }
}
