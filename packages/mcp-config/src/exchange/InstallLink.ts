/** Links by which pages add a server to an application: `vscode:mcp/install?…`, `cursor://…`, `lmstudio://…`, `goose://…`. */
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"

/** The JSON that a link stands for; null for any other address. */
export const jsonOf = (link: string): string | null => {
  const url = URL.parse(link)
  if (url === null) return null
  const inner = url.searchParams.get("url")
  if (/(?:^|\.)vscode\.dev$/.test(url.hostname) && inner !== null) return jsonOf(inner)
  if (/^vscode(?:-insiders)?:$/.test(url.protocol)) return decoded(url.search.slice(1))
  if (url.protocol === "goose:") return fromGoose(url.searchParams)
  const config = url.searchParams.get("config")
  const isInstall = /(?:^|\/)(?:install|install-mcp|add_mcp)\/?$/.test(`${url.hostname}${url.pathname}`)
  if (config === null || !isInstall) return null
  const json = config.trimStart().startsWith("{") ? config : Result.getOrNull(Base64.decodeString(config))
  const name = url.searchParams.get("name")
  return json === null || name === null ? json : `{ ${JSON.stringify(name)}: ${json} }`
}

const decoded = (text: string): string | null =>
  Result.getOrNull(Result.try({ try: () => decodeURIComponent(text), catch: () => null }))

const fromGoose = (given: URLSearchParams): string | null => {
  const [command, url] = [given.get("cmd"), given.get("url")]
  const entry = url === null ? { command, args: given.getAll("arg") } : { type: "http", url }
  const name = given.get("id") ?? given.get("name")
  if (command === null && url === null) return null
  return JSON.stringify(name === null ? entry : { [name]: entry })
}
