/** Scripted servers that tell of changes, of both ways in which that is asked for. */
import type * as Schema from "effect/Schema"
import type * as ScriptedHost from "./ScriptedHost.ts"

type Json = Schema.JsonObject

export interface News {
  readonly capabilities?: Json
  readonly instructions?: string
  /** Refuses to tell of these. */
  readonly refused?: ReadonlyArray<string>
  /** Replaces an answer: a result, an error, or null for silence. */
  readonly answers?: Readonly<Record<string, (params: Json, server: ScriptedHost.Running) => Json | null>>
}

const DECLARED: Json = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  logging: {}
}

const refusal = (message: string): Json => ({ error: { code: -32602, message } })

const paramsOf = (message: Json): Json => isObject(message["params"]) ? message["params"] : {}

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null

/** A server of revision 2025-11-25. */
export const older = (news: News = {}): ScriptedHost.Script => ({
  answer: (message, server) => {
    const { id, method } = message
    if (id === undefined || typeof method !== "string") return undefined
    const given = news.answers?.[method]?.(paramsOf(message), server)
    if (given === null) return null
    if (given !== undefined) return { jsonrpc: "2.0", id, ...given }
    switch (method) {
      case "initialize":
        return {
          jsonrpc: "2.0",
          id,
          result: {
            protocolVersion: "2025-11-25",
            capabilities: news.capabilities ?? DECLARED,
            serverInfo: { name: "news", version: "1" },
            ...(news.instructions === undefined ? {} : { instructions: news.instructions })
          }
        }
      case "resources/subscribe": {
        const { uri } = paramsOf(message)
        return news.refused?.includes(String(uri)) === true
          ? { jsonrpc: "2.0", id, ...refusal("no such resource") }
          : { jsonrpc: "2.0", id, result: {} }
      }
      case "resources/unsubscribe":
      case "logging/setLevel":
        return { jsonrpc: "2.0", id, result: {} }
      default:
        return undefined
    }
  }
})

/** A server of revision 2026-07-28. It says at once that it listens, but for what it refuses. */
export const modern = (news: News = {}): ScriptedHost.Script => ({
  answer: (message, server) => {
    const { id, method } = message
    if (id === undefined || typeof method !== "string") return null
    const given = news.answers?.[method]?.(paramsOf(message), server)
    if (given === null) return null
    if (given !== undefined) return { jsonrpc: "2.0", id, ...given }
    const result = (value: Json): Json => ({
      jsonrpc: "2.0",
      id,
      result: { resultType: "complete", ttlMs: 60_000, cacheScope: "public", ...value }
    })
    switch (method) {
      case "server/discover":
        return result({
          supportedVersions: ["2026-07-28"],
          capabilities: news.capabilities ?? DECLARED,
          serverInfo: { name: "news", version: "1" },
          ...(news.instructions === undefined ? {} : { instructions: news.instructions })
        })
      case "tools/list":
        return result({ tools: [{ name: "echo", inputSchema: { type: "object" } }] })
      case "prompts/list":
        return result({ prompts: [] })
      case "tools/call":
        return result({ content: [{ type: "text", text: JSON.stringify(message["params"]) }] })
      case "subscriptions/listen":
        server.say(acknowledged(message, news.refused ?? []))
        return null
      default:
        return { jsonrpc: "2.0", id, error: { code: -32601, message: "Method not found" } }
    }
  }
})

/** That a server listens as it was asked to, but for updates of these. */
export const acknowledged = (listen: Json, refused: ReadonlyArray<string> = []): Json => {
  const { notifications } = paramsOf(listen)
  const asked = isObject(notifications) ? notifications : {}
  const { resourceSubscriptions: uris, ...lists } = asked
  const kept = Array.isArray(uris) ? uris.filter((uri) => !refused.includes(String(uri))) : null
  return told("notifications/subscriptions/acknowledged", {
    _meta: { "io.modelcontextprotocol/subscriptionId": listen["id"] ?? null },
    notifications: { ...lists, ...(kept === null ? {} : { resourceSubscriptions: kept }) }
  })
}

export const told = (method: string, params: Json = {}): Json => ({ jsonrpc: "2.0", method, params })

/** That a resource changed; `listen` is the request that it is told because of. */
export const updated = (uri: string, listen?: Json): Json =>
  told("notifications/resources/updated", {
    uri,
    ...(listen === undefined ? {} : { _meta: { "io.modelcontextprotocol/subscriptionId": listen["id"] ?? null } })
  })

/** What a server was asked by this method, the oldest first. */
export const askedOf = (server: ScriptedHost.Running | undefined, method: string): ReadonlyArray<Json> =>
  server?.received.filter((message) => message["method"] === method) ?? []

/** The same, each by its parameters. */
export const paramsTo = (server: ScriptedHost.Running | undefined, method: string): ReadonlyArray<Json> =>
  askedOf(server, method).map(paramsOf)
