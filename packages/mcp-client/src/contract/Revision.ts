/** The revisions of the protocol that are spoken here, and the two eras they belong to. */
import type * as Schema from "effect/Schema"
import * as JsonRpc from "../base/JsonRpc.ts"
import { VERSION } from "../base/Version.ts"

/** The one that is asked for by `server/discover`: it has no sessions and no handshake. */
export const MODERN = "2026-07-28"

/** Those that are agreed on by `initialize`, the newest first. */
export const LEGACY = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"] as const

/** All of them, the newest first. */
export const ALL: ReadonlyArray<string> = [MODERN, ...LEGACY]

/** The answer to `server/discover`, as far as it is looked at. */
export interface Discovered extends Schema.JsonObject {
  readonly supportedVersions: ReadonlyArray<string>
  readonly capabilities: Schema.JsonObject
}

export type Era = { readonly kind: "legacy" } | { readonly kind: "modern"; readonly discover: Discovered }

/** The old way, by `initialize`. */
export const OLD: Era = { kind: "legacy" }

/** Whether this is what a server that speaks 2026-07-28 answers to `server/discover`. */
export const isDiscovered = (value: unknown): value is Discovered =>
  JsonRpc.isObject(value) && isOurs(value["supportedVersions"]) && wrongCapabilities(value["capabilities"]) === null &&
  isAbsentOrText(value["instructions"])

/** Whether these are details of a refusal that name the revisions that a server speaks. */
export const isSupport = (data: unknown): data is { readonly supported: ReadonlyArray<string> } =>
  JsonRpc.isObject(data) && isTexts(data["supported"])

/** The path to the first malformed capability; null where all are well-formed. */
export const wrongCapabilities = (capabilities: Schema.Json | undefined): string | null => {
  if (!JsonRpc.isObject(capabilities)) return "capabilities"
  const wrong = CAPABILITIES.find((name) => !isAbsentOrObject(capabilities[name]))
  return wrong === undefined ? null : `capabilities.${wrong}`
}

/** Those that are looked at. */
const CAPABILITIES = ["tools", "prompts", "resources", "completions", "logging"] as const

/** Whether a server says nothing, or a text; some write null for nothing. */
export const isAbsentOrText = (value: Schema.Json | undefined): value is string | null | undefined =>
  value === undefined || value === null || typeof value === "string"

const isAbsentOrObject = (value: Schema.Json | undefined): boolean =>
  value === undefined || value === null || JsonRpc.isObject(value)

const isOurs = (value: Schema.Json | undefined): boolean => isTexts(value) && value.includes(MODERN)

const isTexts = (value: Schema.Json | undefined): value is ReadonlyArray<string> =>
  Array.isArray(value) && value.every((text) => typeof text === "string")

export const CLIENT_INFO = { name: "boocode", version: VERSION } as const

/** The `_meta` that says it. */
export const makeEnvelope = (
  capabilities: Schema.JsonObject,
  clientInfo: Schema.JsonObject = CLIENT_INFO
): Schema.JsonObject => ({
  "io.modelcontextprotocol/protocolVersion": MODERN,
  "io.modelcontextprotocol/clientInfo": clientInfo,
  "io.modelcontextprotocol/clientCapabilities": capabilities
})
