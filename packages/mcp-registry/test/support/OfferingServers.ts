/** Scripted servers that offer prompts and resources. */
import type * as Schema from "effect/Schema"
import type * as ScriptedHost from "./ScriptedHost.ts"

type Json = Schema.JsonObject

export type Reply = Json | "silence" | { readonly code: number; readonly message: string }

/** Answers by method; what is not there is answered as a well-behaved server of tools does. */
export const script = (
  answers: Readonly<Record<string, (params: Json, server: ScriptedHost.Running) => Reply>>,
  capabilities: Json = { prompts: { listChanged: true }, resources: { listChanged: true }, completions: {} }
): ScriptedHost.Script => ({
  answer: (message, server) => {
    const { id, method, params } = message
    if (id === undefined || typeof method !== "string") return undefined
    if (method === "initialize") {
      return {
        jsonrpc: "2.0",
        id,
        result: {
          protocolVersion: "2025-11-25",
          capabilities: { tools: {}, ...capabilities },
          serverInfo: { name: "scripted", version: "1.0.0" }
        }
      }
    }
    const reply = answers[method]?.(isObject(params) ? params : {}, server)
    if (reply === undefined) return undefined
    if (reply === "silence") return null
    return typeof reply["code"] === "number"
      ? { jsonrpc: "2.0", id, error: { ...reply } }
      : { jsonrpc: "2.0", id, result: reply }
  }
})

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null

/** The pages of a list: the cursor is the number of the page. */
export const pages = (key: string, ...all: ReadonlyArray<ReadonlyArray<Schema.Json>>) => ({ cursor }: Json): Reply => {
  const at = Number(cursor ?? 0)
  return { [key]: all[at] ?? [], ...(at + 1 < all.length ? { nextCursor: String(at + 1) } : {}) }
}

export const prompt = (name: string, ...required: ReadonlyArray<string>): Json => ({
  name,
  description: `The prompt ${name}.`,
  arguments: [...required.map((name) => ({ name, required: true })), { name: "tone" }]
})

export const resource = (name: string): Json => ({ uri: `memo://${name}`, name, mimeType: "text/plain" })

/** How often a server was told this. */
export const asked = (server: ScriptedHost.Running | undefined, method: string): number =>
  server?.received.filter((message) => message["method"] === method).length ?? 0
