/** Metadata that a provider wants back with a later request: signatures of reasoning, encrypted items, ids. */
import {
  isJSONObject,
  type JSONObject,
  type SharedV4ProviderMetadata,
  type SharedV4ProviderOptions
} from "@ai-sdk/provider"
import type * as Prompt from "effect/ai/Prompt"
import type * as Response from "effect/ai/Response"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/**
 * An AI SDK part's `providerMetadata` as the `metadata` of a response part, which `Prompt.fromResponseParts` keeps as
 * the `options` of the prompt part.
 */
export const decode = (
  metadata: SharedV4ProviderMetadata | undefined
): { readonly metadata?: Response.ProviderMetadata } =>
  metadata === undefined ? {} : Option.match(decodeJson(metadata), {
    onNone: () => ({}),
    onSome: (json) => ({ metadata: json })
  })

/** A prompt part's `options` as the `providerOptions` of an AI SDK part; the key is absent when there is nothing. */
export const encode = (
  options: Prompt.ProviderOptions
): { readonly providerOptions?: SharedV4ProviderOptions } => {
  const entries = Object.entries(options).flatMap(([provider, value]): Array<[string, JSONObject]> =>
    isJSONObject(value) && !Array.isArray(value) ? [[provider, value]] : []
  )
  return entries.length === 0 ? {} : { providerOptions: Object.fromEntries(entries) }
}

// Through text, because providers leave keys with `undefined`, which is no JSON and would fail the whole response.
const decodeJson = (metadata: SharedV4ProviderMetadata): Option.Option<Response.ProviderMetadata> =>
  Schema.decodeOption(Metadata)(JSON.stringify(metadata))

const Metadata = Schema.fromJsonString(Schema.Record(Schema.String, Schema.NullOr(Schema.Json)))
