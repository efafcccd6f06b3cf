/** The places in an answer of Gemini that stand on pages, which come with its end. */
import type { SharedV4ProviderMetadata } from "@ai-sdk/provider"
import type * as Response from "effect/ai/Response"
import * as Predicate from "effect/Predicate"

/**
 * A source for each page of each place. `citation` of its metadata has the end of the place in bytes of UTF-8, counted in
 * the whole text of the answer.
 */
export const sources = (metadata: SharedV4ProviderMetadata | undefined): Array<Response.UrlSourcePartEncoded> => {
  const grounding = metadata?.["google"]?.["groundingMetadata"]
  if (!Predicate.isObject(grounding)) return []
  const chunks = listOf(grounding["groundingChunks"])
  return listOf(grounding["groundingSupports"]).flatMap((support) => {
    const { groundingChunkIndices, segment } = Object(support)
    const bytes: unknown = Object(segment)["endIndex"]
    if (typeof bytes !== "number") return []
    return listOf(groundingChunkIndices).flatMap((index) => {
      const { title, uri } = Object(Object(typeof index === "number" ? chunks[index] : null)["web"])
      return typeof uri === "string" && URL.canParse(uri)
        ? [{
          type: "source" as const,
          sourceType: "url" as const,
          id: uri,
          url: uri,
          title: typeof title === "string" ? title : uri,
          metadata: { citation: { bytes } }
        }]
        : []
    })
  })
}

const listOf = (value: unknown): ReadonlyArray<unknown> => Array.isArray(value) ? value : []
